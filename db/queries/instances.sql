-- Instances are locked FOR NO KEY UPDATE. FOR UPDATE would also stop others from
-- inserting rows that refer to the instance, and two instances that send each other
-- a delivery would wait for each other.

-- name: instances_insert, prepared
-- Create an instance of a version, and note the call it works for.
WITH added AS (
    INSERT INTO instances (
        id, definition_id, key, business_key, parent_id, parent_task, restarted_from
    )
    SELECT
        %(id)s::uuid, id, key, %(business_key)s::text,
        %(parent_id)s::uuid, %(parent_task)s::uuid, %(restarted_from)s::uuid
    FROM definitions
    WHERE
        id = %(definition_id)s
        AND NOT EXISTS (
            SELECT FROM suspended_processes AS s WHERE s.key = definitions.key
        )
    RETURNING *
), called AS (
    INSERT INTO calls (task_id, instance_id)
    SELECT parent_task, parent_id
    FROM added
    WHERE parent_task IS NOT NULL
    ON CONFLICT DO NOTHING
)
SELECT
    id, definition_id, key, business_key, parent_id, parent_task, status, state,
    variables, revision, started_at, changed_at, ended_at, end_reason,
    suspended_by, suspended_reason, suspended_at, restarted_from
FROM added;

-- name: instances_suspension
-- Why no instance of a version can be started.
SELECT d.key, s.suspended_by, s.suspended_reason, s.suspended_at
FROM definitions AS d
JOIN suspended_processes AS s ON s.key = d.key
WHERE d.id = %(definition_id)s;

-- name: instances_get
-- One instance with its state.
SELECT
    id, definition_id, key, business_key, parent_id, parent_task, status, state,
    variables, revision, started_at, changed_at, ended_at, end_reason,
    suspended_by, suspended_reason, suspended_at, restarted_from
FROM instances
WHERE id = %(id)s::uuid;

-- name: instances_lock_free, prepared
-- Lock an instance for this transaction unless somebody else has it.
SELECT
    id, definition_id, key, business_key, parent_id, parent_task, status, state,
    variables, revision, started_at, changed_at, ended_at, end_reason,
    suspended_by, suspended_reason, suspended_at, restarted_from
FROM instances
WHERE id = %(id)s::uuid
FOR NO KEY UPDATE SKIP LOCKED;

-- name: instances_lock
-- Lock an instance for this transaction and wait for it.
SELECT
    id, definition_id, key, business_key, parent_id, parent_task, status, state,
    variables, revision, started_at, changed_at, ended_at, end_reason,
    suspended_by, suspended_reason, suspended_at, restarted_from
FROM instances
WHERE id = %(id)s::uuid
FOR NO KEY UPDATE;

-- name: instances_limit_wait
-- Let no lock of this transaction be waited for longer than this.
SELECT set_config('lock_timeout', %(milliseconds)s::integer::text, true);

-- name: instances_unlimit_wait
-- Undo instances_limit_wait.
SET LOCAL lock_timeout TO DEFAULT;

-- name: instances_save, prepared
-- Write the results of steps.
UPDATE instances
SET
    state = saved.state,
    variables = saved.variables::json,
    status = saved.status,
    end_reason = saved.end_reason,
    ended_at = CASE
        WHEN saved.status <> 'active' THEN COALESCE(ended_at, clock_timestamp())
    END,
    changed_at = clock_timestamp(),
    revision = revision + 1
FROM unnest(
    %(id)s::uuid[], %(state)s::bytea[], %(variables)s::text[], %(status)s::text[],
    %(end_reason)s::text[]
) AS saved (id, state, variables, status, end_reason)
WHERE instances.id = saved.id;

-- name: instances_children
-- The called instances of an instance, or of one of its tasks.
SELECT id
FROM instances
WHERE
    parent_id = %(id)s::uuid
    AND (%(task_id)s::uuid IS NULL OR parent_task = %(task_id)s::uuid)
ORDER BY started_at, id;

-- name: instances_depth
-- How many calls lead to an instance; no further than asked.
WITH RECURSIVE callers AS (
    SELECT parent_id, 1 AS depth
    FROM instances
    WHERE id = %(id)s::uuid AND parent_id IS NOT NULL
    UNION ALL
    SELECT caller.parent_id, callers.depth + 1
    FROM callers
    JOIN instances AS caller ON caller.id = callers.parent_id
    WHERE caller.parent_id IS NOT NULL AND callers.depth < %(limit)s::bigint
)
SELECT coalesce(max(depth), 0)
FROM callers;

-- name: instances_by_business_key
-- Everything that works for one business key.
SELECT
    id, definition_id, key, business_key, parent_id, parent_task, status, state,
    variables, revision, started_at, changed_at, ended_at, end_reason,
    suspended_by, suspended_reason, suspended_at, restarted_from
FROM instances
WHERE business_key = %(business_key)s
ORDER BY started_at, id;

-- name: instances_business_keys
-- What these instances work for.
SELECT id, business_key
FROM instances
WHERE id = ANY (%(ids)s::uuid[]);

-- name: instances_count
-- How many instances a process has in each status.
SELECT key, status, count(*)
FROM instances
GROUP BY key, status;

-- name: instances_find
-- Instances by what an operator knows of them, newest first, without their state.
SELECT
    i.id, i.key, d.version, i.business_key, i.status, i.started_at, i.ended_at,
    i.end_reason, i.suspended_by, i.suspended_reason, i.suspended_at, i.parent_id,
    i.restarted_from,
    (
        SELECT count(*)
        FROM incidents AS n
        WHERE n.instance_id = i.id AND n.resolved_at IS NULL
    )
FROM instances AS i
JOIN definitions AS d ON d.id = i.definition_id
WHERE
    (%(key)s::text IS NULL OR i.key = %(key)s::text)
    AND (%(version)s::integer IS NULL OR d.version = %(version)s::integer)
    AND (%(status)s::text IS NULL OR i.status = %(status)s::text)
    AND (%(business_key)s::text IS NULL OR i.business_key = %(business_key)s::text)
    AND (
        %(suspended)s::boolean IS NULL
        OR (i.suspended_at IS NOT NULL) = %(suspended)s::boolean
    )
    AND (
        %(troubled)s::boolean IS NULL
        OR %(troubled)s::boolean = EXISTS (
            SELECT FROM incidents AS n
            WHERE n.instance_id = i.id AND n.resolved_at IS NULL
        )
    )
ORDER BY i.started_at DESC, i.id
LIMIT %(limit)s::bigint;

-- name: instances_set_definition
-- Put an instance under another version of its process.
UPDATE instances
SET definition_id = %(definition_id)s
WHERE id = %(id)s::uuid;

-- name: instances_restart_of
-- The instance that repeats this one and still runs.
SELECT id
FROM instances
WHERE restarted_from = %(id)s::uuid AND status = 'active';
