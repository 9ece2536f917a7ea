-- name: dashboard_ended
-- Orders that ended in this time, with what was weighed for them.
SELECT
    o.number, o.product, o.customer, o.status, o.due, o.started_at, o.ended_at,
    o.instance_id::text,
    COALESCE(
        (
            SELECT sum(l.measured_kg)
            FROM order_lines AS l
            WHERE l.order_number = o.number
        ), 0
    )
FROM orders AS o
WHERE o.ended_at >= %(since)s::timestamptz AND o.ended_at < %(until)s::timestamptz
ORDER BY o.ended_at, o.number
LIMIT %(limit)s;

-- name: dashboard_weighings
-- How often each material of these orders was weighed, and how many of its lines are
-- loaded.
SELECT w.record, w.material, w.weighings, COALESCE(l.lines, 0)
FROM (
    SELECT record, material, count(*) AS weighings
    FROM record_lines
    WHERE record = ANY(%(numbers)s::text[]) AND what = 'weighed'
    GROUP BY record, material
) AS w
LEFT JOIN (
    SELECT order_number, material, count(loaded_at) AS lines
    FROM order_lines
    WHERE order_number = ANY(%(numbers)s::text[])
    GROUP BY order_number, material
) AS l ON l.order_number = w.record AND l.material = w.material
ORDER BY w.record, w.material;

-- name: dashboard_waits
-- How long these orders waited in each element, open rounds until now.
SELECT e.key, e.element, o.number, sum(e.seconds)
FROM orders AS o
CROSS JOIN LATERAL (
    SELECT
        i.key, rounds.element,
        extract(EPOCH FROM COALESCE(rounds.left_at, clock_timestamp()) - rounds.entered_at)
            AS seconds
    FROM instances AS i
    CROSS JOIN LATERAL (
        SELECT
            element, task_id,
            min(at) FILTER (WHERE kind = 'entered') AS entered_at,
            max(at) FILTER (WHERE kind <> 'entered') AS left_at
        FROM events
        WHERE instance_id = i.id AND kind IN ('entered', 'left', 'cancelled')
        GROUP BY element, task_id
    ) AS rounds
    WHERE i.id = o.instance_id AND rounds.entered_at IS NOT NULL
) AS e
WHERE o.number = ANY(%(numbers)s::text[])
GROUP BY e.key, e.element, o.number;
