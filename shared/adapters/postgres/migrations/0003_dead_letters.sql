-- What operators need of the ledger: since when a document is dead, how often it was sent back, and what is held.

ALTER TABLE archive_audit_log
    ADD COLUMN dead_at TIMESTAMPTZ,
    ADD COLUMN redrives INTEGER NOT NULL DEFAULT 0;
UPDATE archive_audit_log SET dead_at = updated_at WHERE disposition = 'dead';

-- In the order of a bucket's listing, so that a page from the rows and one from the bucket follow each other.
CREATE INDEX idx_archive_audit_log_dead ON archive_audit_log (r2_object_key COLLATE "C") WHERE disposition = 'dead';
CREATE INDEX idx_archive_audit_log_redriven ON archive_audit_log (disposition) WHERE redrives > 0;

-- Without document_id a hold covers all of an organisation's documents; of one that need not be known here yet.
CREATE TABLE legal_holds (
    id UUID PRIMARY KEY,
    organization_id UUID NOT NULL,
    document_id UUID,
    reason TEXT NOT NULL CHECK (reason !~ '^\s*$'),
    actor TEXT NOT NULL,
    placed_at TIMESTAMPTZ NOT NULL,
    lifted_at TIMESTAMPTZ
);
CREATE INDEX idx_legal_holds_active ON legal_holds (organization_id) WHERE lifted_at IS NULL;
