-- The application's organisations and documents, as far as archiving touches them, and the ledger of the archive.

CREATE TABLE organizations (
    id UUID PRIMARY KEY,
    name TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE invoices (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    organization_id UUID NOT NULL REFERENCES organizations (id),
    invoice_number TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    archive_status VARCHAR(20) CHECK (archive_status IN ('pending', 'archived', 'failed')),
    archive_job_id TEXT,
    paperless_doc_url TEXT,
    archived_at TIMESTAMPTZ
);
CREATE INDEX idx_invoices_org ON invoices (organization_id);

CREATE TABLE contracts (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    organization_id UUID NOT NULL REFERENCES organizations (id),
    contract_number TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    archive_status VARCHAR(20) CHECK (archive_status IN ('pending', 'archived', 'failed')),
    archive_job_id TEXT,
    paperless_doc_url TEXT,
    archived_at TIMESTAMPTZ
);
CREATE INDEX idx_contracts_org ON contracts (organization_id);

CREATE TABLE archive_audit_log (
    id UUID PRIMARY KEY DEFAULT gen_random_uuid(),
    organization_id UUID NOT NULL REFERENCES organizations (id),
    bilko_document_id UUID NOT NULL,
    document_type VARCHAR(50) NOT NULL
        CHECK (document_type IN ('invoice', 'contract', 'care-plan', 'incident-report', 'onboarding')),
    r2_object_key TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'),
    archive_status VARCHAR(20) NOT NULL DEFAULT 'pending' CHECK (archive_status IN ('pending', 'archived', 'failed')),
    paperless_doc_id INTEGER,
    paperless_doc_url TEXT,
    archived_at TIMESTAMPTZ,
    retry_count INTEGER NOT NULL DEFAULT 0,
    last_error TEXT,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    disposition VARCHAR(20) NOT NULL DEFAULT 'queued'
        CHECK (disposition IN ('queued', 'archived', 'dead', 'expired', 'discarded', 'erased', 'refused')),
    reason TEXT,
    receipt JSONB,
    trace_id TEXT,
    surplus INTEGER[] NOT NULL DEFAULT '{}',
    CONSTRAINT archive_audit_log_document UNIQUE (organization_id, document_type, bilko_document_id, sha256),
    CONSTRAINT archive_audit_log_pending CHECK ((archive_status = 'pending') = (disposition = 'queued')),
    CONSTRAINT archive_audit_log_archived CHECK ((archive_status = 'archived') = (disposition = 'archived')),
    -- No row says archived without saying where, since when, and with what proof.
    CONSTRAINT archive_audit_log_proven CHECK (
        disposition <> 'archived'
        OR num_nulls(paperless_doc_id, paperless_doc_url, archived_at, receipt) = 0
    )
);
CREATE INDEX idx_archive_audit_log_org ON archive_audit_log (organization_id);
CREATE INDEX idx_archive_audit_log_doc ON archive_audit_log (bilko_document_id);
CREATE INDEX idx_archive_audit_log_status ON archive_audit_log (archive_status) WHERE archive_status != 'archived';
CREATE INDEX idx_archive_audit_log_key ON archive_audit_log (r2_object_key);

CREATE TABLE org_paperless_cache (
    organization_id UUID PRIMARY KEY REFERENCES organizations (id),
    paperless_correspondent_id INTEGER NOT NULL,
    paperless_org_tag_id INTEGER NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    updated_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE idempotency_keys (
    organization_id UUID NOT NULL,
    key TEXT NOT NULL,
    request_digest TEXT NOT NULL,
    status INTEGER NOT NULL,
    response JSONB NOT NULL,
    created_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    PRIMARY KEY (organization_id, key)
);
CREATE INDEX idx_idempotency_keys_created ON idempotency_keys (created_at);
