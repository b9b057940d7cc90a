-- Remembers those ids; a rebuilt Paperless hands out others.
INSERT INTO org_paperless_cache (organization_id, paperless_correspondent_id, paperless_org_tag_id)
VALUES (:organization, :correspondent, :tag)
ON CONFLICT (organization_id) DO UPDATE
SET paperless_correspondent_id = excluded.paperless_correspondent_id,
    paperless_org_tag_id = excluded.paperless_org_tag_id,
    updated_at = now();
