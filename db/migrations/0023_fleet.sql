-- The fleet also lets robots act where they stand: load and unload, by a call that the
-- robot knows again by its key.
ALTER TABLE goals ADD COLUMN action text NOT NULL DEFAULT 'drive';
ALTER TABLE goals ADD COLUMN act_key text NOT NULL DEFAULT '';
ALTER TABLE goals ADD COLUMN package text NOT NULL DEFAULT '';

-- The fleet: one worker decides for all robots. ``state`` is what it knew last, written
-- with everything that follows from it.
CREATE TABLE fleet (
    one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
    owner text,
    lease_until timestamptz,
    world text NOT NULL DEFAULT '', -- a digest of the files that the state belongs to
    state json,
    saved_at timestamptz,
    CHECK ((owner IS NULL) = (lease_until IS NULL))
);

-- What processes ask the fleet for. An errand ends once, and its process hears it once.
CREATE TABLE errands (
    number bigint GENERATED ALWAYS AS IDENTITY,
    id text PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN (
        'move', 'transport', 'store', 'retrieve', 'fetch_shelf', 'return_shelf')),
    data json NOT NULL DEFAULT '{}',
    state text NOT NULL DEFAULT 'new' CHECK (state IN (
        'new', 'open', 'done', 'failed', 'withdrawn')),
    fleet_task text NOT NULL DEFAULT '',
    code text, -- of the failure, for the model
    why text,
    result json NOT NULL DEFAULT '{}',
    task_id uuid,
    instance_id uuid REFERENCES instances ON DELETE SET NULL,
    asked_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    told_at timestamptz
);
CREATE INDEX errands_at_work ON errands (number) WHERE state IN ('new', 'open');
CREATE INDEX errands_to_tell ON errands (number)
    WHERE told_at IS NULL AND state IN ('done', 'failed', 'withdrawn');
CREATE INDEX errands_by_instance ON errands (instance_id);

-- What people, detectors and other programs tell the fleet, taken in this order, once.
CREATE TABLE fleet_events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    data json NOT NULL DEFAULT '{}',
    said_by text NOT NULL,
    said_at timestamptz NOT NULL DEFAULT now(),
    taken_at timestamptz,
    refused text
);
CREATE INDEX fleet_events_to_take ON fleet_events (id) WHERE taken_at IS NULL;

-- Every task of the fleet, its own for charging and parking among them.
CREATE TABLE fleet_tasks (
    number bigint GENERATED ALWAYS AS IDENTITY,
    id text PRIMARY KEY,
    kind text NOT NULL,
    state text NOT NULL,
    robot text NOT NULL DEFAULT '',
    legs json NOT NULL,
    leg integer NOT NULL DEFAULT 0,
    package text NOT NULL DEFAULT '',
    package_type text NOT NULL DEFAULT '',
    priority integer NOT NULL DEFAULT 0,
    why text NOT NULL DEFAULT '',
    submitted_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz
);
CREATE INDEX fleet_tasks_open ON fleet_tasks (number) WHERE ended_at IS NULL;
CREATE INDEX fleet_tasks_by_end ON fleet_tasks (ended_at DESC, number DESC)
    WHERE ended_at IS NOT NULL;

-- Who got a task, what each robot offered and why others were passed over.
CREATE TABLE fleet_decisions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task text NOT NULL,
    robot text NOT NULL,
    strategy text NOT NULL,
    reason text NOT NULL,
    bids json NOT NULL,
    refusals json NOT NULL,
    decided_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX fleet_decisions_by_task ON fleet_decisions (task, id);

-- What each robot did in a minute, and its battery then: for curves and utilisation.
CREATE TABLE fleet_minutes (
    robot text NOT NULL,
    minute timestamptz NOT NULL,
    percent real,
    driving_s real NOT NULL DEFAULT 0,
    empty_s real NOT NULL DEFAULT 0, -- of driving, without a load
    waiting_s real NOT NULL DEFAULT 0,
    acting_s real NOT NULL DEFAULT 0,
    charging_s real NOT NULL DEFAULT 0,
    idle_s real NOT NULL DEFAULT 0,
    PRIMARY KEY (robot, minute)
);
CREATE INDEX fleet_minutes_by_minute ON fleet_minutes (minute);

-- Where robots had to wait, in squares of a metre.
CREATE TABLE fleet_waits (
    x_m integer NOT NULL,
    y_m integer NOT NULL,
    hour timestamptz NOT NULL,
    waited_s real NOT NULL,
    PRIMARY KEY (hour, x_m, y_m)
);
