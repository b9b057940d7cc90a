-- Makes sure of the organisation, without locking a row that is as it should be.
WITH renamed AS (
    UPDATE organizations SET name = :name WHERE id = :organization AND name <> :name AND :name <> ''
)
INSERT INTO organizations (id, name)
SELECT :organization, :name
WHERE NOT EXISTS (SELECT FROM organizations WHERE id = :organization)
ON CONFLICT (id) DO NOTHING;
