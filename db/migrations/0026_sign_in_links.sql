-- Whoever signs in elsewhere under the login of an account that is here already waits
-- until an administrator links the two.
CREATE TABLE sign_in_requests (
    issuer text NOT NULL,
    subject text NOT NULL,
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    name text NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject)
);
