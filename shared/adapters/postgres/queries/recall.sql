-- What was answered to a request with this key.
SELECT request_digest, status, response
FROM idempotency_keys
WHERE organization_id = :organization AND key = :key;
