-- name: order_tasks_waiting
-- Steps of orders that have waited so long for somebody: since they were there, since
-- somebody took them, or since the day that they were put off to; oldest first.
SELECT
    waiting.task_id::text, waiting.instance_id::text, waiting.element, waiting.name,
    waiting.number, waiting.claimed_by, waiting.waited_s,
    EXISTS (
        SELECT FROM events AS e
        WHERE
            e.instance_id = waiting.instance_id AND e.task_id = waiting.task_id
            AND e.kind = 'task reminded' AND e.at >= waiting.since_at
    ),
    EXISTS (
        SELECT FROM incidents AS n
        WHERE n.task_id = waiting.task_id AND n.resolved_at IS NULL
    )
FROM (
    SELECT
        t.task_id, t.instance_id, t.element, t.name, o.number, c.claimed_by,
        since.at AS since_at,
        extract(epoch FROM clock_timestamp() - since.at)::double precision AS waited_s
    FROM tasks AS t
    JOIN instances AS i ON i.id = t.instance_id
    JOIN orders AS o ON o.number = i.business_key
    LEFT JOIN claims AS c ON c.task_id = t.task_id
    CROSS JOIN LATERAL (
        SELECT greatest(t.created_at, c.claimed_at, t.follow_up_at) AS at
    ) AS since
    WHERE i.suspended_by IS NULL
) AS waiting
WHERE waiting.waited_s >= %(patience_s)s
ORDER BY waiting.since_at, waiting.task_id;
