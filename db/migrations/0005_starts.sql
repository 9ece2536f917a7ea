-- Start events that messages, signals and timers trigger, and the way to one of a
-- hundred thousand waiting events.

CREATE TABLE starts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    definition_id bigint NOT NULL REFERENCES definitions,
    key text NOT NULL,
    element text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('message', 'signal', 'timer')),
    event text,
    timer text CHECK (timer IN ('date', 'duration', 'cycle')),
    timer_text text,
    due_at timestamptz,
    anchor_at timestamptz,
    turns_left integer,
    failures integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT '-infinity',
    UNIQUE (key, element),
    CHECK ((kind = 'timer') = (event IS NULL)),
    CHECK ((kind = 'timer') = (timer IS NOT NULL))
);
CREATE UNIQUE INDEX starts_one_a_message ON starts (event) WHERE kind = 'message';
CREATE INDEX starts_by_event ON starts (kind, event);
CREATE INDEX starts_due ON starts (due_at) WHERE due_at IS NOT NULL;

DROP INDEX subscriptions_by_event;
CREATE INDEX subscriptions_by_event
ON subscriptions (kind, event, correlation, created_at, task_id);
CREATE INDEX subscriptions_without_key
ON subscriptions (kind, event, created_at, task_id) WHERE correlation IS NULL;

CREATE INDEX messages_by_key ON messages (event, correlation, id);
