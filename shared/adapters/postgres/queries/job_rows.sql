-- Every document that has the bytes of one object.
SELECT organization_id, document_type, sha256, bilko_document_id, archive_status, disposition, created_at,
    retry_count, last_error, reason, paperless_doc_id, paperless_doc_url, archived_at, receipt, dead_at, redrives
FROM archive_audit_log
WHERE r2_object_key = :object_key AND organization_id = :organization
ORDER BY created_at, bilko_document_id;
