-- Where the chain ends.
SELECT hash, last_event, last_transaction::text AS last_transaction
FROM audit_seals
ORDER BY id DESC
LIMIT 1;
