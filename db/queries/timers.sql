-- name: timers_claim_due
-- Lock free instances that have due timers, and the timers (as in jobs.sql).
SELECT timer.instance_id, timer.task_id
FROM (
    SELECT task_id, instance_id
    FROM timers
    WHERE due_at <= %(now)s::timestamptz
    ORDER BY due_at
    LIMIT %(reach)s::bigint
) AS due
CROSS JOIN LATERAL (
    SELECT id
    FROM instances
    WHERE
        instances.id = due.instance_id
        AND status = 'active'
        AND suspended_at IS NULL
    FOR NO KEY UPDATE SKIP LOCKED
) AS instance
CROSS JOIN LATERAL (
    SELECT instance_id, task_id
    FROM timers
    WHERE
        timers.task_id = due.task_id
        AND timers.instance_id = instance.id
        AND due_at <= %(now)s::timestamptz
    FOR UPDATE SKIP LOCKED
) AS timer
LIMIT %(most)s;
