-- name: timers_claim_due
-- Lock free instances that have due timers, and the timers, and read both (as in
-- jobs.sql).
SELECT
    timer.task_id,
    instance.id, instance.definition_id, instance.key, instance.business_key,
    instance.parent_id, instance.parent_task, instance.status, instance.state,
    instance.variables, instance.revision, instance.started_at, instance.changed_at,
    instance.ended_at, instance.end_reason, instance.suspended_by,
    instance.suspended_reason, instance.suspended_at, instance.restarted_from
FROM (
    SELECT task_id, instance_id
    FROM timers
    WHERE due_at <= %(now)s::timestamptz
    ORDER BY due_at
    LIMIT %(reach)s::bigint
) AS due
CROSS JOIN LATERAL (
    SELECT
        id, definition_id, key, business_key, parent_id, parent_task, status, state,
        variables, revision, started_at, changed_at, ended_at, end_reason,
        suspended_by, suspended_reason, suspended_at, restarted_from
    FROM instances
    WHERE
        instances.id = due.instance_id
        AND status = 'active'
        AND suspended_at IS NULL
    FOR NO KEY UPDATE SKIP LOCKED
) AS instance
CROSS JOIN LATERAL (
    SELECT task_id
    FROM timers
    WHERE
        timers.task_id = due.task_id
        AND timers.instance_id = instance.id
        AND due_at <= %(now)s::timestamptz
    FOR UPDATE SKIP LOCKED
) AS timer
LIMIT %(most)s;
