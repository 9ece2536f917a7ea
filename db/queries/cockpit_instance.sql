-- name: cockpit_instance_jobs
-- Work that handlers owe an instance.
SELECT
    task_id, element, topic, state, attempts, resets, run_at, leased_by,
    lease_until, last_error, cardinality(retry_delays_s)
FROM jobs
WHERE instance_id = %(id)s::uuid
ORDER BY id;

-- name: cockpit_instance_timers
-- Times that an instance waits for.
SELECT task_id, element, due_at
FROM timers
WHERE instance_id = %(id)s::uuid
ORDER BY due_at, task_id;

-- name: cockpit_instance_events
-- Signals and messages that an instance waits for.
SELECT task_id, element, kind, event, correlation
FROM subscriptions
WHERE instance_id = %(id)s::uuid
ORDER BY created_at, task_id;

-- name: cockpit_instance_family
-- The caller of an instance and those that it called, with those it was restarted from
-- and as.
SELECT
    CASE
        WHEN i.id = me.parent_id THEN 'caller'
        WHEN i.parent_id = me.id THEN 'called'
        WHEN i.id = me.restarted_from THEN 'restarted from'
        ELSE 'restarted as'
    END,
    i.id, i.key, i.business_key, i.status, i.started_at, i.ended_at, i.parent_task
FROM instances AS me
JOIN instances AS i
    ON i.id = me.parent_id
    OR i.parent_id = me.id
    OR i.id = me.restarted_from
    OR i.restarted_from = me.id
WHERE me.id = %(id)s::uuid
ORDER BY i.started_at, i.id
LIMIT 200;

-- name: cockpit_instance_changes
-- Who changed which variable when, the last first. JSON that holds what text cannot
-- is not taken apart here.
SELECT id, at, actor, element, task_id, data
FROM events
WHERE
    instance_id = %(id)s::uuid
    AND kind = 'variable'
    AND (
        %(name)s::text IS NULL
        OR strpos(data::text, '"name":' || to_json(%(name)s::text)::text) > 0
    )
    AND (%(below)s::bigint IS NULL OR id < %(below)s)
ORDER BY transaction DESC, id DESC
LIMIT %(limit)s;

-- name: cockpit_instance_lines
-- What happened to an instance, the last first.
SELECT id, at, kind, actor, element, task_id, data
FROM events
WHERE
    instance_id = %(id)s::uuid
    AND (%(kinds)s::text[] IS NULL OR kind = ANY (%(kinds)s::text[]))
    AND (%(below)s::bigint IS NULL OR id < %(below)s)
ORDER BY transaction DESC, id DESC
LIMIT %(limit)s;

-- name: cockpit_instance_way
-- How often tokens of an instance entered and left each element, and by which flow.
SELECT element, kind, data ->> 'via', count(*), min(at), max(at)
FROM events
WHERE
    instance_id = %(id)s::uuid
    AND kind IN ('entered', 'left', 'cancelled')
    AND element IS NOT NULL
GROUP BY 1, 2, 3;

-- name: cockpit_instance_incidents
-- What went wrong in an instance, open first.
SELECT
    id, kind, message, opened_at, task_id, element, resolved_at, resolved_by, cause,
    assignee
FROM incidents
WHERE instance_id = %(id)s::uuid
ORDER BY resolved_at DESC NULLS FIRST, id DESC
LIMIT 200;

-- name: cockpit_instance_line
-- One line of an instance's history.
SELECT id, at, kind, actor, element, task_id, data
FROM events
WHERE id = %(line)s AND instance_id = %(id)s::uuid;

-- name: cockpit_instance_same_step
-- What followed a line in the same transaction.
SELECT e.id, e.at, e.kind, e.actor, e.element, e.task_id, e.data
FROM events AS l
JOIN events AS e
    ON e.instance_id = l.instance_id
    AND e.transaction = l.transaction
    AND e.id > l.id
WHERE
    l.id = %(line)s
    AND l.instance_id = %(id)s::uuid
    AND e.kind IN ('variable', 'entered')
ORDER BY e.id
LIMIT 1000;

-- name: cockpit_instance_undone
-- Lines that later ones have taken back.
SELECT (data ->> 'undoes')::bigint
FROM events
WHERE
    instance_id = %(id)s::uuid
    AND kind IN ('variables set', 'token moved', 'suspended', 'resumed', 'migrated')
    AND strpos(data::text, '"undoes":') > 0;

-- name: cockpit_instance_moves
-- Tokens that came and went, in the order of time.
SELECT id, at, kind, actor, element, task_id, data
FROM events
WHERE
    instance_id = %(id)s::uuid
    AND kind IN ('entered', 'left', 'cancelled')
    AND element IS NOT NULL
    AND task_id IS NOT NULL
ORDER BY at, id
LIMIT %(limit)s;
