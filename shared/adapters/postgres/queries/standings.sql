-- Where the documents of each letter stand, whether the application has them as its latest, and what holds them.
SELECT given.object_key, kept.bilko_document_id, kept.disposition, kept.reason, kept.redrives,
    CASE given.document_type
        WHEN 'invoice' THEN EXISTS (
            SELECT FROM invoices AS source
            WHERE source.id = kept.bilko_document_id
                AND source.organization_id = given.organization_id
                AND source.archive_job_id = given.job_id
        )
        WHEN 'contract' THEN EXISTS (
            SELECT FROM contracts AS source
            WHERE source.id = kept.bilko_document_id
                AND source.organization_id = given.organization_id
                AND source.archive_job_id = given.job_id
        )
        ELSE false
    END AS confirmed,
    ARRAY (
        SELECT hold.id
        FROM legal_holds AS hold
        WHERE hold.organization_id = given.organization_id
            AND hold.lifted_at IS NULL
            AND (hold.document_id IS NULL OR hold.document_id = kept.bilko_document_id)
        ORDER BY hold.placed_at, hold.id
    ) AS holds
FROM jsonb_to_recordset(CAST(:keys AS jsonb))
    AS given (object_key text, organization_id uuid, document_type text, job_id text)
LEFT JOIN archive_audit_log AS kept
    ON kept.r2_object_key = given.object_key AND kept.organization_id = given.organization_id
ORDER BY given.object_key, kept.bilko_document_id;
