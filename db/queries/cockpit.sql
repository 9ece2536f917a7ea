-- name: cockpit_processes
-- Every process with its latest version and what its instances do now.
SELECT
    d.key, d.id, d.version, d.name, d.deployed_at, d.deployed_by,
    COALESCE(a.active, 0), COALESCE(a.suspended, 0), a.oldest_at,
    COALESCE(n.incidents, 0), COALESCE(w.forms, 0),
    COALESCE(a.active, 0) - COALESCE(l.active, 0)
FROM (
    SELECT DISTINCT ON (key) key, id, version, name, deployed_at, deployed_by
    FROM definitions
    ORDER BY key, version DESC
) AS d
LEFT JOIN (
    SELECT
        key, count(*) AS active, count(suspended_at) AS suspended,
        min(started_at) AS oldest_at
    FROM instances
    WHERE ended_at IS NULL
    GROUP BY key
) AS a ON a.key = d.key
LEFT JOIN (
    SELECT i.key, count(*) AS incidents
    FROM incidents AS n
    JOIN instances AS i ON i.id = n.instance_id
    WHERE n.resolved_at IS NULL
    GROUP BY i.key
) AS n ON n.key = d.key
LEFT JOIN (
    SELECT i.key, count(*) AS forms
    FROM tasks AS t
    JOIN instances AS i ON i.id = t.instance_id
    GROUP BY i.key
) AS w ON w.key = d.key
LEFT JOIN (
    SELECT definition_id, count(*) AS active
    FROM instances
    WHERE ended_at IS NULL
    GROUP BY definition_id
) AS l ON l.definition_id = d.id
ORDER BY d.key;

-- name: cockpit_running
-- Instances that run, the last changed first, and how many there are up to a most.
SELECT found.*, count(*) OVER ()
FROM (
    SELECT
        i.id, i.key, i.definition_id, i.business_key, i.status, i.started_at,
        i.changed_at, i.ended_at, i.end_reason, i.suspended_at, i.parent_id
    FROM instances AS i
    WHERE
        i.ended_at IS NULL
        AND (%(key)s::text IS NULL OR i.key = %(key)s)
        AND (%(definition_id)s::bigint IS NULL OR i.definition_id = %(definition_id)s)
        AND (%(business_key)s::text IS NULL OR i.business_key LIKE %(business_key)s)
        AND (%(since)s::timestamptz IS NULL OR i.started_at >= %(since)s::timestamptz)
        AND (%(until)s::timestamptz IS NULL OR i.started_at < %(until)s::timestamptz)
        AND (NOT %(suspended)s OR i.suspended_at IS NOT NULL)
        AND (
            NOT %(stuck)s
            OR i.id IN (SELECT instance_id FROM incidents WHERE resolved_at IS NULL)
        )
        AND (
            %(value)s::text IS NULL
            OR i.id IN (
                SELECT instance_id
                FROM found_values
                WHERE ended_at IS NULL AND name = %(name)s AND value = %(value)s
            )
        )
        AND (
            %(element)s::text IS NULL
            OR i.id IN (SELECT instance_id FROM visits WHERE element = %(element)s)
        )
        AND (
            %(before_at)s::timestamptz IS NULL
            OR (i.changed_at, i.id) < (%(before_at)s::timestamptz, %(before_id)s::uuid)
        )
    ORDER BY i.changed_at DESC, i.id DESC
    LIMIT %(most)s
) AS found
ORDER BY changed_at DESC, id DESC
LIMIT %(limit)s;

-- name: cockpit_ended
-- Instances that ended, in one way or in any, the last first; indexes have this order.
SELECT found.*, count(*) OVER ()
FROM (
    SELECT
        i.id, i.key, i.definition_id, i.business_key, i.status, i.started_at,
        i.changed_at, i.ended_at, i.end_reason, i.suspended_at, i.parent_id
    FROM instances AS i
    WHERE
        i.ended_at IS NOT NULL
        AND (%(status)s::text IS NULL OR i.status = %(status)s)
        AND (%(key)s::text IS NULL OR i.key = %(key)s)
        AND (%(definition_id)s::bigint IS NULL OR i.definition_id = %(definition_id)s)
        AND (%(business_key)s::text IS NULL OR i.business_key LIKE %(business_key)s)
        AND (%(since)s::timestamptz IS NULL OR i.ended_at >= %(since)s::timestamptz)
        AND (%(until)s::timestamptz IS NULL OR i.ended_at < %(until)s::timestamptz)
        AND (
            %(before_at)s::timestamptz IS NULL
            OR (i.ended_at, i.id) < (%(before_at)s::timestamptz, %(before_id)s::uuid)
        )
    ORDER BY i.ended_at DESC, i.id DESC
    LIMIT %(most)s
) AS found
ORDER BY ended_at DESC, id DESC
LIMIT %(limit)s;

-- name: cockpit_ended_with_value
-- Ended instances that had a value, the last first; an index has this order.
SELECT found.*, count(*) OVER ()
FROM (
    SELECT
        i.id, i.key, i.definition_id, i.business_key, i.status, i.started_at,
        i.changed_at, i.ended_at, i.end_reason, i.suspended_at, i.parent_id
    FROM found_values AS f
    JOIN instances AS i ON i.id = f.instance_id
    WHERE
        f.ended_at IS NOT NULL
        AND f.name = %(name)s
        AND f.value = %(value)s
        AND (%(status)s::text IS NULL OR i.status = %(status)s)
        AND (%(key)s::text IS NULL OR i.key = %(key)s)
        AND (%(definition_id)s::bigint IS NULL OR i.definition_id = %(definition_id)s)
        AND (%(business_key)s::text IS NULL OR i.business_key LIKE %(business_key)s)
        AND (%(since)s::timestamptz IS NULL OR f.ended_at >= %(since)s::timestamptz)
        AND (%(until)s::timestamptz IS NULL OR f.ended_at < %(until)s::timestamptz)
        AND (
            %(before_at)s::timestamptz IS NULL
            OR (f.ended_at, f.instance_id)
                < (%(before_at)s::timestamptz, %(before_id)s::uuid)
        )
    ORDER BY f.ended_at DESC, f.instance_id DESC
    LIMIT %(most)s
) AS found
ORDER BY ended_at DESC, id DESC
LIMIT %(limit)s;

-- name: cockpit_heat
-- What tokens did at each element of a process between two hours.
SELECT
    h.element, sum(h.visits), sum(h.cancelled), sum(h.seconds), sum(h.waited_s),
    max(h.longest_s)
FROM element_hours AS h
JOIN definitions AS d ON d.id = h.definition_id
WHERE
    d.key = %(key)s
    AND (%(definition_id)s::bigint IS NULL OR d.id = %(definition_id)s)
    AND h.hour >= %(since)s::timestamptz
    AND h.hour < %(until)s::timestamptz
GROUP BY h.element;

-- name: cockpit_heat_of
-- The same as cockpit_heat for some instances only, read from the history itself.
WITH stays AS (
    SELECT
        min(element) AS element,
        min(at) FILTER (WHERE kind = 'entered') AS entered_at,
        min(at) FILTER (WHERE kind = 'task claimed') AS taken_at,
        min(at) FILTER (WHERE kind IN ('left', 'cancelled')) AS left_at,
        bool_or(kind = 'cancelled') AS cancelled
    FROM events
    WHERE
        instance_id = ANY (%(ids)s::uuid[])
        AND kind IN ('entered', 'task claimed', 'left', 'cancelled')
        AND task_id IS NOT NULL
    GROUP BY task_id
)
SELECT
    element, count(*), count(*) FILTER (WHERE cancelled),
    sum(EXTRACT(EPOCH FROM left_at - entered_at))::double precision,
    sum(EXTRACT(EPOCH FROM COALESCE(taken_at, left_at) - entered_at))::double precision,
    max(EXTRACT(EPOCH FROM left_at - entered_at))::double precision
FROM stays
WHERE
    element IS NOT NULL
    AND entered_at IS NOT NULL
    AND left_at >= %(since)s::timestamptz
    AND left_at < %(until)s::timestamptz
GROUP BY element;

-- name: cockpit_standing
-- Where the tokens of a process, or of some instances, stand, and which are stuck.
SELECT
    v.element, count(*), min(v.entered_at),
    count(n.task_id)
FROM visits AS v
JOIN definitions AS d ON d.id = v.definition_id
LEFT JOIN incidents AS n ON n.task_id = v.task_id AND n.resolved_at IS NULL
WHERE
    d.key = %(key)s
    AND (%(definition_id)s::bigint IS NULL OR d.id = %(definition_id)s)
    AND (%(ids)s::uuid[] IS NULL OR v.instance_id = ANY (%(ids)s::uuid[]))
GROUP BY v.element;
