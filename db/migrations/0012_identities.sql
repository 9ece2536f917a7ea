-- What other sign-in services call our people; a login there may change hands.
CREATE TABLE identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    bound_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject),
    UNIQUE (issuer, person_id)
);
