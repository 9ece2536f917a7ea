-- name: fleet_introduce
-- Make the one row.
INSERT INTO fleet DEFAULT VALUES ON CONFLICT DO NOTHING;

-- name: fleet_own
-- Take the fleet if nobody has it, or keep it; locked until the transaction ends.
UPDATE fleet AS f
SET owner = %(worker)s,
    lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
FROM (
    SELECT one_row
    FROM fleet
    WHERE owner IS NULL OR owner = %(worker)s OR lease_until < clock_timestamp()
    FOR NO KEY UPDATE SKIP LOCKED
) AS free
WHERE f.one_row = free.one_row
RETURNING f.one_row;

-- name: fleet_release
-- A worker that stops in good order lets go.
UPDATE fleet SET owner = NULL, lease_until = NULL WHERE owner = %(worker)s;

-- name: fleet_state
-- What the fleet knew last, and who decides for it.
SELECT
    state, world, owner, saved_at,
    COALESCE(lease_until >= clock_timestamp(), false)
FROM fleet;

-- name: fleet_save
-- The state after a round.
UPDATE fleet
SET state = %(state)s::json, world = %(world)s, saved_at = clock_timestamp();

-- name: fleet_say
-- Somebody tells the fleet something.
INSERT INTO fleet_events (kind, data, said_by)
VALUES (%(kind)s, %(data)s::json, %(said_by)s)
RETURNING id;

-- name: fleet_to_take
-- What the fleet has not heard yet, in order.
SELECT id, kind, data, said_by FROM fleet_events
WHERE taken_at IS NULL
ORDER BY id
LIMIT %(limit)s;

-- name: fleet_taken
-- Heard once; ``refused`` says why nothing came of it.
UPDATE fleet_events
SET taken_at = clock_timestamp(), refused = %(refused)s
WHERE id = %(id)s;

-- name: fleet_requests_add
-- A process asks for something; a repeated step asks for the same.
INSERT INTO fleet_requests (id, kind, data, task_id, instance_id)
VALUES (
    %(id)s, %(kind)s, %(data)s::json, %(task_id)s::uuid, %(instance_id)s::uuid
)
ON CONFLICT DO NOTHING;

-- name: fleet_requests_at_work
-- What is asked for and not ended, in order. ``gone``: no process waits for it any more.
SELECT
    r.id, r.kind, r.data, r.state, r.fleet_task, r.why, r.task_id, r.instance_id,
    r.task_id IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM jobs AS j WHERE j.task_id = r.task_id)
FROM fleet_requests AS r
WHERE r.state IN ('new', 'open')
ORDER BY r.number;

-- name: fleet_requests_begin
-- The fleet has it. ``fleet_task`` empty: it waits for stock.
UPDATE fleet_requests SET state = 'open', fleet_task = %(fleet_task)s
WHERE id = %(id)s AND state IN ('new', 'open');

-- name: fleet_requests_note
-- Why it is not gone on with now; nothing, when it is.
UPDATE fleet_requests SET why = %(why)s WHERE id = %(id)s AND state = 'open';

-- name: fleet_requests_end
-- It ended.
UPDATE fleet_requests
SET state = %(state)s, code = %(code)s, why = %(why)s, result = %(result)s::json,
    ended_at = clock_timestamp()
WHERE id = %(id)s AND state IN ('new', 'open');

-- name: fleet_requests_to_tell
-- Ended requests of which no process has heard.
SELECT id, kind, data, state, code, why, result, task_id, instance_id
FROM fleet_requests
WHERE told_at IS NULL AND state IN ('done', 'failed', 'withdrawn')
ORDER BY number
LIMIT %(limit)s;

-- name: fleet_requests_tell
-- Once.
UPDATE fleet_requests SET told_at = clock_timestamp()
WHERE id = %(id)s AND told_at IS NULL;

-- name: fleet_task_put
-- A task as it is now.
INSERT INTO fleet_tasks (
    id, kind, state, robot, legs, leg, package, package_type, priority, why,
    started_at, ended_at
)
VALUES (
    %(id)s, %(kind)s, %(state)s, %(robot)s, %(legs)s::json, %(leg)s, %(package)s,
    %(package_type)s, %(priority)s, %(why)s,
    CASE WHEN %(state)s = 'running' THEN clock_timestamp() END,
    CASE WHEN %(ended)s THEN clock_timestamp() END
)
ON CONFLICT (id) DO UPDATE
SET state = EXCLUDED.state,
    robot = EXCLUDED.robot,
    legs = EXCLUDED.legs,
    leg = EXCLUDED.leg,
    package = EXCLUDED.package,
    priority = EXCLUDED.priority,
    why = EXCLUDED.why,
    started_at = COALESCE(fleet_tasks.started_at, EXCLUDED.started_at),
    ended_at = COALESCE(fleet_tasks.ended_at, EXCLUDED.ended_at);

-- name: fleet_decision_add
-- Who got a task, and why.
INSERT INTO fleet_decisions (task, robot, strategy, reason, bids, refusals)
VALUES (
    %(task)s, %(robot)s, %(strategy)s, %(reason)s, %(bids)s::json, %(refusals)s::json
);

-- name: fleet_minute_add
-- What a robot did, added to the minute.
INSERT INTO fleet_minutes AS m (
    robot, minute, percent, driving_s, empty_s, waiting_s, acting_s, charging_s, idle_s
)
VALUES (
    %(robot)s, date_trunc('minute', %(at)s::timestamptz), %(percent)s, %(driving_s)s,
    %(empty_s)s, %(waiting_s)s, %(acting_s)s, %(charging_s)s, %(idle_s)s
)
ON CONFLICT (robot, minute) DO UPDATE
SET percent = EXCLUDED.percent,
    driving_s = m.driving_s + EXCLUDED.driving_s,
    empty_s = m.empty_s + EXCLUDED.empty_s,
    waiting_s = m.waiting_s + EXCLUDED.waiting_s,
    acting_s = m.acting_s + EXCLUDED.acting_s,
    charging_s = m.charging_s + EXCLUDED.charging_s,
    idle_s = m.idle_s + EXCLUDED.idle_s;

-- name: fleet_wait_add
-- A robot waited here.
INSERT INTO fleet_waits AS w (x_m, y_m, hour, waited_s)
VALUES (
    %(x_m)s, %(y_m)s, date_trunc('hour', %(at)s::timestamptz), %(waited_s)s
)
ON CONFLICT (hour, x_m, y_m) DO UPDATE
SET waited_s = w.waited_s + EXCLUDED.waited_s;

-- name: fleet_forget
-- Drives of the fleet and what was told to it are not kept for ever.
WITH goals_gone AS (
    DELETE FROM goals
    WHERE id LIKE 'fleet/%%' AND ended_at < now() - interval '7 days'
),
events_gone AS (
    DELETE FROM fleet_events WHERE taken_at < now() - interval '90 days'
),
tasks_gone AS (
    DELETE FROM fleet_tasks WHERE ended_at < now() - interval '90 days'
),
decisions_gone AS (
    DELETE FROM fleet_decisions WHERE decided_at < now() - interval '90 days'
),
requests_gone AS ( -- those of instances go with these
    DELETE FROM fleet_requests
    WHERE instance_id IS NULL AND ended_at < now() - interval '90 days'
),
minutes_gone AS (
    DELETE FROM fleet_minutes WHERE minute < now() - interval '90 days'
)
DELETE FROM fleet_waits WHERE hour < now() - interval '90 days';

-- name: fleet_goals
-- These goals, ended or not.
SELECT
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred,
    reason, created_at, sent_at, ended_at, action, act_key, package
FROM goals
WHERE id = ANY(%(ids)s::text[]);

-- name: fleet_goal_call_off
-- The robot shall not go on with a goal of the fleet.
UPDATE goals SET reason = 'the fleet has other plans'
WHERE id = %(id)s AND state IN ('new', 'sent') AND reason IS NULL;

-- name: fleet_robots_at_work
-- Robots that have a task of somebody.
SELECT DISTINCT robot FROM fleet_tasks
WHERE ended_at IS NULL AND robot <> '' AND kind NOT IN ('charge', 'park');

-- name: fleet_unfit
-- Robots that the fleet gives no work now, and why.
SELECT v.key, CASE
    WHEN v.value ->> 'failed' <> '' THEN v.value ->> 'failed'
    WHEN v.value ->> 'paused' = 'true' THEN 'is paused'
    ELSE 'is only ' || (v.value ->> 'level')
END
FROM fleet AS f
CROSS JOIN LATERAL json_each(f.state #> '{fleet,vehicles}') AS v
WHERE
    v.value ->> 'failed' <> ''
    OR v.value ->> 'paused' = 'true'
    OR v.value ->> 'level' <> 'used';

-- name: fleet_begin_anew
-- What an earlier state had begun is not gone on with.
WITH goals_off AS (
    UPDATE goals SET reason = %(why)s
    WHERE id LIKE 'fleet/%%' AND state IN ('new', 'sent')
)
UPDATE fleet_tasks
SET state = 'withdrawn', why = %(why)s, ended_at = clock_timestamp()
WHERE ended_at IS NULL;

-- name: fleet_tasks_listing
-- What is open, oldest first, then what ended last.
WITH open AS (
    SELECT number FROM fleet_tasks WHERE ended_at IS NULL
    ORDER BY number
    LIMIT 200
),
ended AS (
    SELECT number FROM fleet_tasks WHERE ended_at IS NOT NULL
    ORDER BY ended_at DESC, number DESC
    LIMIT %(ended)s
)
SELECT
    id, kind, state, robot, legs, leg, package, package_type, priority, why,
    submitted_at, started_at, ended_at
FROM fleet_tasks
WHERE number IN (SELECT number FROM open UNION ALL SELECT number FROM ended)
ORDER BY ended_at DESC NULLS FIRST, number;

-- name: fleet_task_one
-- One task.
SELECT
    id, kind, state, robot, legs, leg, package, package_type, priority, why,
    submitted_at, started_at, ended_at
FROM fleet_tasks
WHERE id = %(id)s;

-- name: fleet_decisions_of
-- Who got a task, each time, and why.
SELECT task, robot, strategy, reason, bids, refusals, decided_at
FROM fleet_decisions
WHERE task = %(task)s
ORDER BY id;

-- name: fleet_minutes_since
-- What robots did, minute by minute.
SELECT
    robot, minute, percent, driving_s, empty_s, waiting_s, acting_s, charging_s, idle_s
FROM fleet_minutes
WHERE minute >= %(since)s
ORDER BY robot, minute;

-- name: fleet_waits_since
-- Where robots waited.
SELECT x_m, y_m, sum(waited_s)
FROM fleet_waits
WHERE hour >= %(since)s
GROUP BY x_m, y_m;

-- name: fleet_ended_since
-- Tasks of somebody that ended, by how.
SELECT state, count(*)
FROM fleet_tasks
WHERE ended_at >= %(since)s AND kind NOT IN ('charge', 'park')
GROUP BY state;
