-- name: schedule_past_orders
-- Orders that were made since, or are.
SELECT number, product, status, priority, due, started_at, ended_at
FROM orders
WHERE
    started_at IS NOT NULL
    AND (ended_at IS NULL AND status = 'in process' OR ended_at > %(since)s::timestamptz)
ORDER BY started_at, number
LIMIT %(limit)s;

-- name: schedule_past_drives
-- Where robots drove for these orders.
SELECT d.robot, o.number, d.place, COALESCE(d.sent_at, d.created_at), d.ended_at
FROM orders AS o
JOIN drives AS d ON d.instance_id = o.instance_id
WHERE o.number = ANY(%(numbers)s::text[]) AND d.robot IS NOT NULL
ORDER BY 4;

-- name: schedule_past_work
-- What people did for these orders: from taking a task to its answer.
SELECT
    COALESCE(p.name, a.answered_by), o.number, a.element,
    COALESCE(
        (
            SELECT max(e.at)
            FROM events AS e
            WHERE
                e.instance_id = a.instance_id
                AND e.task_id = a.task_id
                AND e.kind = 'task claimed'
        ),
        a.answered_at
    ),
    a.answered_at
FROM orders AS o
JOIN answers AS a ON a.instance_id = o.instance_id
LEFT JOIN people AS p ON p.login = a.answered_by
WHERE o.number = ANY(%(numbers)s::text[])
ORDER BY a.answered_at;
