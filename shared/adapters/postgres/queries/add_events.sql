-- The events of one operation, in its own transaction.
INSERT INTO audit_events (organization, action, actor, subject, details)
SELECT decode(organization, 'hex'), action, decode(actor, 'hex'), decode(subject, 'hex'), details
FROM jsonb_to_recordset(CAST(:events AS jsonb))
    AS given (organization text, action text, actor text, subject text, details jsonb);
