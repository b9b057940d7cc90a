-- Rows for documents that were queued while the database was away; in order, as are all locks on rows.
INSERT INTO archive_audit_log (
    organization_id, document_type, sha256, bilko_document_id, r2_object_key, trace_id, created_at
)
SELECT :organization, :document_type, :sha256, document_id, :object_key, trace_id, accepted_at
FROM jsonb_to_recordset(CAST(:documents AS jsonb)) AS given (document_id uuid, accepted_at timestamptz, trace_id text)
ORDER BY document_id
ON CONFLICT ON CONSTRAINT archive_audit_log_document DO NOTHING
RETURNING bilko_document_id;
