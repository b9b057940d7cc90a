-- A page of dead letters, one line for each object; the range of keys stands for organisation and type together.
SELECT r2_object_key COLLATE "C" AS object_key, max(reason) AS reason, max(last_error) AS last_error,
    min(dead_at) AS dead_at, count(*) AS documents, max(redrives) AS redrives
FROM archive_audit_log
WHERE disposition = 'dead'
    AND r2_object_key COLLATE "C" > :after
    AND r2_object_key COLLATE "C" < :until
    AND (CAST(:document_type AS text) IS NULL OR document_type = :document_type)
    AND (CAST(:reason AS text) IS NULL OR reason = :reason)
    AND (CAST(:before AS timestamptz) IS NULL OR dead_at <= :before)
GROUP BY r2_object_key COLLATE "C"
ORDER BY r2_object_key COLLATE "C"
LIMIT :limit;
