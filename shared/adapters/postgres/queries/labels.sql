-- The ids Paperless gave to an organisation's correspondent and tag.
SELECT paperless_correspondent_id, paperless_org_tag_id
FROM org_paperless_cache
WHERE organization_id = :organization;
