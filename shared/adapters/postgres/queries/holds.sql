-- An organisation's holds that nobody has lifted.
SELECT id, organization_id, document_id, reason, actor, placed_at
FROM legal_holds
WHERE organization_id = :organization AND lifted_at IS NULL
ORDER BY placed_at, id;
