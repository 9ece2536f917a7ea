-- What administrators see and decide: who works here, which robots rest, how long the
-- past is kept, what people did.

CREATE TABLE workers (
    name text PRIMARY KEY,
    version text NOT NULL,
    poll_s double precision NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    rounds bigint NOT NULL DEFAULT 0,
    failure text
);

CREATE TABLE contacts (
    server text PRIMARY KEY,
    reached_at timestamptz,
    failed_at timestamptz,
    failure text
);

CREATE TABLE robots_out (
    robot text PRIMARY KEY,
    reason text NOT NULL,
    taken_out_by text NOT NULL,
    taken_out_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE retention (
    one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
    keep_days integer CHECK (keep_days > 0),
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE history_runs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    before timestamptz NOT NULL,
    reason text NOT NULL,
    asked_by text NOT NULL,
    asked_at timestamptz NOT NULL DEFAULT now(),
    taken_by text,
    taken_at timestamptz,
    ended_at timestamptz,
    counts json NOT NULL DEFAULT '{}',
    failure text
);
CREATE UNIQUE INDEX history_runs_one_open ON history_runs ((ended_at IS NULL))
    WHERE ended_at IS NULL;

ALTER TABLE people ADD COLUMN password_once boolean NOT NULL DEFAULT false;

-- The few lines that people wrote among the many that processes wrote.
CREATE INDEX events_of_people ON events (at, id)
    WHERE kind NOT IN (
        'entered', 'left', 'cancelled', 'variable', 'thrown', 'caught', 'failed',
        'decided', 'stuck', 'retried', 'job failed', 'goal sent', 'goal ended',
        'robot chosen', 'robot released', 'robot state'
    );
