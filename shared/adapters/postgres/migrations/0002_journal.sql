-- The journal: one event per operation, never changed, sealed in batches into a chain of hashes.

-- What makes an organisation's events readable; without its row they are noise for ever, which is how they are erased.
CREATE TABLE audit_keys (
    organization_id UUID PRIMARY KEY,
    key BYTEA NOT NULL CHECK (octet_length(key) = 32),
    created_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- organization, actor and subject are HMACs under the organisation's key; details hold nothing that identifies.
CREATE TABLE audit_events (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction_id XID8 NOT NULL DEFAULT pg_current_xact_id(),
    recorded_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    organization BYTEA NOT NULL,
    action TEXT NOT NULL,
    actor BYTEA NOT NULL,
    subject BYTEA NOT NULL,
    details JSONB NOT NULL
);
CREATE INDEX idx_audit_events_order ON audit_events (transaction_id, id);

CREATE TABLE audit_seals (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    first_event BIGINT NOT NULL,
    last_event BIGINT NOT NULL,
    last_transaction XID8 NOT NULL,
    events INTEGER NOT NULL CHECK (events > 0),
    previous_hash BYTEA NOT NULL UNIQUE,
    hash BYTEA NOT NULL UNIQUE,
    sealed_at TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END
$$;

CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER audit_seals_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_seals
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
