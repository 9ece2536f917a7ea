-- The cockpit: what tokens do by the hour, search by value, work on many instances,
-- incidents by cause, alerts, clients of the API.

-- How far a follower has read the history.
CREATE TABLE readers (
    name text PRIMARY KEY,
    transaction xid8 NOT NULL DEFAULT '0',
    line bigint NOT NULL DEFAULT 0
);
INSERT INTO readers (name) VALUES ('tallies');

-- Where tokens stand now and since when; followed from the history.
CREATE TABLE visits (
    task_id uuid PRIMARY KEY,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    definition_id bigint NOT NULL REFERENCES definitions,
    element text NOT NULL,
    entered_at timestamptz NOT NULL,
    taken_at timestamptz
);
CREATE INDEX visits_by_element ON visits (definition_id, element);
CREATE INDEX visits_by_instance ON visits (instance_id);

-- What tokens did at each element, by the hour in which they left it.
CREATE TABLE element_hours (
    definition_id bigint NOT NULL REFERENCES definitions,
    hour timestamptz NOT NULL,
    element text NOT NULL,
    visits bigint NOT NULL,
    cancelled bigint NOT NULL,
    seconds double precision NOT NULL,
    waited_s double precision NOT NULL,
    longest_s double precision NOT NULL,
    PRIMARY KEY (definition_id, hour, element)
);

-- How many instances began and ended, by the hour.
CREATE TABLE process_hours (
    definition_id bigint NOT NULL REFERENCES definitions,
    hour timestamptz NOT NULL,
    started bigint NOT NULL,
    completed bigint NOT NULL,
    cancelled bigint NOT NULL,
    failed bigint NOT NULL,
    seconds double precision NOT NULL,
    PRIMARY KEY (definition_id, hour)
);

-- Variables that can be searched: plain values of the instance, as text.
CREATE TABLE found_values (
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    name text NOT NULL,
    value text NOT NULL,
    ended_at timestamptz,
    PRIMARY KEY (instance_id, name)
);
CREATE INDEX found_values_ended
ON found_values (name, value, ended_at DESC, instance_id DESC)
    WHERE ended_at IS NOT NULL;
CREATE INDEX found_values_active ON found_values (name, value) WHERE ended_at IS NULL;

CREATE INDEX instances_active ON instances (key) WHERE ended_at IS NULL;
CREATE INDEX instances_ended ON instances (key, ended_at DESC, id DESC)
    WHERE ended_at IS NOT NULL;
DROP INDEX instances_by_end;
CREATE INDEX instances_by_end ON instances (ended_at DESC, id DESC)
    WHERE ended_at IS NOT NULL;
CREATE INDEX instances_like_business_key ON instances (business_key text_pattern_ops);
CREATE INDEX incidents_open ON incidents (opened_at) WHERE resolved_at IS NULL;
CREATE INDEX orders_open_by_due ON orders (due)
    WHERE status IN ('waiting for release', 'new', 'in process');

-- One action on many instances; a worker does it one by one.
CREATE TABLE batches (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    action text NOT NULL,
    details json NOT NULL DEFAULT '{}',
    reason text NOT NULL,
    ordered_by text NOT NULL,
    ordered_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    stopped_by text
);
CREATE TABLE batch_items (
    batch_id bigint NOT NULL REFERENCES batches ON DELETE CASCADE,
    place bigint NOT NULL,
    instance_id uuid,
    incident_id bigint,
    state text NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'done', 'failed')),
    message text,
    done_at timestamptz,
    PRIMARY KEY (batch_id, place)
);
CREATE INDEX batch_items_waiting ON batch_items (batch_id, place)
    WHERE state = 'waiting';

-- Incidents have a cause, the same for those that look alike; people take and discuss it.
ALTER TABLE incidents
    ADD COLUMN cause text NOT NULL DEFAULT '',
    ADD COLUMN assignee text;
CREATE INDEX incidents_by_cause ON incidents (cause) WHERE resolved_at IS NULL;
CREATE TABLE incident_comments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cause text NOT NULL,
    incident_id bigint REFERENCES incidents ON DELETE CASCADE,
    text text NOT NULL,
    written_by text NOT NULL,
    written_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX incident_comments_by_cause ON incident_comments (cause);

-- Browsers that asked for alerts, and which causes were told to whom: once each.
CREATE TABLE push_subscriptions (
    endpoint text PRIMARY KEY,
    login text NOT NULL,
    keys json NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE alerts (
    cause text NOT NULL,
    channel text NOT NULL,
    told_at timestamptz NOT NULL DEFAULT now(),
    incidents bigint NOT NULL DEFAULT 1,
    ended_at timestamptz
);
CREATE UNIQUE INDEX alerts_once ON alerts (cause, channel) WHERE ended_at IS NULL;

-- Programs that use the API. Hashes only.
CREATE TABLE api_tokens (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    token_hash text NOT NULL UNIQUE,
    role text NOT NULL CHECK (role IN ('admin', 'supervisor', 'worker', 'viewer')),
    groups text[] NOT NULL DEFAULT '{}',
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    used_at timestamptz,
    revoked_at timestamptz
);

-- A repeated request with the same key gets the first answer.
CREATE TABLE api_answers (
    token_id bigint NOT NULL REFERENCES api_tokens ON DELETE CASCADE,
    key text NOT NULL,
    request_hash text NOT NULL,
    status integer,
    body bytea,
    asked_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (token_id, key)
);

-- Who is told of events, and what is still to be told.
CREATE TABLE webhooks (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    url text NOT NULL,
    secret text NOT NULL,
    kinds text[] NOT NULL,
    created_by text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    paused_at timestamptz,
    last_error text
);
CREATE TABLE webhook_posts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id bigint NOT NULL REFERENCES webhooks ON DELETE CASCADE,
    event_id bigint NOT NULL,
    body json NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    taken_at timestamptz,
    last_error text,
    UNIQUE (webhook_id, event_id)
);
CREATE INDEX webhook_posts_due ON webhook_posts (not_before);
