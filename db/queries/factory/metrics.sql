-- name: factory_metrics_now
-- What monitoring asks of the factory: metric, two labels, value.
SELECT 'goals', robot, state, count(*)::float8
FROM goals
WHERE state IN ('new', 'sent')
GROUP BY 2, 3
UNION ALL
SELECT 'robot_connected', robot, '',
    (link = 'up' AND lease_until >= clock_timestamp())::int::float8
FROM robots
UNION ALL
SELECT 'robot_ready', robot, '',
    (ready AND lease_until >= clock_timestamp())::int::float8
FROM robots
UNION ALL
SELECT 'robot_seconds_total', r.robot, spent.doing, sum(spent.seconds)
FROM robot_hours AS r
CROSS JOIN LATERAL (
    VALUES ('driving', driving_s), ('waiting', waiting_s), ('idle', idle_s),
        ('away', away_s)
) AS spent (doing, seconds)
GROUP BY 2, 3
UNION ALL
SELECT 'mail_outbox', state, '', count(*)::float8
FROM outbox
WHERE state <> 'sent'
GROUP BY 2
UNION ALL
SELECT 'queue_size', queue.name, '', count(waiting.at)::float8
FROM (VALUES ('mail'), ('goals')) AS queue (name)
LEFT JOIN (
    SELECT 'mail' AS queue, not_before AS at
    FROM outbox
    WHERE state = 'waiting' AND not_before <= now()
    UNION ALL
    SELECT 'goals', created_at FROM goals WHERE state = 'new'
) AS waiting ON waiting.queue = queue.name
GROUP BY 2
UNION ALL
SELECT 'queue_oldest_seconds', queue.name, '', GREATEST(
    0, EXTRACT(EPOCH FROM clock_timestamp() - min(waiting.at))
)::float8
FROM (VALUES ('mail'), ('goals')) AS queue (name)
LEFT JOIN (
    SELECT 'mail' AS queue, not_before AS at
    FROM outbox
    WHERE state = 'waiting' AND not_before <= now()
    UNION ALL
    SELECT 'goals', created_at FROM goals WHERE state = 'new'
) AS waiting ON waiting.queue = queue.name
GROUP BY 2
ORDER BY 1, 2, 3;
