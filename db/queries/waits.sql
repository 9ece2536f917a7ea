-- name: waits_known
-- Tasks of an instance that have a live row of any kind.
SELECT task_id FROM tasks WHERE instance_id = %(instance_id)s::uuid
UNION ALL
SELECT task_id FROM jobs WHERE instance_id = %(instance_id)s::uuid
UNION ALL
SELECT task_id FROM timers WHERE instance_id = %(instance_id)s::uuid
UNION ALL
SELECT task_id FROM subscriptions WHERE instance_id = %(instance_id)s::uuid
UNION ALL
SELECT task_id FROM calls WHERE instance_id = %(instance_id)s::uuid;

-- name: waits_close
-- Delete the live rows of tasks that no longer wait.
WITH closed_tasks AS (
    DELETE FROM tasks
    WHERE instance_id = %(instance_id)s::uuid AND task_id = ANY (%(ids)s::uuid[])
), closed_jobs AS (
    DELETE FROM jobs
    WHERE instance_id = %(instance_id)s::uuid AND task_id = ANY (%(ids)s::uuid[])
), closed_timers AS (
    DELETE FROM timers
    WHERE instance_id = %(instance_id)s::uuid AND task_id = ANY (%(ids)s::uuid[])
), closed_subscriptions AS (
    DELETE FROM subscriptions
    WHERE instance_id = %(instance_id)s::uuid AND task_id = ANY (%(ids)s::uuid[])
)
DELETE FROM calls
WHERE instance_id = %(instance_id)s::uuid AND task_id = ANY (%(ids)s::uuid[]);

-- name: waits_close_forms, prepared
-- Forms that no longer wait. The instances are locked, here and below.
DELETE FROM tasks WHERE task_id = ANY (%(task_id)s::uuid[]);

-- name: waits_close_jobs, prepared
-- Jobs that no longer wait.
DELETE FROM jobs WHERE task_id = ANY (%(task_id)s::uuid[]);

-- name: waits_close_timers, prepared
-- Timers that no longer wait.
DELETE FROM timers WHERE task_id = ANY (%(task_id)s::uuid[]);

-- name: waits_close_subscriptions, prepared
-- Events that nobody waits for any more.
DELETE FROM subscriptions WHERE task_id = ANY (%(task_id)s::uuid[]);

-- name: waits_close_calls, prepared
-- Calls that are over.
DELETE FROM calls WHERE task_id = ANY (%(task_id)s::uuid[]);

-- name: waits_open_forms, prepared
-- Ask people.
INSERT INTO tasks (
    task_id, instance_id, element, name, lane, form, assignee, groups, inputs, due_at,
    follow_up_at, priority
)
SELECT
    wait.task_id, wait.instance_id, wait.element, wait.name, wait.lane, wait.form,
    wait.assignee, ARRAY(SELECT json_array_elements_text(wait.groups::json)),
    wait.inputs::json, wait.due_at, wait.follow_up_at, wait.priority
FROM unnest(
    %(task_id)s::uuid[], %(instance_id)s::uuid[], %(element)s::text[],
    %(name)s::text[], %(lane)s::text[], %(form)s::text[], %(assignee)s::text[],
    %(groups)s::text[], %(inputs)s::text[], %(due_at)s::timestamptz[],
    %(follow_up_at)s::timestamptz[], %(priority)s::integer[]
) AS wait (
    task_id, instance_id, element, name, lane, form, assignee, groups, inputs, due_at,
    follow_up_at, priority
);

-- name: waits_open_jobs, prepared
-- Ask handlers; in order, since their numbers are the order in which they are done.
INSERT INTO jobs (
    task_id, instance_id, element, topic, inputs, retry_delays_s, priority
)
SELECT
    wait.task_id, wait.instance_id, wait.element, wait.topic, wait.inputs::json,
    ARRAY(SELECT json_array_elements_text(wait.delays::json)::double precision),
    wait.priority
FROM unnest(
    %(task_id)s::uuid[], %(instance_id)s::uuid[], %(element)s::text[],
    %(topic)s::text[], %(inputs)s::text[], %(retry_delays_s)s::text[],
    %(priority)s::integer[]
) WITH ORDINALITY AS wait (
    task_id, instance_id, element, topic, inputs, delays, priority, place
)
ORDER BY wait.place;

-- name: waits_open_timers, prepared
-- Wait for times.
INSERT INTO timers (task_id, instance_id, element, due_at)
SELECT wait.task_id, wait.instance_id, wait.element, wait.due_at
FROM unnest(
    %(task_id)s::uuid[], %(instance_id)s::uuid[], %(element)s::text[],
    %(due_at)s::timestamptz[]
) AS wait (task_id, instance_id, element, due_at);

-- name: waits_open_subscriptions, prepared
-- Wait for signals and messages.
INSERT INTO subscriptions (task_id, instance_id, element, kind, event, correlation)
SELECT
    wait.task_id, wait.instance_id, wait.element, wait.kind, wait.event,
    wait.correlation
FROM unnest(
    %(task_id)s::uuid[], %(instance_id)s::uuid[], %(element)s::text[],
    %(kind)s::text[], %(event)s::text[], %(correlation)s::text[]
) AS wait (task_id, instance_id, element, kind, event, correlation);

-- name: waits_move_timer
-- Give a timer another due time.
UPDATE timers
SET due_at = %(due_at)s::timestamptz
WHERE task_id = %(task_id)s::uuid;

-- name: waits_refresh_form
-- What an open form tells, after a repair; claims and drafts stay with it.
UPDATE tasks
SET
    element = %(element)s, name = %(name)s, lane = %(lane)s, form = %(form)s,
    assignee = %(assignee)s, groups = %(groups)s::text[], inputs = %(inputs)s::json,
    due_at = %(due_at)s::timestamptz, follow_up_at = %(follow_up_at)s::timestamptz,
    priority = %(priority)s
WHERE task_id = %(task_id)s::uuid AND instance_id = %(instance_id)s::uuid;

-- name: waits_refresh_job
-- What a job is to do, after a repair; its attempts stay.
UPDATE jobs
SET
    element = %(element)s, topic = %(topic)s, inputs = %(inputs)s::json,
    retry_delays_s = %(retry_delays_s)s::double precision[], priority = %(priority)s
WHERE task_id = %(task_id)s::uuid AND instance_id = %(instance_id)s::uuid;

-- name: waits_refresh_timer
-- The element of a timer, after a repair.
UPDATE timers
SET element = %(element)s
WHERE task_id = %(task_id)s::uuid AND instance_id = %(instance_id)s::uuid;

-- name: waits_refresh_subscription
-- What an event waits for, after a repair.
UPDATE subscriptions
SET
    element = %(element)s, kind = %(kind)s, event = %(event)s,
    correlation = %(correlation)s
WHERE task_id = %(task_id)s::uuid AND instance_id = %(instance_id)s::uuid;
