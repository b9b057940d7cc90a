-- One sealer at a time, until its transaction is over; a statement of its own, for the next must see what the last did.
SELECT pg_advisory_xact_lock(7305501);
