-- Ends a hold, which stays on record.
UPDATE legal_holds SET lifted_at = :now
WHERE id = :id AND organization_id = :organization AND lifted_at IS NULL
RETURNING id;
