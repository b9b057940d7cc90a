-- Remembers what was applied, in the transaction that applied it.
INSERT INTO schema_migrations (name, sha256) VALUES (:name, :sha256);
