-- Materials and recipes as people changed them on the pages. Rows are only added: the
-- one with the highest number is in force, and without any the plant's file is. A number
-- that was rolled back never comes again, so processes may keep what they read under it.

CREATE TABLE catalogue_versions (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    content text NOT NULL,
    did text NOT NULL,
    thing text NOT NULL,
    made_by text NOT NULL,
    reason text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);
