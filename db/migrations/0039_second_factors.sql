-- A second factor beside the password: codes of an app, and passkeys.
CREATE TABLE code_apps (
    person_id bigint PRIMARY KEY REFERENCES people ON DELETE CASCADE,
    secret text NOT NULL,
    confirmed_at timestamptz,
    last_step bigint NOT NULL DEFAULT 0
);
CREATE TABLE passkeys (
    id bytea PRIMARY KEY,
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    credential bytea NOT NULL,
    site text NOT NULL,
    name text NOT NULL,
    uses bigint NOT NULL DEFAULT 0,
    added_at timestamptz NOT NULL DEFAULT now(),
    used_at timestamptz
);
CREATE INDEX passkeys_by_person ON passkeys (person_id);

-- The password was right; the second factor is still to come. Also who adds a passkey.
CREATE TABLE half_sign_ins (
    token_hash text PRIMARY KEY,
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    means text NOT NULL,
    challenge bytea,
    expires_at timestamptz NOT NULL
);

-- What people see of their own sign-ins, and may end.
ALTER TABLE sessions
ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY,
ADD COLUMN means text NOT NULL DEFAULT '',
ADD COLUMN address text NOT NULL DEFAULT '',
ADD COLUMN browser text NOT NULL DEFAULT '';

-- Who is told by mail that something of the account was changed.
CREATE TABLE account_notices (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    language text NOT NULL,
    address text NOT NULL,
    what text NOT NULL,
    by text NOT NULL,
    at timestamptz NOT NULL DEFAULT now(),
    taken_at timestamptz
);
CREATE INDEX account_notices_waiting ON account_notices (id) WHERE taken_at IS NULL;
