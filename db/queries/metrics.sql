-- name: metrics_now
-- What monitoring asks for, in one look: metric, two labels, value.
SELECT 'instances', key, CASE WHEN suspended_at IS NULL THEN 'active' ELSE 'suspended' END,
    count(*)::float8
FROM instances
WHERE ended_at IS NULL
GROUP BY 2, 3
UNION ALL
SELECT 'instances_total', d.key, ended.state, sum(ended.instances)::float8
FROM process_hours AS h
JOIN definitions AS d ON d.id = h.definition_id
CROSS JOIN LATERAL (
    VALUES ('started', h.started), ('completed', h.completed),
        ('cancelled', h.cancelled), ('failed', h.failed)
) AS ended (state, instances)
GROUP BY 2, 3
UNION ALL
SELECT 'incidents', kind, '', count(*)::float8
FROM incidents
WHERE resolved_at IS NULL
GROUP BY 2
UNION ALL
SELECT 'jobs', topic, state, count(*)::float8
FROM jobs
GROUP BY 2, 3
UNION ALL
SELECT 'jobs_total', topic, counted.outcome, counted.jobs::float8
FROM job_counts
CROSS JOIN LATERAL (
    VALUES ('run', run), ('failed', failed)
) AS counted (outcome, jobs)
UNION ALL
SELECT 'tasks', CASE WHEN c.task_id IS NULL THEN 'open' ELSE 'taken' END, '',
    count(*)::float8
FROM tasks AS t
LEFT JOIN claims AS c ON c.task_id = t.task_id
GROUP BY 2
UNION ALL
SELECT 'timers', CASE WHEN due_at <= now() THEN 'due' ELSE 'waiting' END, '',
    count(*)::float8
FROM timers
GROUP BY 2
UNION ALL
SELECT 'history_lines_total', kind, '', lines::float8
FROM line_counts
UNION ALL
SELECT 'queue_size', waiting.queue, '', count(waiting.at)::float8
FROM (
    SELECT 'deliveries' AS queue, created_at AS at FROM deliveries
    UNION ALL
    SELECT 'jobs', run_at FROM jobs WHERE state = 'ready' AND run_at <= now()
    UNION ALL
    SELECT 'timers', due_at FROM timers WHERE due_at <= now()
) AS waiting
GROUP BY 2
UNION ALL
SELECT 'queue_oldest_seconds', waiting.queue, '',
    GREATEST(0, EXTRACT(EPOCH FROM clock_timestamp() - min(waiting.at)))::float8
FROM (
    SELECT 'deliveries' AS queue, created_at AS at FROM deliveries
    UNION ALL
    SELECT 'jobs', run_at FROM jobs WHERE state = 'ready' AND run_at <= now()
    UNION ALL
    SELECT 'timers', due_at FROM timers WHERE due_at <= now()
) AS waiting
GROUP BY 2
ORDER BY 1, 2, 3;
