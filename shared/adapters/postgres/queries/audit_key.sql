-- An organisation's key, made on first use; the idle update makes it answer also to those who came second.
INSERT INTO audit_keys AS kept (organization_id, key)
VALUES (:organization, :key)
ON CONFLICT (organization_id) DO UPDATE SET key = kept.key
RETURNING key;
