-- What became of every order of bread.
CREATE TABLE bakery_ledger (
    instance_id uuid PRIMARY KEY,
    number text,
    loaves integer NOT NULL,
    turns integer,
    ended_at timestamptz NOT NULL DEFAULT now()
);
