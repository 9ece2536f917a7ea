-- Lists with many filters. The last column is how many fit in all. A key to sort by is
-- an instant or a text; both directions are written out.

-- name: listings_tasks
-- Open forms.
WITH wanted AS (
    SELECT
        t.task_id, t.instance_id, i.business_key, t.element, t.name, t.lane, t.form,
        t.assignee, t.groups, t.inputs, t.created_at,
        i.suspended_at IS NOT NULL AS suspended, t.due_at, t.follow_up_at, t.priority,
        t.owner, t.delegate, t.resolved, i.key, d.version, i.definition_id,
        c.claimed_by, i.variables
    FROM tasks AS t
    JOIN instances AS i ON i.id = t.instance_id
    JOIN definitions AS d ON d.id = i.definition_id
    LEFT JOIN claims AS c ON c.task_id = t.task_id
)
SELECT
    task_id, instance_id, business_key, element, name, lane, form, assignee, groups,
    inputs, created_at, suspended, due_at, follow_up_at, priority, owner, delegate,
    resolved, key, version, definition_id, claimed_by, count(*) OVER ()
FROM wanted
WHERE
    coalesce(task_id = ANY (%(task_ids)s::uuid[]), true)
    AND coalesce(instance_id = ANY (%(instance_ids)s::uuid[]), true)
    AND (%(business_key)s::text IS NULL OR business_key = %(business_key)s::text)
    AND (
        %(business_key_like)s::text IS NULL
        OR business_key LIKE %(business_key_like)s::text
    )
    AND coalesce(key = ANY (%(processes)s::text[]), true)
    AND coalesce(definition_id = ANY (%(definitions)s::bigint[]), true)
    AND coalesce(element = ANY (%(elements)s::text[]), true)
    AND coalesce(name = %(name)s::text, true)
    AND coalesce(name LIKE %(name_like)s::text, true)
    AND (
        %(assignee)s::text IS NULL
        OR coalesce(claimed_by, assignee) = %(assignee)s::text
    )
    AND coalesce(
        (coalesce(claimed_by, assignee) IS NOT NULL) = %(assigned)s::boolean, true
    )
    AND (
        %(groups)s::text[] IS NULL
        OR EXISTS (
            SELECT
            FROM unnest(
                CASE
                    WHEN cardinality(groups) = 0 AND lane IS NOT NULL THEN ARRAY[lane]
                    ELSE groups
                END
            ) AS one (name)
            WHERE lower(one.name) = ANY (%(groups)s::text[])
        )
    )
    AND coalesce(suspended = %(suspended)s::boolean, true)
    AND coalesce(created_at > %(created_after)s::timestamptz, true)
    AND coalesce(created_at < %(created_before)s::timestamptz, true)
    AND (%(due_after)s::timestamptz IS NULL OR due_at > %(due_after)s::timestamptz)
    AND (%(due_before)s::timestamptz IS NULL OR due_at < %(due_before)s::timestamptz)
    AND (
        %(shown_after)s::timestamptz IS NULL
        OR follow_up_at > %(shown_after)s::timestamptz
    )
    AND (
        %(shown_before)s::timestamptz IS NULL
        OR follow_up_at < %(shown_before)s::timestamptz
    )
    AND (
        %(shown_by)s::timestamptz IS NULL
        OR follow_up_at IS NULL
        OR follow_up_at < %(shown_by)s::timestamptz
    )
    AND coalesce(priority >= %(priority_from)s::integer, true)
    AND coalesce(priority <= %(priority_to)s::integer, true)
    AND (%(owner)s::text IS NULL OR owner = %(owner)s::text)
    AND (
        %(delegation)s::text IS NULL
        OR %(delegation)s::text = CASE
            WHEN resolved THEN 'RESOLVED' WHEN delegate IS NOT NULL THEN 'PENDING'
        END
    )
    AND NOT EXISTS (
        SELECT
        FROM json_each(%(variables)s::json) AS asked
        WHERE (variables -> asked.key)::text IS DISTINCT FROM asked.value::text
    )
ORDER BY
    CASE WHEN NOT %(down)s THEN CASE %(sort)s
        WHEN 'created' THEN created_at
        WHEN 'due' THEN due_at
        WHEN 'follow_up' THEN follow_up_at
    END END,
    CASE WHEN %(down)s THEN CASE %(sort)s
        WHEN 'created' THEN created_at
        WHEN 'due' THEN due_at
        WHEN 'follow_up' THEN follow_up_at
    END END DESC NULLS LAST,
    CASE WHEN NOT %(down)s AND %(sort)s = 'priority' THEN priority END,
    CASE WHEN %(down)s AND %(sort)s = 'priority' THEN priority END DESC,
    CASE WHEN NOT %(down)s THEN CASE %(sort)s
        WHEN 'name' THEN name
        WHEN 'assignee' THEN coalesce(claimed_by, assignee)
        WHEN 'element' THEN element
        WHEN 'instance' THEN instance_id::text
        WHEN 'id' THEN task_id::text
    END END,
    CASE WHEN %(down)s THEN CASE %(sort)s
        WHEN 'name' THEN name
        WHEN 'assignee' THEN coalesce(claimed_by, assignee)
        WHEN 'element' THEN element
        WHEN 'instance' THEN instance_id::text
        WHEN 'id' THEN task_id::text
    END END DESC NULLS LAST,
    created_at, task_id
LIMIT %(limit)s::bigint OFFSET %(offset)s::bigint;

-- name: listings_instances
-- Instances, without their state.
SELECT
    i.id, i.definition_id, i.key, d.version, d.name, i.business_key, i.status,
    i.started_at, i.ended_at, i.end_reason, i.suspended_at IS NOT NULL, i.parent_id,
    count(*) OVER ()
FROM instances AS i
JOIN definitions AS d ON d.id = i.definition_id
WHERE
    coalesce(i.id = ANY (%(instance_ids)s::uuid[]), true)
    AND (%(parent_id)s::uuid IS NULL OR i.parent_id = %(parent_id)s::uuid)
    AND coalesce((i.parent_id IS NULL) = %(top)s::boolean, true)
    AND (
        %(business_keys)s::text[] IS NULL
        OR i.business_key = ANY (%(business_keys)s::text[])
    )
    AND (
        %(business_key_like)s::text IS NULL
        OR i.business_key LIKE %(business_key_like)s::text
    )
    AND coalesce(i.key = ANY (%(processes)s::text[]), true)
    AND coalesce(i.definition_id = ANY (%(definitions)s::bigint[]), true)
    AND coalesce(i.status = ANY (%(statuses)s::text[]), true)
    AND coalesce((i.suspended_at IS NOT NULL) = %(suspended)s::boolean, true)
    AND (
        %(troubled)s::boolean IS NULL
        OR %(troubled)s::boolean = EXISTS (
            SELECT FROM incidents AS n
            WHERE n.instance_id = i.id AND n.resolved_at IS NULL
        )
    )
    AND coalesce(i.started_at > %(started_after)s::timestamptz, true)
    AND coalesce(i.started_at < %(started_before)s::timestamptz, true)
    AND (
        %(ended_after)s::timestamptz IS NULL
        OR i.ended_at > %(ended_after)s::timestamptz
    )
    AND (
        %(ended_before)s::timestamptz IS NULL
        OR i.ended_at < %(ended_before)s::timestamptz
    )
    AND coalesce(i.ended_at > %(lasted_after)s::timestamptz, true)
    AND (
        %(assignee)s::text IS NULL
        OR EXISTS (
            SELECT FROM answers AS a
            WHERE a.instance_id = i.id AND a.answered_by = %(assignee)s::text
        )
        OR EXISTS (
            SELECT FROM tasks AS t
            LEFT JOIN claims AS c ON c.task_id = t.task_id
            WHERE
                t.instance_id = i.id
                AND coalesce(c.claimed_by, t.assignee) = %(assignee)s::text
        )
    )
    AND NOT EXISTS (
        SELECT
        FROM json_each(%(variables)s::json) AS asked
        WHERE (i.variables -> asked.key)::text IS DISTINCT FROM asked.value::text
    )
ORDER BY
    CASE WHEN NOT %(down)s THEN CASE %(sort)s
        WHEN 'started' THEN i.started_at
        WHEN 'ended' THEN i.ended_at
    END END,
    CASE WHEN %(down)s THEN CASE %(sort)s
        WHEN 'started' THEN i.started_at
        WHEN 'ended' THEN i.ended_at
    END END DESC NULLS LAST,
    CASE WHEN NOT %(down)s THEN CASE %(sort)s
        WHEN 'id' THEN i.id::text
        WHEN 'key' THEN i.key
        WHEN 'business_key' THEN i.business_key
    END END,
    CASE WHEN %(down)s THEN CASE %(sort)s
        WHEN 'id' THEN i.id::text
        WHEN 'key' THEN i.key
        WHEN 'business_key' THEN i.business_key
    END END DESC NULLS LAST,
    i.started_at, i.id
LIMIT %(limit)s::bigint OFFSET %(offset)s::bigint;

-- name: listings_incidents
-- Incidents, open or closed.
SELECT
    n.id, n.kind, n.message, n.opened_at, n.instance_id, n.task_id, n.element,
    n.resolved_at, n.resolved_by, n.cause, i.key, d.version, i.definition_id,
    count(*) OVER ()
FROM incidents AS n
LEFT JOIN instances AS i ON i.id = n.instance_id
LEFT JOIN definitions AS d ON d.id = i.definition_id
WHERE
    coalesce(n.id = ANY (%(ids)s::bigint[]), true)
    AND coalesce((n.resolved_at IS NULL) = %(open)s::boolean, true)
    AND coalesce(n.kind = %(kind)s::text, true)
    AND coalesce(n.message = %(message)s::text, true)
    AND coalesce(n.message LIKE %(message_like)s::text, true)
    AND (
        %(instance_ids)s::uuid[] IS NULL
        OR n.instance_id = ANY (%(instance_ids)s::uuid[])
    )
    AND (%(task_ids)s::uuid[] IS NULL OR n.task_id = ANY (%(task_ids)s::uuid[]))
    AND (%(processes)s::text[] IS NULL OR i.key = ANY (%(processes)s::text[]))
    AND (
        %(definitions)s::bigint[] IS NULL
        OR i.definition_id = ANY (%(definitions)s::bigint[])
    )
    AND (%(element)s::text IS NULL OR n.element = %(element)s::text)
    AND coalesce(n.opened_at > %(opened_after)s::timestamptz, true)
    AND coalesce(n.opened_at < %(opened_before)s::timestamptz, true)
ORDER BY n.id * CASE WHEN %(down)s THEN -1 ELSE 1 END
LIMIT %(limit)s::bigint OFFSET %(offset)s::bigint;

-- name: listings_definitions
-- Versions of processes.
WITH known AS (
    SELECT
        d.id, d.key, d.version, d.name, d.deployed_at, d.deployed_by,
        s.key IS NOT NULL AS suspended,
        d.version = max(d.version) OVER (PARTITION BY d.key) AS latest
    FROM definitions AS d
    LEFT JOIN suspended_processes AS s ON s.key = d.key
)
SELECT
    id, key, version, name, deployed_at, deployed_by, suspended, count(*) OVER ()
FROM known
WHERE
    coalesce(id = ANY (%(ids)s::bigint[]), true)
    AND coalesce(key = ANY (%(keys)s::text[]), true)
    AND coalesce(key LIKE %(key_like)s::text, true)
    AND coalesce(name = %(name)s::text, true)
    AND coalesce(name LIKE %(name_like)s::text, true)
    AND coalesce(version = %(version)s::integer, true)
    AND coalesce(latest = %(latest)s::boolean, true)
    AND coalesce(suspended = %(suspended)s::boolean, true)
ORDER BY
    CASE WHEN NOT %(down)s THEN CASE %(sort)s
        WHEN 'name' THEN name
        WHEN 'version' THEN lpad(version::text, 10, '0')
        WHEN 'id' THEN lpad(id::text, 20, '0')
        ELSE key
    END END,
    CASE WHEN %(down)s THEN CASE %(sort)s
        WHEN 'name' THEN name
        WHEN 'version' THEN lpad(version::text, 10, '0')
        WHEN 'id' THEN lpad(id::text, 20, '0')
        ELSE key
    END END DESC,
    key, version
LIMIT %(limit)s::bigint OFFSET %(offset)s::bigint;

-- name: listings_deployments
-- What was deployed in one transaction has one instant.
SELECT
    deployed_at, deployed_by, note,
    count(*) FILTER (WHERE kind = 'definition'),
    count(*) FILTER (WHERE kind = 'decision'),
    count(*) FILTER (WHERE kind = 'form')
FROM (
    SELECT 'definition' AS kind, deployed_at, deployed_by, note FROM definitions
    UNION ALL
    SELECT 'decision', deployed_at, deployed_by, note FROM decisions
    UNION ALL
    SELECT 'form', deployed_at, deployed_by, note FROM forms
) AS one
GROUP BY deployed_at, deployed_by, note
ORDER BY deployed_at DESC;

-- name: listings_instance_of
-- Where a token is or was; the history is gone through only for one that nobody
-- answered and that is no longer there.
SELECT coalesce(
    (SELECT instance_id FROM visits WHERE task_id = %(task_id)s::uuid),
    (SELECT instance_id FROM answers WHERE task_id = %(task_id)s::uuid),
    (SELECT instance_id FROM tasks WHERE task_id = %(task_id)s::uuid),
    (SELECT instance_id FROM events WHERE task_id = %(task_id)s::uuid LIMIT 1)
)::text;

-- name: listings_visits
-- When tokens of some instances came to elements and left them.
SELECT
    e.instance_id, e.task_id, e.element,
    min(e.at) AS entered_at,
    max(e.at) FILTER (WHERE e.kind <> 'entered'),
    coalesce(bool_or(e.kind = 'cancelled'), false),
    coalesce(min(a.answered_by), min(c.claimed_by), min(t.assignee))
FROM events AS e
LEFT JOIN answers AS a ON a.task_id = e.task_id
LEFT JOIN tasks AS t ON t.task_id = e.task_id
LEFT JOIN claims AS c ON c.task_id = e.task_id
WHERE
    e.instance_id = ANY (%(instance_ids)s::uuid[])
    AND e.kind IN ('entered', 'left', 'cancelled')
    AND e.element IS NOT NULL
    AND e.task_id IS NOT NULL
GROUP BY e.instance_id, e.task_id, e.element
ORDER BY entered_at, min(e.id);

-- name: listings_waiting
-- Instances that wait for a message and have these variables.
SELECT DISTINCT i.id
FROM subscriptions AS s
JOIN instances AS i ON i.id = s.instance_id
WHERE
    s.kind = 'message'
    AND s.event = %(event)s
    AND (%(business_key)s::text IS NULL OR i.business_key = %(business_key)s::text)
    AND NOT EXISTS (
        SELECT
        FROM json_each(%(variables)s::json) AS asked
        WHERE (i.variables -> asked.key)::text IS DISTINCT FROM asked.value::text
    )
LIMIT 20;
