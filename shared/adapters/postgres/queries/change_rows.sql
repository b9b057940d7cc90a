-- Writes what a report changed; the rows are held already.
UPDATE archive_audit_log AS kept
SET archive_status = given.archive_status,
    disposition = given.disposition,
    retry_count = given.retry_count,
    last_error = given.last_error,
    reason = given.reason,
    paperless_doc_id = given.paperless_doc_id,
    paperless_doc_url = given.paperless_doc_url,
    archived_at = given.archived_at,
    receipt = given.receipt,
    surplus = given.surplus,
    dead_at = given.dead_at,
    redrives = given.redrives,
    updated_at = now()
FROM jsonb_to_recordset(CAST(:changes AS jsonb)) AS given (
    bilko_document_id uuid, archive_status text, disposition text, retry_count integer, last_error text, reason text,
    paperless_doc_id integer, paperless_doc_url text, archived_at timestamptz, receipt jsonb, surplus integer[],
    dead_at timestamptz, redrives integer
)
WHERE kept.r2_object_key = :object_key
    AND kept.organization_id = :organization
    AND kept.bilko_document_id = given.bilko_document_id;
