-- Clients of Camunda 8 know everything by a number. Definitions, jobs and incidents have
-- one; instances, open forms, deployed forms and decisions get one.
ALTER TABLE instances ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX instances_by_number ON instances (number);
ALTER TABLE tasks ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX tasks_by_number ON tasks (number);
ALTER TABLE forms ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;
ALTER TABLE decisions ADD COLUMN number bigint GENERATED ALWAYS AS IDENTITY;

-- For what leaves no row of its own: a deployment, a message, a signal.
CREATE SEQUENCE loose_numbers;

-- A message may be kept for a while only; null: until somebody waits for it.
ALTER TABLE messages ADD COLUMN expires_at timestamptz;
CREATE INDEX messages_by_expiry ON messages (expires_at) WHERE expires_at IS NOT NULL;

-- The ids that senders gave their messages: the same one counts once until it expires.
CREATE TABLE message_ids (
    event text NOT NULL,
    correlation text NOT NULL,
    message_id text NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (event, correlation, message_id)
);
CREATE INDEX message_ids_by_expiry ON message_ids (expires_at);
