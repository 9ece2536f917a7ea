-- What links are signed with that people without an account get. Each is made when it is
-- needed first; whoever deletes its row makes all its links invalid.
CREATE TABLE link_secrets (
    name text PRIMARY KEY,
    secret bytea NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);
