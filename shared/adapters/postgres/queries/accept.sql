-- The row of a document handed in, its organisation and its event: one exchange, for it is in a request's path.
WITH created AS (
    INSERT INTO organizations (id, name)
    SELECT :organization, :organization_name
    WHERE NOT EXISTS (SELECT FROM organizations WHERE id = :organization)
    ON CONFLICT (id) DO NOTHING
    RETURNING id
), renamed AS (
    UPDATE organizations SET name = :organization_name
    WHERE id = :organization AND name <> :organization_name
    RETURNING id
), accepted AS (
    INSERT INTO archive_audit_log AS kept (
        organization_id, document_type, sha256, bilko_document_id, r2_object_key, trace_id, created_at
    )
    SELECT :organization, :document_type, :sha256, :document, :object_key, :trace_id, CAST(:accepted_at AS timestamptz)
    -- Counted so that the organisation comes first, here as everywhere: locks in one order.
    FROM (SELECT count(*) FROM created) AS first, (SELECT count(*) FROM renamed) AS second
    -- The row is locked even where nothing changes, so that a report of it waits until its source row is set.
    ON CONFLICT ON CONSTRAINT archive_audit_log_document DO UPDATE
    SET (archive_status, disposition, retry_count, last_error, reason, trace_id, updated_at) = (
        SELECT kept.archive_status, kept.disposition, kept.retry_count, kept.last_error, kept.reason, kept.trace_id,
            kept.updated_at
        WHERE kept.disposition IN ('queued', 'archived', 'erased')
        UNION ALL
        SELECT 'pending', 'queued', 0, NULL, NULL, excluded.trace_id, now()
        WHERE kept.disposition NOT IN ('queued', 'archived', 'erased')
    )
    RETURNING organization_id, document_type, sha256, bilko_document_id, archive_status, disposition, created_at,
        retry_count, last_error, reason, paperless_doc_id, paperless_doc_url, archived_at, receipt,
        dead_at, redrives
), journal AS (
    INSERT INTO audit_events (organization, action, actor, subject, details)
    SELECT decode(given.organization, 'hex'), given.action, decode(given.actor, 'hex'), decode(given.subject, 'hex'),
        given.details || jsonb_build_object('disposition', accepted.disposition)
    FROM accepted, jsonb_to_record(CAST(:event AS jsonb))
        AS given (organization text, action text, actor text, subject text, details jsonb)
)
SELECT organization_id, document_type, sha256, bilko_document_id, archive_status, disposition, created_at,
    retry_count, last_error, reason, paperless_doc_id, paperless_doc_url, archived_at, receipt, dead_at, redrives
FROM accepted;
