-- name: cases_count
-- How many instances of a process began in a window, up to a limit.
SELECT count(*)
FROM (
    SELECT 1
    FROM instances
    WHERE
        key = %(key)s
        AND started_at >= %(since)s::timestamptz
        AND started_at < %(until)s::timestamptz
    LIMIT %(limit)s
) AS found;

-- name: cases_heads
-- Those after a place, the oldest first.
SELECT
    i.id::text, i.definition_id, i.key, d.version, i.business_key, i.status,
    i.started_at, i.ended_at
FROM instances AS i
JOIN definitions AS d ON d.id = i.definition_id
WHERE
    i.key = %(key)s
    AND i.started_at >= %(since)s::timestamptz
    AND i.started_at < %(until)s::timestamptz
    AND (
        %(above_at)s::timestamptz IS NULL
        OR (i.started_at, i.id) > (%(above_at)s::timestamptz, %(above_id)s::uuid)
    )
ORDER BY i.started_at, i.id
LIMIT %(limit)s;

-- name: cases_lines
-- What happened in some instances, of each of them so many lines at the most.
SELECT
    line.transaction::text::bigint, line.id, line.at, line.kind, line.actor,
    line.instance_id::text, line.element, line.task_id::text
FROM unnest(%(ids)s::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT *
    FROM events
    WHERE events.instance_id = wanted.id AND events.kind = ANY (%(kinds)s::text[])
    ORDER BY events.transaction, events.id
    LIMIT %(limit)s
) AS line
ORDER BY line.instance_id, line.transaction, line.id;

-- name: cases_happened
-- The same with what each line says.
SELECT
    line.transaction::text::bigint, line.id, line.at, line.kind, line.actor,
    line.instance_id::text, line.element, line.task_id::text, line.data
FROM unnest(%(ids)s::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT *
    FROM events
    WHERE events.instance_id = wanted.id AND events.kind = ANY (%(kinds)s::text[])
    ORDER BY events.transaction, events.id
    LIMIT %(limit)s
) AS line
ORDER BY line.instance_id, line.transaction, line.id;

-- name: cases_paths
-- What some instances completed, in order, of each so much at the most.
SELECT
    wanted.id::text,
    array_agg(line.element ORDER BY line.transaction, line.id)
FROM unnest(%(ids)s::uuid[]) AS wanted (id)
CROSS JOIN LATERAL (
    SELECT events.element, events.transaction, events.id
    FROM events
    WHERE
        events.instance_id = wanted.id
        AND events.kind = 'left'
        AND events.element = ANY (%(elements)s::text[])
    ORDER BY events.transaction, events.id
    LIMIT %(limit)s
) AS line
GROUP BY wanted.id;
