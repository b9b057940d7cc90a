-- How many documents are dead, and of what.
SELECT coalesce(reason, 'unknown') AS reason, count(*) AS documents
FROM archive_audit_log
WHERE disposition = 'dead'
GROUP BY 1
ORDER BY 1;
