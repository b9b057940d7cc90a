-- The rows a report is about, held in order until the end; `newest` says no later version of the document is known.
SELECT organization_id, document_type, sha256, bilko_document_id, archive_status, disposition, created_at,
    retry_count, last_error, reason, paperless_doc_id, paperless_doc_url, archived_at, receipt, surplus,
    dead_at, redrives,
    NOT EXISTS (
        SELECT FROM archive_audit_log AS other
        WHERE other.organization_id = kept.organization_id
            AND other.document_type = kept.document_type
            AND other.bilko_document_id = kept.bilko_document_id
            AND other.created_at > kept.created_at
    ) AS newest
FROM archive_audit_log AS kept
WHERE r2_object_key = :object_key
    AND organization_id = :organization
    AND (CAST(:every AS boolean) OR bilko_document_id = ANY (CAST(:documents AS uuid[])))
ORDER BY bilko_document_id
FOR UPDATE;
