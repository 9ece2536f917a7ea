-- The log of what people did, kept apart from the history and its retention. A line's
-- hash covers its text and the hash before it; the text is stored as it was hashed.
CREATE TABLE audit_chain (
    number bigint PRIMARY KEY,
    event_id bigint NOT NULL UNIQUE,
    text text NOT NULL,
    hash text NOT NULL
);
CREATE FUNCTION audit_chain_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;
CREATE TRIGGER audit_chain_is_final BEFORE UPDATE OR DELETE ON audit_chain
    FOR EACH ROW EXECUTE FUNCTION audit_chain_is_final();
CREATE TRIGGER audit_chain_stays BEFORE TRUNCATE ON audit_chain
    FOR EACH STATEMENT EXECUTE FUNCTION audit_chain_is_final();
INSERT INTO readers (name) VALUES ('audit chain');
