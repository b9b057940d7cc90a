-- A hold; placed a second time it stays as it was.
INSERT INTO legal_holds (id, organization_id, document_id, reason, actor, placed_at)
VALUES (:id, :organization, :document, :reason, :actor, :placed_at)
ON CONFLICT (id) DO NOTHING
RETURNING id;
