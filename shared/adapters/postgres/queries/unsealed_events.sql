-- The events after a position that nobody can add to any more. Transactions commit in any order, whatever their ids;
-- below the oldest running one all are over, so the events there are complete, and (transaction, id) orders them.
SELECT id, transaction_id::text AS transaction, recorded_at, organization, action, actor, subject,
    details::text AS details
FROM audit_events
WHERE (transaction_id, id) > (CAST(CAST(:transaction AS text) AS xid8), CAST(:event AS bigint))
    AND transaction_id < pg_snapshot_xmin(pg_current_snapshot())
ORDER BY transaction_id, id
LIMIT :limit;
