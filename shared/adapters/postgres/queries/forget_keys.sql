-- Idempotency keys so old that no caller repeats its request any more.
WITH gone AS (
    DELETE FROM idempotency_keys WHERE created_at < :before RETURNING 1
)
SELECT count(*) AS keys FROM gone;
