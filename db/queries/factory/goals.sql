-- name: goals_insert
-- Add a goal unless its id is there or its robot has an open one.
INSERT INTO goals (
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred,
    reason, created_at, sent_at, ended_at, action, act_key, package, fleet_task
)
VALUES (
    %(id)s, %(robot)s, %(place)s, %(x_m)s, %(y_m)s, %(yaw_rad)s, %(state)s,
    %(task_id)s::uuid, %(instance_id)s::uuid, %(inferred)s, %(reason)s,
    COALESCE(%(created_at)s::timestamptz, clock_timestamp()),
    %(sent_at)s::timestamptz, %(ended_at)s::timestamptz,
    %(action)s, %(act_key)s, %(package)s, %(fleet_task)s
)
ON CONFLICT DO NOTHING;

-- name: goals_get
-- One goal.
SELECT
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred,
    reason, created_at, sent_at, ended_at, action, act_key, package
FROM goals
WHERE id = %(id)s;

-- name: goals_decide_alone
-- Nobody else writes a goal until this transaction ends.
SELECT pg_advisory_xact_lock(hashtextextended('goals', 0));

-- name: goals_to_send
-- Lock the goals that no robot has got yet.
SELECT
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred,
    reason, created_at, sent_at, ended_at, action, act_key, package
FROM goals
WHERE state = 'new' AND robot = ANY(%(robots)s::text[])
ORDER BY created_at, id
LIMIT %(limit)s
FOR NO KEY UPDATE SKIP LOCKED;

-- name: goals_mark_sent
-- The robot has got the goal.
UPDATE goals
SET state = 'sent', sent_at = clock_timestamp()
WHERE id = %(id)s AND state = 'new';

-- name: goals_call_off
-- A drive that no task waits for is not needed any more.
UPDATE goals
SET reason = 'not needed any more'
WHERE id = %(id)s AND state IN ('new', 'sent') AND task_id IS NULL;

-- name: goals_open
-- Goals that have not ended.
SELECT
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred,
    reason, created_at, sent_at, ended_at, action, act_key, package, fleet_task
FROM goals
WHERE state IN ('new', 'sent')
ORDER BY created_at, id;

-- name: goals_settle
-- Close an open goal.
UPDATE goals
SET
    state = %(state)s,
    reason = %(reason)s,
    inferred = %(inferred)s,
    ended_at = clock_timestamp()
WHERE id = %(id)s AND state IN ('new', 'sent')
RETURNING
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred,
    reason, created_at, sent_at, ended_at;

-- name: goals_of_instance
-- The drives of an instance, oldest first.
SELECT
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred,
    reason, created_at, sent_at, ended_at
FROM drives
WHERE instance_id = %(instance_id)s::uuid
ORDER BY created_at, id;

-- name: goals_orphans
-- Open goals whose task is gone: the process was cancelled or took another way. One
-- without a task has a reason when it was called off.
SELECT
    g.id, g.robot, g.place, g.x_m, g.y_m, g.yaw_rad, g.state, g.task_id,
    g.instance_id, g.inferred, g.reason, g.created_at, g.sent_at, g.ended_at,
    g.action, g.act_key, g.package
FROM goals AS g
WHERE g.state IN ('new', 'sent')
    AND g.robot = ANY(%(robots)s::text[])
    AND CASE
        WHEN g.task_id IS NULL THEN g.reason IS NOT NULL
        ELSE NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.task_id = g.task_id)
    END
ORDER BY g.created_at, g.id;

-- name: goals_of_instances
-- The drives of some instances, oldest first.
SELECT
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred,
    reason, created_at, sent_at, ended_at
FROM drives
WHERE instance_id = ANY(%(instance_ids)s::uuid[])
ORDER BY created_at, id;

-- name: goals_delete_ended
-- Their drives; one that a robot still drives stays.
WITH requests_gone AS (
    DELETE FROM fleet_requests
    WHERE instance_id = ANY (%(ids)s::uuid[]) AND state NOT IN ('new', 'open')
)
DELETE FROM goals
WHERE instance_id = ANY (%(ids)s::uuid[]) AND state NOT IN ('new', 'sent');

-- name: goals_count_ended
-- Drives of these instances; one that a robot still drives stays.
SELECT 'goals', 'Drives', count(*)
FROM drives
WHERE instance_id = ANY (%(ids)s::uuid[]) AND state NOT IN ('new', 'sent');
