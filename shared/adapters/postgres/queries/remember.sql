-- The first answer to a key is the one that stays; whoever comes second is told it.
INSERT INTO idempotency_keys AS kept (organization_id, key, request_digest, status, response)
VALUES (:organization, :key, :request_digest, :status, CAST(:response AS jsonb))
ON CONFLICT (organization_id, key) DO UPDATE SET status = kept.status
RETURNING request_digest, status, response;
