-- name: inbox_causes
-- Open incidents by cause.
WITH causes AS (
    SELECT
        n.cause,
        max(n.id) AS last_id,
        count(*) AS incidents,
        count(DISTINCT n.instance_id) AS instances,
        count(*) FILTER (
            WHERE n.task_id IS NOT NULL AND n.kind <> ALL (%(outside)s::text[])
        ) AS retryable,
        min(n.opened_at) AS first_at,
        max(n.opened_at) AS last_at,
        array_agg(DISTINCT ARRAY[coalesce(i.key, ''), coalesce(n.element, '')])
            AS places,
        array_agg(DISTINCT n.assignee) FILTER (WHERE n.assignee IS NOT NULL)
            AS assignees,
        (array_agg(DISTINCT i.business_key) FILTER (WHERE i.business_key IS NOT NULL))
            [1:12] AS business_keys
    FROM incidents AS n
    LEFT JOIN instances AS i ON i.id = n.instance_id
    WHERE
        n.resolved_at IS NULL
        AND (%(cause)s::text IS NULL OR n.cause = %(cause)s::text)
        AND (%(process)s::text IS NULL OR coalesce(i.key, '') = %(process)s::text)
        AND (%(element)s::text IS NULL OR n.element = %(element)s::text)
        AND (%(kind)s::text IS NULL OR n.kind = %(kind)s::text)
        AND (
            %(assignee)s::text IS NULL OR coalesce(n.assignee, '') = %(assignee)s::text
        )
        AND (
            %(text)s::text IS NULL
            OR strpos(lower(n.message), lower(%(text)s::text)) > 0
            OR strpos(lower(i.business_key), lower(%(text)s::text)) > 0
        )
    GROUP BY n.cause
    ORDER BY
        CASE WHEN %(sort)s = 'most' THEN -count(*) END,
        CASE WHEN %(sort)s = 'newest' THEN max(n.opened_at) END DESC NULLS LAST,
        min(n.opened_at),
        n.cause
    LIMIT %(limit)s
)
SELECT
    g.cause, l.kind, l.message, g.incidents, g.instances, g.retryable, g.first_at,
    g.last_at, g.places, g.assignees,
    (SELECT count(*) FROM incident_comments AS c WHERE c.cause = g.cause) AS comments,
    g.business_keys,
    l.id AS last_id
FROM causes AS g
JOIN incidents AS l ON l.id = g.last_id
ORDER BY
    CASE WHEN %(sort)s = 'most' THEN -g.incidents END,
    CASE WHEN %(sort)s = 'newest' THEN g.last_at END DESC NULLS LAST,
    g.first_at,
    g.cause;

-- name: inbox_count
-- How many causes and incidents fit.
SELECT count(DISTINCT n.cause), count(*)
FROM incidents AS n
LEFT JOIN instances AS i ON i.id = n.instance_id
WHERE
    n.resolved_at IS NULL
    AND (%(cause)s::text IS NULL OR n.cause = %(cause)s::text)
    AND (%(process)s::text IS NULL OR coalesce(i.key, '') = %(process)s::text)
    AND (%(element)s::text IS NULL OR n.element = %(element)s::text)
    AND (%(kind)s::text IS NULL OR n.kind = %(kind)s::text)
    AND (
        %(assignee)s::text IS NULL OR coalesce(n.assignee, '') = %(assignee)s::text
    )
    AND (
        %(text)s::text IS NULL
        OR strpos(lower(n.message), lower(%(text)s::text)) > 0
        OR strpos(lower(i.business_key), lower(%(text)s::text)) > 0
    );

-- name: inbox_choices
-- What the filters can be set to.
SELECT DISTINCT n.kind, coalesce(i.key, ''), coalesce(n.element, '')
FROM incidents AS n
LEFT JOIN instances AS i ON i.id = n.instance_id
WHERE n.resolved_at IS NULL
ORDER BY 1, 2, 3
LIMIT 1000;

-- name: inbox_incidents
-- Open incidents of one cause, the oldest first.
SELECT
    n.id, n.kind, n.message, n.opened_at, n.instance_id::text, n.task_id::text,
    n.element, i.key, i.business_key, NULL::text, n.assignee, n.resolved_at,
    n.resolved_by
FROM incidents AS n
LEFT JOIN instances AS i ON i.id = n.instance_id
WHERE
    n.cause = %(cause)s
    AND n.resolved_at IS NULL
    AND (%(after)s::bigint IS NULL OR n.id > %(after)s::bigint)
ORDER BY n.id
LIMIT %(limit)s;

-- name: inbox_settled
-- Incidents of one cause that are over, the last closed first.
SELECT
    n.id, n.kind, n.message, n.opened_at, n.instance_id::text, n.task_id::text,
    n.element, i.key, i.business_key, NULL::text, n.assignee, n.resolved_at,
    n.resolved_by
FROM incidents AS n
LEFT JOIN instances AS i ON i.id = n.instance_id
WHERE n.cause = %(cause)s AND n.resolved_at IS NOT NULL
ORDER BY n.resolved_at DESC, n.id DESC
LIMIT %(limit)s;

-- name: inbox_assign
-- Give the open ones to somebody, or to nobody.
UPDATE incidents
SET assignee = %(login)s
WHERE
    cause = %(cause)s
    AND resolved_at IS NULL
    AND assignee IS DISTINCT FROM %(login)s::text;

-- name: inbox_close
-- Put aside what nothing of ours can try again.
WITH closed AS (
    UPDATE incidents
    SET resolved_at = clock_timestamp(), resolved_by = %(by)s
    WHERE
        cause = %(cause)s
        AND resolved_at IS NULL
        AND (task_id IS NULL OR kind = ANY (%(outside)s::text[]))
    RETURNING *
)
SELECT
    n.id, n.kind, n.message, n.opened_at, n.instance_id::text, n.task_id::text,
    n.element, i.key, i.business_key, NULL::text, n.assignee, n.resolved_at,
    n.resolved_by
FROM closed AS n
LEFT JOIN instances AS i ON i.id = n.instance_id
ORDER BY n.id;

-- name: inbox_comment
-- What somebody found out.
INSERT INTO incident_comments (cause, text, written_by)
VALUES (%(cause)s, %(text)s, %(by)s);

-- name: inbox_comments
-- The oldest first.
SELECT id, text, written_by, written_at
FROM incident_comments
WHERE cause = %(cause)s
ORDER BY id;

-- name: inbox_alarm_counts
-- What waits for somebody's decision.
SELECT
    (SELECT count(*) FROM tasks WHERE form ^@ ANY (%(decisions)s::text[])),
    (SELECT count(*) FROM late_answers WHERE decided_at IS NULL),
    (
        SELECT count(DISTINCT coalesce(cause, id::text))
        FROM incidents WHERE resolved_at IS NULL
    );
