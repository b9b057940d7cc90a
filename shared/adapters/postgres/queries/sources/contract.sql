-- Shows in `contracts` how its archiving stands: where this job is the row's latest, or is now made so (claims).
UPDATE contracts AS source
SET archive_job_id = :job_id,
    archive_status = ledger.archive_status,
    paperless_doc_url = ledger.paperless_doc_url,
    archived_at = ledger.archived_at
FROM (
    SELECT held.id, kept.archive_status, kept.paperless_doc_url, kept.archived_at
    FROM archive_audit_log AS kept
    JOIN contracts AS held ON held.id = kept.bilko_document_id AND held.organization_id = kept.organization_id
    WHERE kept.r2_object_key = :object_key
        AND kept.organization_id = :organization
        AND kept.disposition <> 'erased'
        AND kept.bilko_document_id = ANY (CAST(:documents AS uuid[]))
        AND (held.archive_job_id = :job_id OR held.id = ANY (CAST(:claims AS uuid[])))
    ORDER BY held.id
    FOR UPDATE OF held
) AS ledger
WHERE source.id = ledger.id;
