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

-- name: waits_open_form
-- Ask a person.
INSERT INTO tasks (
    task_id, instance_id, element, name, lane, form, assignee, groups, inputs
)
VALUES (
    %(task_id)s::uuid, %(instance_id)s::uuid, %(element)s, %(name)s, %(lane)s,
    %(form)s, %(assignee)s, %(groups)s::text[], %(inputs)s::json
);

-- name: waits_open_job
-- Ask a handler.
INSERT INTO jobs (task_id, instance_id, element, topic, inputs, retry_delays_s)
VALUES (
    %(task_id)s::uuid, %(instance_id)s::uuid, %(element)s, %(topic)s,
    %(inputs)s::json, %(retry_delays_s)s::double precision[]
);

-- name: waits_open_timer
-- Wait for a time.
INSERT INTO timers (task_id, instance_id, element, due_at)
VALUES (
    %(task_id)s::uuid, %(instance_id)s::uuid, %(element)s, %(due_at)s::timestamptz
);

-- name: waits_open_subscription
-- Wait for a signal or message.
INSERT INTO subscriptions (task_id, instance_id, element, kind, event, correlation)
VALUES (
    %(task_id)s::uuid, %(instance_id)s::uuid, %(element)s, %(kind)s, %(event)s,
    %(correlation)s
);

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
    assignee = %(assignee)s, groups = %(groups)s::text[], inputs = %(inputs)s::json
WHERE task_id = %(task_id)s::uuid AND instance_id = %(instance_id)s::uuid;

-- name: waits_refresh_job
-- What a job is to do, after a repair; its attempts stay.
UPDATE jobs
SET
    element = %(element)s, topic = %(topic)s, inputs = %(inputs)s::json,
    retry_delays_s = %(retry_delays_s)s::double precision[]
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
