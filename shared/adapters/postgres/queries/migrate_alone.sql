-- One runner of migrations at a time, until its connection ends.
SELECT pg_advisory_lock(7305500);
