-- The next link of the chain.
INSERT INTO audit_seals (first_event, last_event, last_transaction, events, previous_hash, hash)
VALUES (:first_event, :last_event, CAST(CAST(:last_transaction AS text) AS xid8), :events, :previous_hash, :hash);
