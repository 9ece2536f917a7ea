-- The batch record of an order: lines that are only added, each with a hash over the
-- one before it. It names orders and people as text and refers to nothing that could go.
CREATE TABLE record_lines (
    record text NOT NULL, -- the number of an order; 'plant' has the heads of all
    line integer NOT NULL CHECK (line > 0),
    content text NOT NULL, -- JSON, byte for byte what was hashed
    hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
    what text GENERATED ALWAYS AS (content::jsonb ->> 'what') STORED,
    material text GENERATED ALWAYS AS (content::jsonb #>> '{data,material}') STORED,
    lot text GENERATED ALWAYS AS (content::jsonb #>> '{data,lot}') STORED,
    PRIMARY KEY (record, line)
);
CREATE INDEX record_lines_loaded ON record_lines (lot) INCLUDE (record, material)
    WHERE what = 'loaded';
CREATE INDEX record_lines_produced ON record_lines (lot) INCLUDE (record, material)
    WHERE what = 'produced';
CREATE INDEX record_lines_of_lots ON record_lines (record, what) INCLUDE (lot, material)
    WHERE what IN ('loaded', 'produced');

-- How far each record is, locked while lines are added. Verifying compares it.
CREATE TABLE record_heads (
    record text PRIMARY KEY,
    lines integer NOT NULL DEFAULT 0,
    hash text NOT NULL DEFAULT repeat('0', 64),
    sealed_lines integer NOT NULL DEFAULT 0,
    ended boolean NOT NULL DEFAULT false,
    opened_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    CHECK (sealed_lines <= lines)
);
CREATE INDEX record_heads_to_seal ON record_heads (changed_at)
    WHERE ended AND sealed_lines < lines;

CREATE FUNCTION record_lines_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a batch record is append-only';
END
$$;
CREATE TRIGGER record_lines_are_final BEFORE UPDATE OR DELETE ON record_lines
    FOR EACH ROW EXECUTE FUNCTION record_lines_are_final();
CREATE TRIGGER record_lines_stay BEFORE TRUNCATE ON record_lines
    FOR EACH STATEMENT EXECUTE FUNCTION record_lines_are_final();
