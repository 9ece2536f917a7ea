-- Rows by the numbers that clients of Camunda 8 know them by. Lists are counted up to
-- %(counted)s and begin every row with that count, so that an empty page has one, too.
-- Filters and orders are written so that an index serves them when the rest is null.

-- name: numbered_loose
-- A number for what leaves no row of its own.
SELECT nextval('loose_numbers');

-- name: numbered_instance_ids
-- Which instances have these numbers.
SELECT id
FROM instances
WHERE number = ANY (%(numbers)s::bigint[]);

-- name: numbered_instance_number
-- The number of an instance.
SELECT number
FROM instances
WHERE id = %(id)s::uuid;

-- name: numbered_jobs
-- The tasks that jobs with these numbers are for.
SELECT instance_id, task_id
FROM jobs
WHERE id = ANY (%(numbers)s::bigint[]) AND state <> 'handed_on';

-- name: numbered_form
-- The task that an open form is for.
SELECT instance_id, task_id
FROM tasks
WHERE number = %(number)s::bigint;

-- name: numbered_forms
-- The newest version of each of these forms.
SELECT DISTINCT ON (form) form, number, version, form
FROM forms
WHERE form = ANY (%(keys)s::text[])
ORDER BY form, version DESC;

-- name: numbered_decisions
-- The newest version of each of these decisions.
SELECT DISTINCT ON (key) key, number, version, name
FROM decisions
WHERE key = ANY (%(keys)s::text[])
ORDER BY key, version DESC;

-- name: numbered_definitions
-- Deployed versions of processes that fit all that is given.
WITH fitting AS MATERIALIZED (
    SELECT id AS number, key, version, name
    FROM definitions AS d
    WHERE
        (%(numbers)s::bigint[] IS NULL OR id = ANY (%(numbers)s::bigint[]))
        AND (%(keys)s::text[] IS NULL OR key = ANY (%(keys)s::text[]))
        AND (%(version)s::integer IS NULL OR version = %(version)s::integer)
        AND (
            NOT %(latest)s::boolean
            OR NOT EXISTS (
                SELECT FROM definitions AS n
                WHERE n.key = d.key AND n.version > d.version
            )
        )
    ORDER BY CASE WHEN NOT %(newest_first)s THEN id END, id DESC
    LIMIT %(counted)s
)
SELECT counted.total, one.*
FROM (SELECT count(*) AS total FROM fitting) AS counted
LEFT JOIN LATERAL (
    SELECT *
    FROM fitting
    ORDER BY CASE WHEN NOT %(newest_first)s THEN number END, number DESC
    LIMIT %(limit)s OFFSET %(offset)s
) AS one ON true
ORDER BY CASE WHEN NOT %(newest_first)s THEN one.number END, one.number DESC;

-- name: numbered_instances
-- Instances that fit all that is given.
WITH fitting AS MATERIALIZED (
    SELECT i.number, i.id
    FROM instances AS i
    WHERE
        (%(numbers)s::bigint[] IS NULL OR i.number = ANY (%(numbers)s::bigint[]))
        AND (%(keys)s::text[] IS NULL OR i.key = ANY (%(keys)s::text[]))
        AND (
            %(definitions)s::bigint[] IS NULL
            OR i.definition_id = ANY (%(definitions)s::bigint[])
        )
        AND (%(statuses)s::text[] IS NULL OR i.status = ANY (%(statuses)s::text[]))
        AND (
            %(business_keys)s::text[] IS NULL
            OR i.business_key = ANY (%(business_keys)s::text[])
        )
        AND (
            %(version)s::integer IS NULL
            OR i.definition_id IN (
                SELECT id FROM definitions WHERE version = %(version)s::integer
            )
        )
        AND (
            %(parents)s::bigint[] IS NULL
            OR i.parent_id IN (
                SELECT id FROM instances WHERE number = ANY (%(parents)s::bigint[])
            )
        )
        AND (
            %(incidents)s::boolean IS NULL
            OR %(incidents)s::boolean = EXISTS (
                SELECT FROM incidents AS n
                WHERE n.instance_id = i.id AND n.resolved_at IS NULL
            )
        )
    ORDER BY CASE WHEN NOT %(newest_first)s THEN i.number END, i.number DESC
    LIMIT %(counted)s
)
SELECT
    counted.total, i.number, i.id, i.definition_id, d.key, d.version, d.name,
    i.business_key, i.status, i.started_at, i.ended_at, p.number,
    EXISTS (
        SELECT FROM incidents AS n
        WHERE n.instance_id = i.id AND n.resolved_at IS NULL
    )
FROM (SELECT count(*) AS total FROM fitting) AS counted
LEFT JOIN LATERAL (
    SELECT id
    FROM fitting
    ORDER BY CASE WHEN NOT %(newest_first)s THEN number END, number DESC
    LIMIT %(limit)s OFFSET %(offset)s
) AS one ON true
LEFT JOIN instances AS i ON i.id = one.id
LEFT JOIN definitions AS d ON d.id = i.definition_id
LEFT JOIN instances AS p ON p.id = i.parent_id
ORDER BY CASE WHEN NOT %(newest_first)s THEN i.number END, i.number DESC;

-- name: numbered_tasks
-- Open forms that fit all that is given.
WITH fitting AS MATERIALIZED (
    SELECT
        t.number, t.task_id, t.instance_id, i.number AS instance_number,
        i.definition_id, t.element, t.name,
        coalesce(c.claimed_by, t.assignee) AS assignee, t.groups, t.form, t.created_at,
        t.due_at, t.follow_up_at, t.priority
    FROM tasks AS t
    JOIN instances AS i ON i.id = t.instance_id
    LEFT JOIN claims AS c ON c.task_id = t.task_id
    WHERE
        (%(numbers)s::bigint[] IS NULL OR t.number = ANY (%(numbers)s::bigint[]))
        AND (
            %(instances)s::bigint[] IS NULL
            OR i.number = ANY (%(instances)s::bigint[])
        )
        AND (%(keys)s::text[] IS NULL OR i.key = ANY (%(keys)s::text[]))
        AND (
            %(definitions)s::bigint[] IS NULL
            OR i.definition_id = ANY (%(definitions)s::bigint[])
        )
        AND (%(elements)s::text[] IS NULL OR t.element = ANY (%(elements)s::text[]))
        AND (%(names)s::text[] IS NULL OR t.name = ANY (%(names)s::text[]))
        AND coalesce(
            coalesce(c.claimed_by, t.assignee) = ANY (%(assignees)s::text[]),
            %(assignees)s::text[] IS NULL
        )
        AND coalesce(
            (coalesce(c.claimed_by, t.assignee) IS NOT NULL) = %(assigned)s::boolean,
            true
        )
        AND coalesce(t.groups && %(groups)s::text[], true)
    ORDER BY CASE WHEN NOT %(newest_first)s THEN t.number END, t.number DESC
    LIMIT %(counted)s
)
SELECT
    counted.total, one.number, one.task_id, one.instance_id, one.instance_number,
    one.definition_id, d.key, d.version, d.name, one.element, one.name, one.assignee,
    one.groups, one.form, f.number, one.created_at, one.due_at, one.follow_up_at,
    one.priority
FROM (SELECT count(*) AS total FROM fitting) AS counted
LEFT JOIN LATERAL (
    SELECT *
    FROM fitting
    ORDER BY CASE WHEN NOT %(newest_first)s THEN number END, number DESC
    LIMIT %(limit)s OFFSET %(offset)s
) AS one ON true
LEFT JOIN definitions AS d ON d.id = one.definition_id
LEFT JOIN LATERAL (
    SELECT forms.number
    FROM forms
    WHERE forms.form = one.form
    ORDER BY forms.version DESC
    LIMIT 1
) AS f ON true
ORDER BY CASE WHEN NOT %(newest_first)s THEN one.number END, one.number DESC;

-- name: numbered_incidents
-- Open incidents of instances that fit all that is given.
WITH fitting AS MATERIALIZED (
    SELECT
        n.id AS number, n.kind, n.message, n.opened_at, i.number AS instance_number,
        i.definition_id, coalesce(n.element, '') AS element, j.id AS job_number,
        t.number AS task_number
    FROM incidents AS n
    JOIN instances AS i ON i.id = n.instance_id
    LEFT JOIN jobs AS j ON j.task_id = n.task_id
    LEFT JOIN tasks AS t ON t.task_id = n.task_id
    WHERE
        n.resolved_at IS NULL
        AND (%(numbers)s::bigint[] IS NULL OR n.id = ANY (%(numbers)s::bigint[]))
        AND (
            %(instances)s::bigint[] IS NULL
            OR i.number = ANY (%(instances)s::bigint[])
        )
        AND (%(keys)s::text[] IS NULL OR i.key = ANY (%(keys)s::text[]))
        AND (
            %(definitions)s::bigint[] IS NULL
            OR i.definition_id = ANY (%(definitions)s::bigint[])
        )
        AND (%(elements)s::text[] IS NULL OR n.element = ANY (%(elements)s::text[]))
        AND (%(jobs)s::bigint[] IS NULL OR j.id = ANY (%(jobs)s::bigint[]))
    ORDER BY CASE WHEN NOT %(newest_first)s THEN n.id END, n.id DESC
    LIMIT %(counted)s
)
SELECT
    counted.total, one.number, one.kind, one.message, one.opened_at,
    one.instance_number, one.definition_id, d.key, d.version, d.name, one.element,
    one.job_number, one.task_number
FROM (SELECT count(*) AS total FROM fitting) AS counted
LEFT JOIN LATERAL (
    SELECT *
    FROM fitting
    ORDER BY CASE WHEN NOT %(newest_first)s THEN number END, number DESC
    LIMIT %(limit)s OFFSET %(offset)s
) AS one ON true
LEFT JOIN definitions AS d ON d.id = one.definition_id
ORDER BY CASE WHEN NOT %(newest_first)s THEN one.number END, one.number DESC;
