-- Why a version was deployed, and models that somebody is still drawing.

ALTER TABLE definitions ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN note text NOT NULL DEFAULT '';
ALTER TABLE forms ADD COLUMN note text NOT NULL DEFAULT '';

-- What a person has drawn and not deployed yet; null: no version was its beginning.
CREATE TABLE model_drafts (
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('process', 'decision')),
    key text NOT NULL,
    base_version integer,
    content bytea NOT NULL,
    saved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (person_id, kind, key)
);
