-- name: figures_processes
-- Instances that began and ended, hour by hour.
SELECT
    h.hour, sum(h.started)::bigint, sum(h.completed)::bigint,
    sum(h.cancelled)::bigint, sum(h.failed)::bigint, sum(h.seconds)
FROM process_hours AS h
JOIN definitions AS d ON d.id = h.definition_id
WHERE
    h.hour >= %(since)s::timestamptz
    AND h.hour < %(until)s::timestamptz
    AND (%(key)s::text IS NULL OR d.key = %(key)s)
GROUP BY h.hour
ORDER BY h.hour;

-- name: figures_lead_times
-- How long completed instances took, in buckets, added up from each of these instants
-- to the next.
SELECT
    (%(starts)s::timestamptz[])[width_bucket(l.hour, %(starts)s::timestamptz[])],
    l.bucket, sum(l.instances)::bigint
FROM lead_times AS l
JOIN definitions AS d ON d.id = l.definition_id
WHERE
    l.hour >= (%(starts)s::timestamptz[])[1]
    AND l.hour < %(until)s::timestamptz
    AND (%(key)s::text IS NULL OR d.key = %(key)s)
GROUP BY 1, 2
ORDER BY 1, 2;

-- name: figures_orders
-- Orders that came and ended, hour by hour.
SELECT hour, received, done, cancelled
FROM order_hours
WHERE hour >= %(since)s::timestamptz AND hour < %(until)s::timestamptz
ORDER BY hour;

-- name: figures_robots
-- How robots spent their time.
SELECT
    robot, sum(driving_s), sum(waiting_s), sum(idle_s), sum(away_s)
FROM robot_hours
WHERE hour >= %(since)s::timestamptz AND hour < %(until)s::timestamptz
GROUP BY robot
ORDER BY robot;

-- name: figures_incidents
-- Incidents by hour and cause; one of their messages says what the cause is.
SELECT
    date_trunc('hour', n.opened_at, 'UTC'), n.kind,
    CASE WHEN n.cause = '' THEN n.message ELSE n.cause END,
    max(n.message), count(*), count(*) FILTER (WHERE n.resolved_at IS NULL)
FROM incidents AS n
LEFT JOIN instances AS i ON i.id = n.instance_id
WHERE
    n.opened_at >= %(since)s::timestamptz
    AND n.opened_at < %(until)s::timestamptz
    AND (%(key)s::text IS NULL OR i.key = %(key)s)
GROUP BY 1, 2, 3
ORDER BY 1;
