-- name: incidents_place
-- Where something went wrong: the process, and the element that the task stands at.
SELECT
    (SELECT key FROM instances WHERE id = %(instance_id)s::uuid),
    coalesce(
        %(element)s::text,
        (SELECT element FROM jobs WHERE task_id = %(task_id)s::uuid)
    );

-- name: incidents_renew
-- Renew the open incident of this kind that belongs to no task. What is told of each
-- message is renewed by the same words only.
UPDATE incidents
SET message = %(message)s, element = %(element)s, cause = %(cause)s
WHERE
    task_id IS NULL
    AND resolved_at IS NULL
    AND kind = %(kind)s
    AND instance_id IS NOT DISTINCT FROM %(instance_id)s::uuid
    AND (NOT %(each)s OR message = %(message)s);

-- name: incidents_open
-- Open an incident, or renew the one that is open for the task; true if it is new.
-- Who looks at a cause looks at what comes later, too.
INSERT INTO incidents (kind, message, instance_id, task_id, element, cause, assignee)
VALUES (
    %(kind)s, %(message)s, %(instance_id)s::uuid, %(task_id)s::uuid, %(element)s,
    %(cause)s,
    (
        SELECT assignee FROM incidents
        WHERE cause = %(cause)s AND resolved_at IS NULL AND assignee IS NOT NULL
        ORDER BY id DESC
        LIMIT 1
    )
)
ON CONFLICT (task_id) WHERE resolved_at IS NULL AND task_id IS NOT NULL
DO UPDATE SET
    kind = EXCLUDED.kind,
    message = EXCLUDED.message,
    element = EXCLUDED.element,
    cause = EXCLUDED.cause
RETURNING xmax = 0;

-- name: incidents_without_cause
-- Incidents that are older than the naming of causes.
SELECT n.id, n.kind, n.message, i.key, n.element
FROM incidents AS n
LEFT JOIN instances AS i ON i.id = n.instance_id
WHERE n.cause = ''
ORDER BY n.id
LIMIT %(limit)s
FOR UPDATE OF n SKIP LOCKED;

-- name: incidents_name
-- Name their causes.
UPDATE incidents AS n
SET cause = named.cause
FROM unnest(%(ids)s::bigint[], %(causes)s::text[]) AS named (id, cause)
WHERE n.id = named.id;

-- name: incidents_resolve
-- Close the open incidents that fit.
UPDATE incidents
SET resolved_at = clock_timestamp(), resolved_by = %(by)s
WHERE
    resolved_at IS NULL
    AND (%(instance_id)s::uuid IS NULL OR instance_id = %(instance_id)s::uuid)
    AND (%(task_id)s::uuid IS NULL OR task_id = %(task_id)s::uuid)
    AND (%(kind)s::text IS NULL OR kind = %(kind)s::text);

-- name: incidents_resolve_tasks, prepared
-- Close what is open for tasks, of one kind or of all; who was said first has done it.
UPDATE incidents
SET resolved_at = clock_timestamp(), resolved_by = closing.by
FROM (
    SELECT DISTINCT ON (n.id) n.id, over.by
    FROM unnest(
        %(task_id)s::uuid[], %(kind)s::text[], %(by)s::text[]
    ) WITH ORDINALITY AS over (task_id, kind, by, place)
    CROSS JOIN LATERAL (
        SELECT id, kind
        FROM incidents
        WHERE task_id = over.task_id AND resolved_at IS NULL
        OFFSET 0
    ) AS n
    WHERE over.kind IS NULL OR over.kind = n.kind
    ORDER BY n.id, over.place
) AS closing
WHERE incidents.id = closing.id AND incidents.resolved_at IS NULL;

-- name: incidents_resolve_served
-- Close what tells of a job whose topic is served now; what is locked is being closed.
WITH over AS MATERIALIZED (
    SELECT n.id, j.topic
    FROM incidents AS n
    JOIN jobs AS j ON j.task_id = n.task_id
    WHERE
        n.resolved_at IS NULL
        AND n.kind = %(kind)s
        AND j.topic = ANY (%(topics)s::text[])
    FOR UPDATE OF n SKIP LOCKED
)
UPDATE incidents AS n
SET resolved_at = clock_timestamp(), resolved_by = %(by)s
FROM over
WHERE n.id = over.id
RETURNING n.task_id, n.instance_id, n.element, over.topic;

-- name: incidents_list
-- Open incidents, of one instance or all, oldest first.
SELECT
    id, kind, message, opened_at, instance_id, task_id, element, resolved_at,
    resolved_by, cause
FROM incidents
WHERE
    resolved_at IS NULL
    AND (%(instance_id)s::uuid IS NULL OR instance_id = %(instance_id)s::uuid)
ORDER BY id;

-- name: incidents_close
-- A person has dealt with it.
UPDATE incidents
SET resolved_at = clock_timestamp(), resolved_by = %(by)s
WHERE id = %(incident_id)s AND resolved_at IS NULL
RETURNING kind, message, instance_id, task_id, element;

-- name: incidents_get
-- One open incident.
SELECT
    id, kind, message, opened_at, instance_id, task_id, element, resolved_at,
    resolved_by, cause
FROM incidents
WHERE id = %(id)s AND resolved_at IS NULL;

-- name: incidents_find
-- Open incidents of instances that fit all that is given, oldest first.
SELECT
    n.id, n.kind, n.message, n.opened_at, n.instance_id, n.task_id, n.element,
    n.resolved_at, n.resolved_by, n.cause
FROM incidents AS n
JOIN instances AS i ON i.id = n.instance_id
WHERE
    n.resolved_at IS NULL
    AND (%(kind)s::text IS NULL OR n.kind = %(kind)s::text)
    AND (
        %(text)s::text IS NULL
        OR strpos(lower(n.message), lower(%(text)s::text)) > 0
    )
    AND (%(element)s::text IS NULL OR n.element = %(element)s::text)
    AND (%(key)s::text IS NULL OR i.key = %(key)s::text)
    AND (
        %(opened_before)s::timestamptz IS NULL
        OR n.opened_at < %(opened_before)s::timestamptz
    )
    AND (%(cause)s::text IS NULL OR n.cause = %(cause)s::text)
ORDER BY n.id;
