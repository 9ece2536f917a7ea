-- Pictures of materials. A version of the catalogue names one by its content, so earlier
-- versions keep theirs.
CREATE TABLE pictures (
    name text PRIMARY KEY CHECK (name ~ '^[0-9a-f]{32}\.(jpg|png|webp)$'),
    content bytea NOT NULL,
    added_by text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now()
);
