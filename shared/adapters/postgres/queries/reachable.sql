-- Whether the database answers at all, and has our tables.
SELECT EXISTS (SELECT FROM archive_audit_log) AS used;
