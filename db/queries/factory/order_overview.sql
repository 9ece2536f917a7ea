-- name: order_overview_page
-- One page of orders, newest first, with how far each is loaded.
WITH RECURSIVE troubled AS (
    (
        SELECT instance_id AS id
        FROM incidents
        WHERE resolved_at IS NULL AND instance_id IS NOT NULL AND %(stuck)s
        UNION
        SELECT instance_id
        FROM tasks
        WHERE starts_with(form, %(decision_form)s) AND %(stuck)s
    )
    UNION
    SELECT i.parent_id
    FROM instances AS i
    JOIN troubled AS t ON t.id = i.id
    WHERE i.parent_id IS NOT NULL
),
page AS (
    SELECT
        number, product, customer, status, priority, received_at, due, started_at,
        ended_at, instance_id
    FROM orders
    WHERE (%(number)s::text IS NULL OR number = %(number)s)
        AND (NOT %(open)s OR status IN ('waiting for release', 'new', 'in process'))
        AND (%(statuses)s::text[] IS NULL OR status = ANY(%(statuses)s::text[]))
        AND (%(due_before)s::date IS NULL OR due < %(due_before)s::date)
        AND (NOT %(stuck)s OR instance_id IN (SELECT id FROM troubled))
        AND (
            NOT %(idle)s
            OR (
                (
                    status = 'in process'
                    OR (
                        status = 'new'
                        AND received_at < clock_timestamp() - interval '2 minutes'
                    )
                )
                AND NOT EXISTS (
                    SELECT
                    FROM instances AS i
                    WHERE
                        i.status = 'active'
                        AND (i.id = orders.instance_id OR i.business_key = orders.number)
                )
            )
        )
        AND (
            %(pattern)s::text IS NULL
            OR number ILIKE %(pattern)s
            OR product ILIKE %(pattern)s
            OR customer ILIKE %(pattern)s
        )
        AND (
            %(before_at)s::timestamptz IS NULL
            OR (received_at, number) < (%(before_at)s::timestamptz, %(before_number)s)
        )
    ORDER BY received_at DESC, number DESC
    LIMIT %(limit)s
)
SELECT
    p.number, p.product, p.customer, p.status, p.priority, p.received_at, p.due,
    p.started_at, p.ended_at, p.instance_id, l.lines, l.required_kg,
    l.measured_lines, l.measured_kg, i.variables -> 'loaded'
FROM page AS p
CROSS JOIN LATERAL (
    SELECT
        count(*) AS lines,
        sum(required_kg) AS required_kg,
        count(measured_kg) AS measured_lines,
        sum(measured_kg) AS measured_kg
    FROM order_lines
    WHERE order_number = p.number
) AS l
LEFT JOIN instances AS i ON i.id = p.instance_id
ORDER BY p.received_at DESC, p.number DESC;

-- name: order_overview_waits
-- What these instances and the processes that they called wait for now.
WITH RECURSIVE tree AS (
    SELECT id AS root, id
    FROM unnest(%(instance_ids)s::uuid[]) AS given (id)
    UNION ALL
    SELECT t.root, i.id
    FROM instances AS i
    JOIN tree AS t ON t.id = i.parent_id
    WHERE i.status = 'active'
)
SELECT
    t.root, 'incident', n.task_id, n.element, NULL, NULL, NULL, NULL,
    NULL, NULL, NULL, n.message, 0, n.opened_at
FROM tree AS t
JOIN incidents AS n ON n.instance_id = t.id AND n.resolved_at IS NULL
UNION ALL
SELECT
    t.root, 'form', f.task_id, f.element, f.name, f.form,
    COALESCE(p.name, c.claimed_by, f.assignee),
    CASE
        WHEN cardinality(f.groups) > 0 THEN array_to_string(f.groups, ', ')
        ELSE f.lane
    END,
    i.variables ->> 'robot', i.variables -> 'material' ->> 'place',
    i.variables -> 'material' ->> 'name', NULL, 0, f.created_at
FROM tree AS t
JOIN tasks AS f ON f.instance_id = t.id
JOIN instances AS i ON i.id = t.id
LEFT JOIN claims AS c ON c.task_id = f.task_id
LEFT JOIN people AS p ON p.login = COALESCE(c.claimed_by, f.assignee)
UNION ALL
SELECT
    t.root, 'drive', g.task_id, NULL, NULL, g.state, NULL, NULL, g.robot, g.place,
    NULL, CASE WHEN g.state = 'new' THEN g.reason END, 0,
    COALESCE(g.sent_at, g.created_at)
FROM tree AS t
JOIN drives AS g ON g.instance_id = t.id AND g.state IN ('new', 'sent')
UNION ALL
SELECT
    t.root, 'job', j.task_id, j.element, j.topic, j.state, NULL, NULL,
    j.inputs ->> 'robot', j.inputs ->> 'place', NULL, j.last_error, j.attempts,
    j.created_at
FROM tree AS t
JOIN jobs AS j ON j.instance_id = t.id AND j.state <> 'given_up'
UNION ALL
SELECT
    t.root, 'timer', r.task_id, r.element, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    NULL, 0, r.due_at
FROM tree AS t
JOIN timers AS r ON r.instance_id = t.id
UNION ALL
SELECT
    t.root, 'event', s.task_id, s.element, s.event, s.kind, NULL, NULL, NULL, NULL,
    NULL, NULL, 0, s.created_at
FROM tree AS t
JOIN subscriptions AS s ON s.instance_id = t.id;

-- name: order_overview_counts
-- How many orders are open, and how many of these need a look; counted up to a cap.
WITH RECURSIVE troubled AS (
    (
        SELECT instance_id AS id
        FROM incidents
        WHERE resolved_at IS NULL AND instance_id IS NOT NULL
        UNION
        SELECT instance_id
        FROM tasks
        WHERE starts_with(form, %(decision_form)s)
    )
    UNION
    SELECT i.parent_id
    FROM instances AS i
    JOIN troubled AS t ON t.id = i.id
    WHERE i.parent_id IS NOT NULL
),
unended AS (
    SELECT status, due, instance_id
    FROM orders
    WHERE status IN ('waiting for release', 'new', 'in process')
    LIMIT %(cap)s + 1
)
SELECT
    count(*),
    count(*) FILTER (WHERE due < %(today)s::date),
    count(*) FILTER (WHERE instance_id IN (SELECT id FROM troubled)),
    count(*) FILTER (WHERE status = 'waiting for release'),
    count(*) FILTER (WHERE status = 'new'),
    count(*) FILTER (WHERE status = 'in process')
FROM unended;

-- name: order_overview_found
-- How many orders a search finds, counted up to a cap.
SELECT count(*)
FROM (
    SELECT 1
    FROM orders
    WHERE (NOT %(open)s OR status IN ('waiting for release', 'new', 'in process'))
        AND (%(statuses)s::text[] IS NULL OR status = ANY(%(statuses)s::text[]))
        AND (
            number ILIKE %(pattern)s
            OR product ILIKE %(pattern)s
            OR customer ILIKE %(pattern)s
        )
    LIMIT %(cap)s + 1
) AS found;

-- name: order_overview_usual_s
-- How long an order takes: the median of the last ones that were done.
SELECT percentile_cont(0.5) WITHIN GROUP (
    ORDER BY extract(EPOCH FROM ended_at - started_at)
)
FROM (
    SELECT started_at, ended_at
    FROM orders
    WHERE status = 'done' AND started_at IS NOT NULL AND ended_at IS NOT NULL
    ORDER BY received_at DESC
    LIMIT %(orders)s
) AS latest;

-- name: order_overview_last_number
-- The highest order number of a series, to propose the next one.
SELECT max(number)
FROM orders
WHERE number BETWEEN %(first)s AND %(last)s;

-- name: order_overview_sorted
-- One page of orders by a column of the list; few statements need another order than
-- the newest first, so these pages are counted off.
WITH RECURSIVE troubled AS (
    (
        SELECT instance_id AS id
        FROM incidents
        WHERE resolved_at IS NULL AND instance_id IS NOT NULL AND %(stuck)s
        UNION
        SELECT instance_id
        FROM tasks
        WHERE starts_with(form, %(decision_form)s) AND %(stuck)s
    )
    UNION
    SELECT i.parent_id
    FROM instances AS i
    JOIN troubled AS t ON t.id = i.id
    WHERE i.parent_id IS NOT NULL
),
page AS (
    SELECT
        o.number, o.product, o.customer, o.status, o.priority, o.received_at, o.due,
        o.started_at, o.ended_at, o.instance_id, l.lines, l.required_kg,
        l.measured_lines, l.measured_kg, i.variables -> 'loaded' AS loaded,
        row_number() OVER (
            ORDER BY
                CASE WHEN NOT %(down)s AND %(sort)s = 'order' THEN o.number END,
                CASE WHEN %(down)s AND %(sort)s = 'order' THEN o.number END DESC,
                CASE WHEN NOT %(down)s AND %(sort)s = 'status' THEN
                    array_position(ARRAY[
                        'waiting for release', 'new', 'in process', 'done',
                        'completed manually', 'cancelled'], o.status) END,
                CASE WHEN %(down)s AND %(sort)s = 'status' THEN
                    array_position(ARRAY[
                        'waiting for release', 'new', 'in process', 'done',
                        'completed manually', 'cancelled'], o.status) END DESC,
                CASE WHEN NOT %(down)s AND %(sort)s = 'priority' THEN
                    array_position(ARRAY['urgent', 'high', 'normal', 'low'], o.priority)
                END,
                CASE WHEN %(down)s AND %(sort)s = 'priority' THEN
                    array_position(ARRAY['urgent', 'high', 'normal', 'low'], o.priority)
                END DESC,
                CASE WHEN NOT %(down)s AND %(sort)s = 'loaded' THEN
                    l.measured_lines::float8 / greatest(l.lines, 1) END,
                CASE WHEN %(down)s AND %(sort)s = 'loaded' THEN
                    l.measured_lines::float8 / greatest(l.lines, 1) END DESC,
                CASE WHEN NOT %(down)s AND %(sort)s = 'due' THEN o.due END NULLS LAST,
                CASE WHEN %(down)s AND %(sort)s = 'due' THEN o.due END DESC NULLS LAST,
                CASE WHEN NOT %(down)s AND %(sort)s = 'waits' THEN i.changed_at END,
                CASE WHEN %(down)s AND %(sort)s = 'waits' THEN i.changed_at END
                    DESC NULLS LAST,
                CASE WHEN NOT %(down)s AND %(sort)s = 'received' THEN o.received_at END,
                o.received_at DESC, o.number DESC
        ) AS place
    FROM orders AS o
    CROSS JOIN LATERAL (
        SELECT
            count(*) AS lines,
            sum(required_kg) AS required_kg,
            count(measured_kg) AS measured_lines,
            sum(measured_kg) AS measured_kg
        FROM order_lines
        WHERE order_number = o.number
    ) AS l
    LEFT JOIN instances AS i ON i.id = o.instance_id
    WHERE (NOT %(open)s OR o.status IN ('waiting for release', 'new', 'in process'))
        AND (%(statuses)s::text[] IS NULL OR o.status = ANY(%(statuses)s::text[]))
        AND (%(due_before)s::date IS NULL OR o.due < %(due_before)s::date)
        AND (%(priority)s::text IS NULL OR o.priority = %(priority)s)
        AND (%(since)s::timestamptz IS NULL OR o.received_at >= %(since)s::timestamptz)
        AND (NOT %(stuck)s OR o.instance_id IN (SELECT id FROM troubled))
        AND (
            %(pattern)s::text IS NULL
            OR o.number ILIKE %(pattern)s
            OR o.product ILIKE %(pattern)s
            OR o.customer ILIKE %(pattern)s
        )
)
SELECT
    number, product, customer, status, priority, received_at, due, started_at, ended_at,
    instance_id, lines, required_kg, measured_lines, measured_kg, loaded
FROM page
WHERE place > %(skip)s
ORDER BY place
LIMIT %(limit)s;
