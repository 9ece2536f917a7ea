-- Versions of the plant's floor that people drew. ``files`` has the text of each file.
CREATE TABLE world_versions (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    world text NOT NULL, -- the name of the directory with the plant's own files
    files json NOT NULL,
    based_on integer NOT NULL, -- 0: the plant's files
    made_by text NOT NULL,
    reason text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    preview json, -- what ten simulated robots did in it
    previewed_at timestamptz
);

-- Which version is used from when on. The last of a world counts; 0: its own files.
CREATE TABLE world_uses (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    world text NOT NULL,
    number integer NOT NULL,
    used_by text NOT NULL,
    reason text NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now()
);
