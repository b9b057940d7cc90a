-- What became of the documents that operators sent back.
SELECT disposition, count(*) AS documents
FROM archive_audit_log
WHERE redrives > 0
GROUP BY disposition
ORDER BY disposition;
