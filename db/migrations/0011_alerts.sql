-- Alerts: where people are reached, what they want to hear, what was told.

ALTER TABLE people ADD COLUMN mail text;

-- Who wants to be told of incidents. processes is null for all of them; an empty name
-- in it stands for what belongs to no process. Devices are in push_subscriptions.
CREATE TABLE alert_wishes (
    login text PRIMARY KEY REFERENCES people (login) ON DELETE CASCADE,
    by_mail boolean NOT NULL DEFAULT false,
    when_over boolean NOT NULL DEFAULT false,
    processes text[]
);

-- told_at: claimed before it is sent. sent_at: the server took it. over_owed: that the
-- cause is over has still to be told.
ALTER TABLE alerts
    ADD COLUMN sent_at timestamptz,
    ADD COLUMN error text,
    ADD COLUMN over_owed boolean NOT NULL DEFAULT false;
CREATE INDEX alerts_by_channel ON alerts (channel, told_at);

-- The key that push services know this plant by; there is one.
CREATE TABLE push_keys (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    private_key bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX incidents_of_cause ON incidents (cause, resolved_at);
CREATE INDEX incidents_without_cause ON incidents (id) WHERE cause = '';
