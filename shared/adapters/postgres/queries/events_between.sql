-- The events one seal covers.
SELECT id, transaction_id::text AS transaction, recorded_at, organization, action, actor, subject,
    details::text AS details
FROM audit_events
WHERE (transaction_id, id) > (CAST(CAST(:after_transaction AS text) AS xid8), CAST(:after_event AS bigint))
    AND (transaction_id, id) <= (CAST(CAST(:last_transaction AS text) AS xid8), CAST(:last_event AS bigint))
ORDER BY transaction_id, id;
