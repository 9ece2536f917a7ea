-- People who sign in, their tablets, and what they do with tasks before an answer.

CREATE TABLE people (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    login text NOT NULL UNIQUE CHECK (login = lower(login) AND login <> ''),
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('admin', 'supervisor', 'worker', 'viewer')),
    groups text[] NOT NULL DEFAULT '{}',
    language text NOT NULL DEFAULT 'en',
    password_hash text,
    pin_hash text,
    badge_hash text UNIQUE,
    active boolean NOT NULL DEFAULT true,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE tablets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token_hash text NOT NULL UNIQUE,
    name text NOT NULL,
    enrolled_by text NOT NULL,
    enrolled_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);

CREATE TABLE sessions (
    token_hash text PRIMARY KEY,
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    tablet_id bigint REFERENCES tablets ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

CREATE TABLE sign_in_attempts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_attempts_by_key ON sign_in_attempts (key, at);

CREATE TABLE claims (
    task_id uuid PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
    claimed_by text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE drafts (
    task_id uuid NOT NULL REFERENCES tasks ON DELETE CASCADE,
    field text NOT NULL,
    value json NOT NULL,
    saved_by text NOT NULL,
    saved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (task_id, field)
);

ALTER TABLE answers ADD COLUMN key text;
ALTER TABLE answers ADD COLUMN device_at timestamptz;

CREATE TABLE late_answers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    task_id uuid NOT NULL,
    instance_id uuid REFERENCES instances ON DELETE CASCADE,
    business_key text,
    task_name text NOT NULL DEFAULT '',
    answers json NOT NULL,
    answered_by text NOT NULL,
    device_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    reason text NOT NULL,
    decided_by text,
    decision text,
    decided_at timestamptz
);
CREATE INDEX late_answers_open ON late_answers (received_at)
    WHERE decided_at IS NULL;

CREATE TABLE attachments (
    id uuid PRIMARY KEY,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    task_id uuid NOT NULL,
    field text NOT NULL,
    media_type text NOT NULL,
    content bytea NOT NULL,
    added_by text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX attachments_by_instance ON attachments (instance_id);
