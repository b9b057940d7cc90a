-- The chain after a link, in order.
SELECT id, first_event, last_event, last_transaction::text AS last_transaction, events, previous_hash, hash
FROM audit_seals
WHERE id > :after
ORDER BY id
LIMIT :limit;
