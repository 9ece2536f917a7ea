-- The present shape of the database. The migrations lead here; a test compares both.

-- Deployed process models. A version is never changed; instances point at theirs.
CREATE TABLE definitions (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    xml bytea NOT NULL,
    deployed_at timestamptz NOT NULL DEFAULT now(),
    deployed_by text NOT NULL,
    note text NOT NULL DEFAULT '',
    UNIQUE (key, version)
);

-- Start events of the latest version of each process that something outside triggers.
-- due_at is null when a timer has had its last turn. A message starts one process.
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
    CHECK ((kind = 'timer') = (event IS NULL)),
    CHECK ((kind = 'timer') = (timer IS NOT NULL))
);
CREATE UNIQUE INDEX starts_one_a_trigger ON starts (
    key, element, kind, coalesce(event, ''), coalesce(timer_text, '')
);
CREATE UNIQUE INDEX starts_one_a_message ON starts (event) WHERE kind = 'message';
CREATE INDEX starts_by_event ON starts (kind, event);
CREATE INDEX starts_due ON starts (due_at) WHERE due_at IS NOT NULL;

-- Decision tables, one row a decision and version.
CREATE TABLE decisions (
    key text NOT NULL,
    version integer NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    xml bytea NOT NULL,
    deployed_at timestamptz NOT NULL DEFAULT now(),
    deployed_by text NOT NULL,
    note text NOT NULL DEFAULT '',
    number bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (key, version)
);

-- Forms, one row a form and version. json, not jsonb: the order of fields is kept.
CREATE TABLE forms (
    form text NOT NULL,
    version integer NOT NULL,
    digest text NOT NULL,
    schema json NOT NULL,
    deployed_at timestamptz NOT NULL DEFAULT now(),
    deployed_by text NOT NULL,
    note text NOT NULL DEFAULT '',
    number bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (form, version)
);

-- Element templates in Camunda Modeler's format, offered where a process is drawn.
CREATE TABLE element_templates (
    id text NOT NULL,
    version bigint NOT NULL,
    name text NOT NULL,
    template json NOT NULL,
    deployed_at timestamptz NOT NULL DEFAULT now(),
    deployed_by text NOT NULL,
    PRIMARY KEY (id, version)
);

-- Process instances. state belongs to the engine and is bytes, never jsonb.
CREATE TABLE instances (
    id uuid PRIMARY KEY,
    definition_id bigint NOT NULL REFERENCES definitions,
    key text NOT NULL,
    business_key text,
    parent_id uuid REFERENCES instances,
    parent_task uuid,
    status text NOT NULL DEFAULT 'active'
        CHECK (status IN ('active', 'completed', 'cancelled', 'failed')),
    state bytea,
    variables json NOT NULL DEFAULT '{}',
    revision bigint NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    end_reason text,
    suspended_by text,
    suspended_reason text,
    suspended_at timestamptz,
    restarted_from uuid REFERENCES instances ON DELETE SET NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    CHECK ((parent_id IS NULL) = (parent_task IS NULL)),
    CONSTRAINT instances_suspended
        CHECK ((suspended_by IS NULL) = (suspended_at IS NULL))
);
CREATE INDEX instances_by_business_key ON instances (business_key);
CREATE UNIQUE INDEX instances_by_number ON instances (number);
CREATE INDEX instances_by_key ON instances (key, status);
CREATE UNIQUE INDEX instances_one_child_a_task ON instances (parent_task)
    WHERE status = 'active';
CREATE INDEX instances_by_parent ON instances (parent_id);
CREATE INDEX instances_by_end ON instances (ended_at DESC, id DESC)
    WHERE ended_at IS NOT NULL;
CREATE INDEX instances_active ON instances (key) WHERE ended_at IS NULL;
CREATE INDEX instances_ended ON instances (key, ended_at DESC, id DESC)
    WHERE ended_at IS NOT NULL;
CREATE INDEX instances_ended_otherwise
ON instances (key, status, ended_at DESC, id DESC)
    WHERE ended_at IS NOT NULL AND status <> 'completed';
CREATE INDEX instances_like_business_key ON instances (business_key text_pattern_ops);
CREATE INDEX instances_by_restart ON instances (restarted_from)
    WHERE restarted_from IS NOT NULL;
CREATE UNIQUE INDEX instances_one_restart ON instances (restarted_from)
    WHERE status = 'active';

-- Processes of which no new instance is started.
CREATE TABLE suspended_processes (
    key text PRIMARY KEY,
    suspended_by text NOT NULL,
    suspended_reason text NOT NULL,
    suspended_at timestamptz NOT NULL DEFAULT now()
);

-- Open forms: live tasks only.
CREATE TABLE tasks (
    task_id uuid PRIMARY KEY,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    element text NOT NULL,
    name text NOT NULL,
    lane text,
    form text,
    assignee text,
    groups text[] NOT NULL DEFAULT '{}',
    inputs json NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    number bigint GENERATED ALWAYS AS IDENTITY,
    due_at timestamptz,
    follow_up_at timestamptz,
    priority integer NOT NULL DEFAULT 50,
    owner text,
    delegate text,
    resolved boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX tasks_by_number ON tasks (number);
CREATE INDEX tasks_by_instance ON tasks (instance_id);
CREATE INDEX tasks_by_age ON tasks (created_at);
CREATE INDEX tasks_due ON tasks (due_at) WHERE due_at IS NOT NULL;

-- What people said about a form, also after it is gone.
CREATE TABLE task_comments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id uuid NOT NULL,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    login text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX task_comments_by_task ON task_comments (task_id, id);
CREATE INDEX task_comments_by_instance ON task_comments (instance_id);

-- Answers to forms: the first one counts, a repeated post gets it back.
CREATE TABLE answers (
    task_id uuid PRIMARY KEY,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    element text NOT NULL,
    answers json NOT NULL,
    answered_by text NOT NULL,
    answered_at timestamptz NOT NULL DEFAULT now(),
    key text,
    device_at timestamptz
);
CREATE INDEX answers_by_instance ON answers (instance_id);

-- Work for handlers. ready: to be run at run_at, leased while it runs;
-- handed_on: somebody else completes the task; given_up: an operator must look.
-- retries_left and error_details are what a worker of others told; null: nothing.
CREATE TABLE jobs (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id uuid NOT NULL UNIQUE,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    element text NOT NULL,
    topic text NOT NULL,
    inputs json,
    retry_delays_s double precision[] NOT NULL,
    state text NOT NULL DEFAULT 'ready'
        CHECK (state IN ('ready', 'handed_on', 'given_up')),
    run_at timestamptz NOT NULL DEFAULT now(),
    attempts integer NOT NULL DEFAULT 0,
    resets integer NOT NULL DEFAULT 0,
    leased_by text,
    lease_until timestamptz,
    last_error text,
    created_at timestamptz NOT NULL DEFAULT now(),
    retries_left integer CHECK (retries_left >= 0),
    error_details text,
    priority integer NOT NULL DEFAULT 0
);
CREATE INDEX jobs_due ON jobs (topic, priority DESC, run_at, id) WHERE state = 'ready';
CREATE INDEX jobs_by_instance ON jobs (instance_id);

-- Which topics workers of others ask for over the network, and when they last did.
CREATE TABLE fetched_topics (
    topic text NOT NULL,
    worker text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (topic, worker)
);

-- Due times of live timer events.
CREATE TABLE timers (
    task_id uuid PRIMARY KEY,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    element text NOT NULL,
    due_at timestamptz NOT NULL
);
CREATE INDEX timers_due ON timers (due_at);
CREATE INDEX timers_by_instance ON timers (instance_id);

-- Calls of other processes that live tasks wait for; the child knows its parent.
CREATE TABLE calls (
    task_id uuid PRIMARY KEY,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE
);
CREATE INDEX calls_by_instance ON calls (instance_id);

-- Signals and messages that live events wait for. A receive delivery for the task
-- says that one is on its way.
CREATE TABLE subscriptions (
    task_id uuid PRIMARY KEY,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    element text NOT NULL,
    kind text NOT NULL CHECK (kind IN ('signal', 'message')),
    event text NOT NULL,
    correlation text,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX subscriptions_by_event
ON subscriptions (kind, event, correlation, created_at, task_id);
CREATE INDEX subscriptions_without_key
ON subscriptions (kind, event, created_at, task_id) WHERE correlation IS NULL;
CREATE INDEX subscriptions_by_instance ON subscriptions (instance_id);

-- Numbers for what leaves no row of its own: a deployment, a message, a signal.
CREATE SEQUENCE loose_numbers;

-- Messages that nobody waited for yet, some for a while only. Signals are never kept.
CREATE TABLE messages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    event text NOT NULL,
    correlation text,
    variables json NOT NULL DEFAULT '{}',
    thrown_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz
);
CREATE INDEX messages_by_event ON messages (event, id);
CREATE INDEX messages_by_key ON messages (event, correlation, id);
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

-- Commands to instances that nobody waits for: started children, events, ends.
CREATE TABLE deliveries (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    kind text NOT NULL,
    task_id uuid,
    data json NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    failures integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT '-infinity'
);
CREATE INDEX deliveries_by_instance ON deliveries (instance_id, id);

-- What needs a person's look.
CREATE TABLE incidents (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    message text NOT NULL,
    instance_id uuid REFERENCES instances ON DELETE CASCADE,
    task_id uuid,
    element text,
    opened_at timestamptz NOT NULL DEFAULT now(),
    resolved_at timestamptz,
    resolved_by text,
    cause text NOT NULL DEFAULT '',
    assignee text
);
CREATE UNIQUE INDEX incidents_one_open_a_task ON incidents (task_id)
    WHERE resolved_at IS NULL AND task_id IS NOT NULL;
CREATE INDEX incidents_by_instance ON incidents (instance_id);
CREATE INDEX incidents_open ON incidents (opened_at) WHERE resolved_at IS NULL;
CREATE INDEX incidents_by_cause ON incidents (cause) WHERE resolved_at IS NULL;
CREATE INDEX incidents_of_cause ON incidents (cause, resolved_at);
CREATE INDEX incidents_without_cause ON incidents (id) WHERE cause = '';

-- History, append-only. Readers follow (transaction, id) below the oldest
-- transaction still running, so that nothing committed late is skipped.
CREATE TABLE events (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    transaction xid8 NOT NULL DEFAULT pg_current_xact_id(),
    at timestamptz NOT NULL DEFAULT clock_timestamp(),
    kind text NOT NULL,
    actor text NOT NULL,
    instance_id uuid,
    element text,
    task_id uuid,
    data json NOT NULL DEFAULT '{}'
);
CREATE INDEX events_in_order ON events (transaction, id);
CREATE INDEX events_by_instance ON events (instance_id, transaction, id);
-- The few lines that people wrote among the many that processes wrote.
CREATE INDEX events_of_people ON events (at, id)
    WHERE kind NOT IN (
        'entered', 'left', 'cancelled', 'variable', 'thrown', 'caught', 'failed',
        'decided', 'stuck', 'retried', 'job failed', 'goal sent', 'goal ended',
        'robot chosen', 'robot released', 'robot state'
    );
-- And those found by what they are about: a short value of their data.
CREATE FUNCTION things_of(data json) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN (
    SELECT coalesce(array_to_tsvector(array_agg(lower(value))), ''::tsvector)
    FROM (
        SELECT value
        FROM json_each_text(
            CASE
                WHEN json_typeof(data) != 'object' THEN '{}'
                -- What JSON may say and text cannot hold must not refuse the line.
                WHEN data::text ~* '\\u(0000|d[89a-f])' THEN '{}'
                ELSE data
            END
        )
        WHERE key NOT IN ('reason', 'note') AND length(value) BETWEEN 1 AND 200
        LIMIT 200
    ) AS things
);
CREATE INDEX events_by_thing ON events USING gin (things_of(data))
    WHERE kind NOT IN (
        'entered', 'left', 'cancelled', 'variable', 'thrown', 'caught', 'failed',
        'decided', 'stuck', 'retried', 'job failed', 'goal sent', 'goal ended',
        'robot chosen', 'robot released', 'robot state'
    );

-- Only who says so for the transaction may delete: see old_history.sql.
CREATE FUNCTION events_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' AND current_setting('mpms.deletes_history', true) = 'on' THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'history is append-only';
END
$$;
CREATE TRIGGER events_are_final BEFORE UPDATE OR DELETE ON events
    FOR EACH ROW EXECUTE FUNCTION events_are_final();

-- The log of what people did, kept apart from the history and its retention. A line's
-- hash covers its text and the hash before it; the text is stored as it was hashed.
CREATE TABLE audit_chain (
    number bigint PRIMARY KEY,
    event_id bigint NOT NULL UNIQUE,
    text text NOT NULL,
    hash text NOT NULL
);
CREATE FUNCTION audit_chain_is_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END
$$;
CREATE TRIGGER audit_chain_is_final BEFORE UPDATE OR DELETE ON audit_chain
    FOR EACH ROW EXECUTE FUNCTION audit_chain_is_final();
CREATE TRIGGER audit_chain_stays BEFORE TRUNCATE ON audit_chain
    FOR EACH STATEMENT EXECUTE FUNCTION audit_chain_is_final();

-- Manufacturing orders.
CREATE TABLE orders (
    number text PRIMARY KEY,
    product text NOT NULL DEFAULT '',
    due date,
    priority text NOT NULL DEFAULT 'normal'
        CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
    customer text NOT NULL DEFAULT '',
    status text NOT NULL DEFAULT 'new' CHECK (status IN (
        'waiting for release', 'new', 'in process',
        'done', 'cancelled', 'completed manually')),
    instance_id uuid REFERENCES instances ON DELETE SET NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz,
    ended_at timestamptz
);
CREATE INDEX orders_unattended ON orders (received_at) WHERE status = 'new';
CREATE INDEX orders_by_age ON orders (received_at DESC);
CREATE INDEX orders_by_instance ON orders (instance_id);
CREATE INDEX orders_open_by_age ON orders (received_at DESC, number DESC)
    WHERE status IN ('waiting for release', 'new', 'in process');
CREATE INDEX orders_open_by_due ON orders (due)
    WHERE status IN ('waiting for release', 'new', 'in process');

-- The raw materials of an order; the same material may occur twice.
CREATE TABLE order_lines (
    order_number text NOT NULL REFERENCES orders ON DELETE CASCADE,
    line integer NOT NULL,
    material text NOT NULL,
    name text NOT NULL,
    required_kg numeric NOT NULL CHECK (required_kg > 0),
    lot text,
    measured_kg numeric,
    loaded_lot text,
    loaded_at timestamptz,
    PRIMARY KEY (order_number, line)
);

-- Navigation goals, written before they are sent; one open goal a robot. A goal of the
-- fleet may also be an action where the robot stands; the robot knows it by ``act_key``.
CREATE TABLE goals (
    id text PRIMARY KEY,
    robot text NOT NULL,
    place text NOT NULL,
    x_m double precision NOT NULL,
    y_m double precision NOT NULL,
    yaw_rad double precision NOT NULL,
    state text NOT NULL DEFAULT 'new' CHECK (state IN (
        'new', 'sent', 'reached', 'failed', 'cancelled', 'unknown')),
    task_id uuid,
    instance_id uuid REFERENCES instances ON DELETE SET NULL,
    inferred boolean NOT NULL DEFAULT false,
    reason text,
    created_at timestamptz NOT NULL DEFAULT now(),
    sent_at timestamptz,
    ended_at timestamptz,
    action text NOT NULL DEFAULT 'drive',
    act_key text NOT NULL DEFAULT '',
    package text NOT NULL DEFAULT '',
    fleet_task text NOT NULL DEFAULT '' -- for which the fleet sent it
);
CREATE UNIQUE INDEX goals_one_open_a_robot ON goals (robot)
    WHERE state IN ('new', 'sent');
CREATE INDEX goals_by_instance ON goals (instance_id, created_at);
CREATE INDEX goals_by_fleet_task ON goals (fleet_task, created_at)
    WHERE fleet_task <> '';

-- Which instance holds which robot.
CREATE TABLE robot_holds (
    robot text PRIMARY KEY,
    instance_id uuid NOT NULL UNIQUE REFERENCES instances ON DELETE CASCADE,
    held_at timestamptz NOT NULL DEFAULT now()
);

-- Which worker speaks with which robot, and what that robot last reported.
CREATE TABLE robots (
    robot text PRIMARY KEY,
    owner text,
    lease_until timestamptz,
    ready boolean NOT NULL DEFAULT false,
    why_not text,
    link text NOT NULL DEFAULT 'down',
    x_m double precision,
    y_m double precision,
    battery double precision,
    reported_at timestamptz,
    CHECK ((owner IS NULL) = (lease_until IS NULL))
);

-- What became of each message. It counts if it is the first of its id that its sender
-- is trusted for; a stranger must not be able to block the messages of others.
CREATE TABLE mails (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account text NOT NULL,
    folder text NOT NULL,
    uidvalidity bigint NOT NULL,
    uid bigint NOT NULL,
    sha256 text NOT NULL,
    size_bytes bigint NOT NULL,
    sender text,
    message_id text,
    counts boolean NOT NULL,
    outcome text NOT NULL CHECK (outcome IN ('accepted', 'rejected', 'ignored')),
    reasons json NOT NULL DEFAULT '[]',
    order_number text REFERENCES orders,
    read_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (account, folder, uidvalidity, uid)
);
CREATE UNIQUE INDEX mails_once ON mails (sender, message_id)
    WHERE counts;
CREATE INDEX mails_by_order ON mails (order_number);
CREATE INDEX mails_by_bytes ON mails (sha256);

-- The raw bytes of a message. In pieces, because a statement with 25 MB in it takes
-- several times that memory.
CREATE TABLE mail_pieces (
    mail_id bigint NOT NULL REFERENCES mails ON DELETE CASCADE,
    piece integer NOT NULL,
    raw bytea NOT NULL,
    PRIMARY KEY (mail_id, piece)
);

-- Replies. sending: handed to the mail server, its answer not yet known; unknown: that
-- answer never came. Neither is sent again by itself, because it may have arrived.
CREATE TABLE outbox (
    id text PRIMARY KEY,
    mail_id bigint REFERENCES mails ON DELETE CASCADE, -- null: it answers nobody
    recipient text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    in_reply_to text,
    state text NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'sending', 'sent', 'unknown', 'given_up')),
    sender_process text,
    taken_at timestamptz,
    attempts integer NOT NULL DEFAULT 0,
    not_before timestamptz NOT NULL DEFAULT now(),
    last_error text,
    written_at timestamptz NOT NULL DEFAULT now(),
    sent_at timestamptz
);
CREATE INDEX outbox_due ON outbox (not_before) WHERE state = 'waiting';
CREATE INDEX outbox_taken ON outbox (taken_at) WHERE state = 'sending';
-- One answer to a message, however often it was delivered.
CREATE UNIQUE INDEX outbox_once ON outbox (recipient, in_reply_to)
    WHERE id LIKE 'mail-%';

-- People who sign in. Hashes only; a person without a password cannot sign in by one.
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
    created_at timestamptz NOT NULL DEFAULT now(),
    mail text,
    password_once boolean NOT NULL DEFAULT false -- to be changed after signing in
);

-- What a person has drawn and not deployed yet; null: no version was its beginning.
CREATE TABLE model_drafts (
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    kind text NOT NULL CHECK (kind IN ('process', 'decision', 'form')),
    key text NOT NULL,
    base_version integer,
    content bytea NOT NULL,
    saved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (person_id, kind, key)
);

-- Tablets that a supervisor has enrolled: only there a PIN or a badge is enough.
CREATE TABLE tablets (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    token_hash text NOT NULL UNIQUE,
    name text NOT NULL,
    enrolled_by text NOT NULL,
    enrolled_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);

-- Who is signed in where. The browser has the token, the database its hash.
CREATE TABLE sessions (
    token_hash text PRIMARY KEY,
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    tablet_id bigint REFERENCES tablets ON DELETE CASCADE,
    created_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL,
    -- What its owner sees of it, and may end it by.
    id bigint GENERATED ALWAYS AS IDENTITY,
    means text NOT NULL DEFAULT '',
    address text NOT NULL DEFAULT '',
    browser text NOT NULL DEFAULT ''
);
CREATE INDEX sessions_by_person ON sessions (person_id);
CREATE INDEX sessions_by_expiry ON sessions (expires_at);

-- A second factor beside the password: the secret of an app that shows codes. A code
-- counts once: last_step is the half minute of the last one.
CREATE TABLE code_apps (
    person_id bigint PRIMARY KEY REFERENCES people ON DELETE CASCADE,
    secret text NOT NULL,
    confirmed_at timestamptz,
    last_step bigint NOT NULL DEFAULT 0
);

-- Another one: keys that a device keeps for a site.
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

-- Who was signed in on which tablet, and until when. What a tablet hands in for somebody
-- who is not signed in any more counts only if it was answered during such a sign-in.
CREATE TABLE tablet_sign_ins (
    token_hash text PRIMARY KEY,
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    tablet_id bigint NOT NULL REFERENCES tablets ON DELETE CASCADE,
    signed_in_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz NOT NULL,
    -- What was answered then is signed with it; the tablet gets it once.
    entry_key bytea
);
CREATE INDEX tablet_sign_ins_by_person ON tablet_sign_ins (person_id);
CREATE INDEX tablet_sign_ins_by_end ON tablet_sign_ins (ended_at);

-- Failed attempts, counted to slow down guessing; for all processes together.
CREATE TABLE sign_in_attempts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL,
    at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_attempts_by_key ON sign_in_attempts (key, at);

-- Who has taken which open form.
CREATE TABLE claims (
    task_id uuid PRIMARY KEY REFERENCES tasks ON DELETE CASCADE,
    claimed_by text NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now()
);

-- What has been typed into an open form, field by field.
CREATE TABLE drafts (
    task_id uuid NOT NULL REFERENCES tasks ON DELETE CASCADE,
    field text NOT NULL,
    value json NOT NULL,
    saved_by text NOT NULL,
    saved_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (task_id, field)
);

-- Answers that came from a tablet without network when it was too late for them.
-- Nothing is lost: a supervisor decides.
CREATE TABLE late_answers (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key text NOT NULL UNIQUE,
    task_id uuid NOT NULL,
    instance_id uuid REFERENCES instances ON DELETE CASCADE,
    business_key text,
    task_name text NOT NULL DEFAULT '',
    answers json NOT NULL,
    answered_by text NOT NULL,
    posted_by text,
    device_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL DEFAULT now(),
    reason text NOT NULL,
    decided_by text,
    decision text,
    decided_at timestamptz
);
CREATE INDEX late_answers_open ON late_answers (received_at)
    WHERE decided_at IS NULL;

-- Photos and signatures of answers.
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

-- How far a follower has read the history.
CREATE TABLE readers (
    name text PRIMARY KEY,
    transaction xid8 NOT NULL DEFAULT '0',
    line bigint NOT NULL DEFAULT 0
);

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

-- One action on many instances; a worker does it one by one.
CREATE TABLE batches (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    action text NOT NULL,
    details json NOT NULL DEFAULT '{}',
    reason text NOT NULL,
    ordered_by text NOT NULL,
    ordered_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    stopped_by text,
    items bigint NOT NULL DEFAULT 0,
    done bigint, -- written once it has ended, like failed
    failed bigint
);
CREATE INDEX batches_open ON batches (id) WHERE ended_at IS NULL;
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
CREATE INDEX batch_items_by_state ON batch_items (batch_id, state, place);

CREATE TABLE incident_comments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cause text NOT NULL,
    incident_id bigint REFERENCES incidents ON DELETE CASCADE,
    text text NOT NULL,
    written_by text NOT NULL,
    written_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX incident_comments_by_cause ON incident_comments (cause);

-- Who wants to be told of incidents. processes is null for all of them; an empty name
-- in it stands for what belongs to no process. Devices are in push_subscriptions.
CREATE TABLE alert_wishes (
    login text PRIMARY KEY REFERENCES people (login) ON DELETE CASCADE,
    by_mail boolean NOT NULL DEFAULT false,
    when_over boolean NOT NULL DEFAULT false,
    processes text[]
);

-- Browsers that asked for alerts, and which causes were told to whom: once each.
-- told_at: claimed before it is sent. sent_at: the server took it. over_owed: that the
-- cause is over has still to be told.
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
    ended_at timestamptz,
    sent_at timestamptz,
    error text,
    over_owed boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX alerts_once ON alerts (cause, channel) WHERE ended_at IS NULL;
CREATE INDEX alerts_by_channel ON alerts (channel, told_at);

-- The key that push services know this plant by; there is one.
CREATE TABLE push_keys (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    private_key bytea NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

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
    revoked_at timestamptz,
    -- Whose it is: it ends when they leave. What it is for; empty: all that its role may.
    owner text,
    scopes text[] NOT NULL DEFAULT '{}',
    per_minute integer CHECK (per_minute > 0)
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
    last_error text,
    -- Each reads the history at its own pace.
    transaction xid8 NOT NULL DEFAULT '0',
    line bigint NOT NULL DEFAULT 0,
    failures integer NOT NULL DEFAULT 0, -- in a row
    sent_at timestamptz,
    sent_event bigint
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

-- What other sign-in services call our people; a login there may change hands.
CREATE TABLE identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    person_id bigint NOT NULL REFERENCES people ON DELETE CASCADE,
    bound_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (issuer, subject),
    UNIQUE (issuer, person_id)
);

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

-- Workers that run on this database; each says so every few seconds, and what topics
-- it serves. Topics are null for a worker of an earlier version, which does not say.
CREATE TABLE workers (
    name text PRIMARY KEY,
    version text NOT NULL,
    poll_s double precision NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    seen_at timestamptz NOT NULL DEFAULT now(),
    rounds bigint NOT NULL DEFAULT 0,
    failure text,
    topics text[],
    clock_ahead_s double precision NOT NULL DEFAULT 0 -- of the database's
);

-- When a server outside was last spoken with: imap, smtp.
CREATE TABLE contacts (
    server text PRIMARY KEY,
    reached_at timestamptz,
    failed_at timestamptz,
    failure text
);

-- Robots that get no new work until somebody brings them back.
CREATE TABLE robots_out (
    robot text PRIMARY KEY,
    reason text NOT NULL,
    taken_out_by text NOT NULL,
    taken_out_at timestamptz NOT NULL DEFAULT now()
);

-- How long ended instances are kept; no row or null: for ever.
CREATE TABLE retention (
    one_row boolean PRIMARY KEY DEFAULT true CHECK (one_row),
    keep_days integer CHECK (keep_days > 0),
    changed_by text NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);

-- Deletions of old history, asked for by a person or by the retention; a worker does
-- one at a time and is taken for dead when taken_at grows old.
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
-- Where robots were while they worked for an instance; gone with its history.
CREATE TABLE robot_tracks (
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    robot text NOT NULL,
    at timestamptz NOT NULL,
    x_m real NOT NULL,
    y_m real NOT NULL,
    PRIMARY KEY (instance_id, robot, at)
);

-- How robots spent each hour, as far as a worker saw it. away: no link, or not ready.
CREATE TABLE robot_hours (
    robot text NOT NULL,
    hour timestamptz NOT NULL,
    driving_s double precision NOT NULL,
    waiting_s double precision NOT NULL,
    idle_s double precision NOT NULL,
    away_s double precision NOT NULL,
    PRIMARY KEY (hour, robot)
);

-- How long completed instances took, by the hour of their end. Bucket n holds times
-- from 1.1^n to 1.1^(n+1) seconds: fine enough for a median, few enough to add up.
CREATE TABLE lead_times (
    definition_id bigint NOT NULL REFERENCES definitions,
    hour timestamptz NOT NULL,
    bucket integer NOT NULL,
    instances bigint NOT NULL,
    PRIMARY KEY (definition_id, hour, bucket)
);

-- Orders that came and ended, by the hour.
CREATE TABLE order_hours (
    hour timestamptz PRIMARY KEY,
    received bigint NOT NULL,
    done bigint NOT NULL,
    cancelled bigint NOT NULL
);

-- Lines of the history by kind, and jobs by topic, since the beginning.
CREATE TABLE line_counts (
    kind text PRIMARY KEY,
    lines bigint NOT NULL
);
CREATE TABLE job_counts (
    topic text PRIMARY KEY,
    run bigint NOT NULL,
    failed bigint NOT NULL
);

CREATE INDEX incidents_by_opening ON incidents (opened_at);

-- Materials and recipes as people changed them on the pages. Rows are only added: the
-- one with the highest number is in force, and without any the plant's file is. A number
-- that was rolled back never comes again, so processes may keep what they read under it.
CREATE TABLE catalogue_versions (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    content text NOT NULL,
    did text NOT NULL,
    thing text NOT NULL,
    made_by text NOT NULL,
    reason text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);

-- Pictures of materials. A version of the catalogue names one by its content, so earlier
-- versions keep theirs.
CREATE TABLE pictures (
    name text PRIMARY KEY CHECK (name ~ '^[0-9a-f]{32}\.(jpg|png|webp)$'),
    content bytea NOT NULL,
    added_by text NOT NULL,
    added_at timestamptz NOT NULL DEFAULT now()
);

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

-- What processes ask the fleet for. A request ends once, and its process hears it once.
CREATE TABLE fleet_requests (
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
CREATE INDEX fleet_requests_at_work ON fleet_requests (number)
    WHERE state IN ('new', 'open');
CREATE INDEX fleet_requests_to_tell ON fleet_requests (number)
    WHERE told_at IS NULL AND state IN ('done', 'failed', 'withdrawn');
CREATE INDEX fleet_requests_by_instance ON fleet_requests (instance_id);
CREATE INDEX fleet_requests_by_task ON fleet_requests (fleet_task)
    WHERE fleet_task <> '';

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

-- What a process sees of its robots: a goal of its own, or a request as one.
CREATE VIEW drives AS
SELECT
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred, reason,
    created_at, sent_at, ended_at
FROM goals
WHERE id NOT LIKE 'fleet/%'
UNION ALL
SELECT
    r.id,
    COALESCE(NULLIF(t.robot, ''), r.data ->> 'robot'),
    COALESCE(r.data ->> 'called', driven.place, r.data ->> 'place'),
    COALESCE((r.data ->> 'x_m')::float8, driven.x_m),
    COALESCE((r.data ->> 'y_m')::float8, driven.y_m),
    COALESCE((r.data ->> 'yaw_rad')::float8, driven.yaw_rad),
    CASE
        WHEN r.state = 'done' THEN 'reached'
        WHEN r.state = 'failed' THEN 'failed'
        WHEN r.state = 'withdrawn' THEN 'cancelled'
        WHEN driven.sent_at IS NOT NULL THEN 'sent'
        ELSE 'new'
    END,
    r.task_id, r.instance_id, false, r.why, r.asked_at,
    COALESCE(driven.sent_at, CASE WHEN r.state = 'done' THEN t.started_at END),
    r.ended_at
FROM fleet_requests AS r
LEFT JOIN fleet_tasks AS t ON t.id = r.fleet_task
LEFT JOIN LATERAL (
    SELECT
        min(g.sent_at) AS sent_at,
        (array_agg(g.place ORDER BY g.created_at DESC))[1] AS place,
        (array_agg(g.x_m ORDER BY g.created_at DESC))[1] AS x_m,
        (array_agg(g.y_m ORDER BY g.created_at DESC))[1] AS y_m,
        (array_agg(g.yaw_rad ORDER BY g.created_at DESC))[1] AS yaw_rad
    FROM goals AS g
    WHERE g.fleet_task = r.fleet_task AND g.fleet_task <> '' AND g.action = 'drive'
) AS driven ON true
WHERE COALESCE(r.data ->> 'x_m', driven.x_m::text) IS NOT NULL;

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

-- The batch record of an order: lines that are only added, each with a hash over the
-- one before it. It names orders and people as text and refers to nothing that could go.
CREATE TABLE record_lines (
    record text NOT NULL, -- the number of an order; 'plant' has the heads of all
    line integer NOT NULL CHECK (line > 0),
    content text NOT NULL, -- JSON, byte for byte what was hashed
    hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
    what text GENERATED ALWAYS AS (content::jsonb ->> 'what') STORED,
    material text GENERATED ALWAYS AS (content::jsonb #>> '{data,material}') STORED,
    lot text GENERATED ALWAYS AS (content::jsonb #>> '{data,lot}') STORED,
    PRIMARY KEY (record, line)
);
CREATE INDEX record_lines_loaded ON record_lines (lot) INCLUDE (record, material)
    WHERE what = 'loaded';
CREATE INDEX record_lines_produced ON record_lines (lot) INCLUDE (record, material)
    WHERE what = 'produced';
CREATE INDEX record_lines_of_lots ON record_lines (record, what) INCLUDE (lot, material)
    WHERE what IN ('loaded', 'produced');

-- How far each record is, locked while lines are added. Verifying compares it.
CREATE TABLE record_heads (
    record text PRIMARY KEY,
    lines integer NOT NULL DEFAULT 0,
    hash text NOT NULL DEFAULT repeat('0', 64),
    sealed_lines integer NOT NULL DEFAULT 0,
    ended boolean NOT NULL DEFAULT false,
    opened_at timestamptz NOT NULL DEFAULT now(),
    changed_at timestamptz NOT NULL DEFAULT now(),
    noted_lines integer NOT NULL DEFAULT 0, -- that the plant's record has told of
    CHECK (sealed_lines <= lines)
);
CREATE INDEX record_heads_to_note ON record_heads (record)
    WHERE GREATEST(noted_lines, sealed_lines) < lines;
CREATE INDEX record_heads_to_seal ON record_heads (changed_at)
    WHERE ended AND sealed_lines < lines;

CREATE FUNCTION record_lines_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a batch record is append-only';
END
$$;
CREATE TRIGGER record_lines_are_final BEFORE UPDATE OR DELETE ON record_lines
    FOR EACH ROW EXECUTE FUNCTION record_lines_are_final();
CREATE TRIGGER record_lines_stay BEFORE TRUNCATE ON record_lines
    FOR EACH STATEMENT EXECUTE FUNCTION record_lines_are_final();

-- Lots of raw materials, what was moved of them, and where each order's material is to
-- come from. Weights are whole grams. What lies where is the sum of ``stock_moves``,
-- which are only added; ``stock`` holds that sum and is written by the moves alone.
CREATE TABLE lots (
    lot text PRIMARY KEY CHECK (lot <> ''),
    material text NOT NULL,
    supplier text NOT NULL DEFAULT '',
    supplier_lot text NOT NULL DEFAULT '',
    state text NOT NULL DEFAULT 'quarantine' CHECK (state IN (
        'quarantine', 'released', 'blocked', 'used up')),
    expires_on date,
    received_at timestamptz NOT NULL DEFAULT now(),
    received_by text NOT NULL
);
CREATE INDEX lots_by_material ON lots (material);

-- A place is one of the floor, or ``@robot1`` for what a robot carries.
CREATE TABLE stock_moves (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    lot text NOT NULL REFERENCES lots,
    place text NOT NULL CHECK (place <> ''),
    grams bigint NOT NULL CHECK (grams <> 0),
    kind text NOT NULL CHECK (kind IN (
        'receive', 'pick', 'use', 'return', 'correct', 'transfer')),
    order_number text REFERENCES orders,
    line integer,
    reason text NOT NULL DEFAULT '',
    moved_by text NOT NULL,
    moved_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT stock_moves_why CHECK (order_number IS NOT NULL OR reason <> '')
);
CREATE INDEX stock_moves_by_lot ON stock_moves (lot, id);
CREATE INDEX stock_moves_by_order ON stock_moves (order_number, id)
    WHERE order_number IS NOT NULL;

CREATE TABLE stock (
    lot text NOT NULL REFERENCES lots,
    place text NOT NULL,
    grams bigint NOT NULL,
    PRIMARY KEY (lot, place),
    CONSTRAINT stock_never_negative CHECK (grams >= 0)
);
CREATE INDEX stock_by_place ON stock (place) WHERE grams > 0;

-- A move changes the sum in the same statement; a negative row may not even be proposed,
-- so what is there is changed first.
CREATE FUNCTION stock_follows_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE stock SET grams = grams + NEW.grams
     WHERE lot = NEW.lot AND place = NEW.place;
    IF NOT FOUND THEN
        INSERT INTO stock (lot, place, grams) VALUES (NEW.lot, NEW.place, NEW.grams)
        ON CONFLICT (lot, place) DO UPDATE SET grams = stock.grams + EXCLUDED.grams;
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER stock_follows_moves AFTER INSERT ON stock_moves
    FOR EACH ROW EXECUTE FUNCTION stock_follows_moves();

CREATE FUNCTION stock_moves_are_final() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'stock moves are append-only; a correction is a move of its own';
END
$$;
CREATE TRIGGER stock_moves_are_final BEFORE UPDATE OR DELETE ON stock_moves
    FOR EACH ROW EXECUTE FUNCTION stock_moves_are_final();

-- Where the material of an order is to come from, in the order of the drives, and what
-- became of it. Planned grams of open picks are not promised to another order.
CREATE TABLE order_picks (
    order_number text NOT NULL REFERENCES orders ON DELETE CASCADE,
    pick integer NOT NULL,
    line integer NOT NULL,
    material text NOT NULL,
    lot text REFERENCES lots, -- null: of a material without lots
    place text NOT NULL,
    grams bigint NOT NULL CHECK (grams > 0),
    state text NOT NULL DEFAULT 'planned' CHECK (state IN (
        'planned', 'on robot', 'used', 'returned', 'dropped')),
    robot text,
    loaded_lot text,
    loaded_place text,
    loaded_grams bigint,
    loaded_by text,
    loaded_at timestamptz,
    used_at timestamptz,
    planned_from timestamptz,
    planned_to timestamptz,
    PRIMARY KEY (order_number, pick)
);
CREATE INDEX order_picks_open ON order_picks (lot) WHERE state = 'planned';

-- Versions of the plant's floor that people drew. ``files`` has the text of each file.
CREATE TABLE world_versions (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    world text NOT NULL, -- the name of the directory with the plant's own files
    files json NOT NULL,
    based_on integer NOT NULL, -- 0: the plant's files
    made_by text NOT NULL,
    reason text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    preview json, -- what ten simulated robots did in it
    previewed_at timestamptz
);

-- Which version is used from when on. The last of a world counts; 0: its own files.
CREATE TABLE world_uses (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    world text NOT NULL,
    number integer NOT NULL,
    used_by text NOT NULL,
    reason text NOT NULL,
    used_at timestamptz NOT NULL DEFAULT now()
);

-- Experiments with simulated warehouses: what was asked, how far it is, what came out.
CREATE TABLE experiments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    title text NOT NULL,
    plan jsonb NOT NULL, -- a sweep, as its file says it
    question jsonb, -- what the wizard was told; null: a comparison
    state text NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'running', 'done', 'stopped', 'failed')),
    runs integer NOT NULL,
    dropped text[] NOT NULL DEFAULT '{}', -- cases that surely lose, and were given up
    dropped_runs integer NOT NULL DEFAULT 0,
    failure text NOT NULL DEFAULT '',
    made_by text NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    began_at timestamptz, -- by the worker that has it now
    runs_before integer NOT NULL DEFAULT 0, -- that others had done until then
    ended_at timestamptz,
    stop_asked_by text,
    worker text,
    leased_until timestamptz,
    share real NOT NULL DEFAULT 0, -- of the run that is on
    present jsonb, -- case, seed, floor and frame of that run
    link text UNIQUE -- who knows it may look without an account
);
CREATE INDEX experiments_to_run ON experiments (id)
    WHERE state IN ('waiting', 'running');

-- One row a run. The footprint has every measure; those asked for most are columns.
CREATE TABLE experiment_runs (
    experiment_id bigint NOT NULL REFERENCES experiments ON DELETE CASCADE,
    case_name text NOT NULL,
    seed integer NOT NULL,
    footprint jsonb NOT NULL,
    series jsonb NOT NULL,
    view bytea, -- floor, frames and heat of a case's first run, as compressed JSON
    ended_at timestamptz NOT NULL DEFAULT now(),
    robots integer GENERATED ALWAYS AS ((footprint ->> 'robots')::integer) STORED,
    orders_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'orders_per_h')::float8) STORED,
    items_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'items_per_h')::float8) STORED,
    score float8 GENERATED ALWAYS AS ((footprint ->> 'score')::float8) STORED,
    pile_on float8 GENERATED ALWAYS AS ((footprint ->> 'pile_on')::float8) STORED,
    bundles_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'bundles_per_h')::float8) STORED,
    distance_km_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'distance_km_per_h')::float8) STORED,
    trips_per_h float8 GENERATED ALWAYS AS
        ((footprint ->> 'trips_per_h')::float8) STORED,
    pick_station_idle float8 GENERATED ALWAYS AS
        ((footprint ->> 'pick_station_idle')::float8) STORED,
    order_turnover_s float8 GENERATED ALWAYS AS
        ((footprint ->> 'order_turnover_s')::float8) STORED,
    late_share float8 GENERATED ALWAYS AS
        ((footprint ->> 'late_share')::float8) STORED,
    collisions integer GENERATED ALWAYS AS
        ((footprint ->> 'collisions')::integer) STORED,
    PRIMARY KEY (experiment_id, case_name, seed)
);

-- Tanks that mix by themselves: what each request became, and what was made last.
CREATE TABLE tank_runs (
    key text PRIMARY KEY, -- what the tank's controller was asked with
    tank text NOT NULL,
    order_number text NOT NULL,
    state text NOT NULL CHECK (state IN (
        'waiting', 'asked', 'accepted', 'running', 'finished', 'fault', 'refused',
        'silent'
    )),
    why text NOT NULL DEFAULT '',
    temperature_c float8,
    speed_rpm float8,
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    heard_at timestamptz -- null: never
);
CREATE INDEX tank_runs_of_order ON tank_runs (order_number, asked_at);

CREATE TABLE tank_contents (
    tank text PRIMARY KEY,
    product text NOT NULL,
    order_number text NOT NULL,
    filled_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    cleaned_at timestamptz, -- null: not since
    cleaned_by text
);

-- What links are signed with that people without an account get. Each is made when it is
-- needed first; whoever deletes its row makes all its links invalid.
CREATE TABLE link_secrets (
    name text PRIMARY KEY,
    secret bytea NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now()
);
