-- The right-hand side of the law of conservation, for one organisation.
SELECT disposition, count(*) AS documents
FROM archive_audit_log
WHERE organization_id = :organization
GROUP BY disposition
ORDER BY disposition;
