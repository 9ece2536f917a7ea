-- Every change of an instance locks the instance first and its rows afterwards.
-- The claims keep that order by nesting: the first SELECT lists due rows in order and
-- locks nothing, the next one locks the instance of one row, the last one reads the
-- row again and locks it. There is no ORDER BY outside, because a sort there would
-- lock every instance before the first row comes out. A row that somebody else has
-- changed since the statement began is compared by its newest version.
--
-- reach is how many rows are listed, NULL for all. A small reach makes the planner
-- walk an index however wrong its statistics are; a queue that was empty when they
-- were taken would otherwise be sorted for every claim.

-- name: jobs_claim_inside
-- Lock the next due jobs of free instances, each instance first, and read both.
SELECT
    job.id, job.task_id, job.instance_id, instance.business_key, job.element,
    job.topic, COALESCE(job.inputs, instance.variables), job.attempts,
    job.retry_delays_s, job.resets,
    instance.id, instance.definition_id, instance.key, instance.business_key,
    instance.parent_id, instance.parent_task, instance.status, instance.state,
    instance.variables, instance.revision, instance.started_at, instance.changed_at,
    instance.ended_at, instance.end_reason, instance.suspended_by,
    instance.suspended_reason, instance.suspended_at, instance.restarted_from
FROM (
    SELECT of_topic.id, of_topic.instance_id
    FROM unnest(%(topics)s::text[]) AS wanted (topic)
    CROSS JOIN LATERAL (
        SELECT id, instance_id, run_at, priority
        FROM jobs
        WHERE
            jobs.topic = wanted.topic
            AND state = 'ready'
            AND run_at <= now()
            AND (lease_until IS NULL OR lease_until <= now())
        ORDER BY priority DESC, run_at, id
        LIMIT %(reach)s::bigint
    ) AS of_topic
    ORDER BY of_topic.priority DESC, of_topic.run_at, of_topic.id
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
    SELECT
        id, task_id, instance_id, element, topic, inputs, attempts, retry_delays_s,
        resets
    FROM jobs
    WHERE
        jobs.id = due.id
        AND jobs.instance_id = instance.id
        AND state = 'ready'
        AND run_at <= now()
        AND (lease_until IS NULL OR lease_until <= now())
    FOR UPDATE SKIP LOCKED
) AS job
LIMIT %(most)s::bigint;

-- name: jobs_claim_outside
-- Lease due jobs; instances are read and not locked.
WITH free AS MATERIALIZED (
    SELECT job.id
    FROM (
        SELECT of_topic.id
        FROM unnest(%(topics)s::text[]) AS wanted (topic)
        CROSS JOIN LATERAL (
            SELECT id, run_at, priority
            FROM jobs
            WHERE
                jobs.topic = wanted.topic
                AND state = 'ready'
                AND run_at <= now()
                AND (lease_until IS NULL OR lease_until <= now())
            ORDER BY priority DESC, run_at, id
            LIMIT %(reach)s::bigint
        ) AS of_topic
        ORDER BY of_topic.priority DESC, of_topic.run_at, of_topic.id
    ) AS due
    CROSS JOIN LATERAL (
        SELECT id
        FROM jobs
        WHERE
            jobs.id = due.id
            AND state = 'ready'
            AND run_at <= now()
            AND (lease_until IS NULL OR lease_until <= now())
            AND EXISTS (
                SELECT
                FROM instances
                WHERE instances.id = jobs.instance_id AND suspended_at IS NULL
            )
        FOR UPDATE SKIP LOCKED
    ) AS job
    LIMIT %(limit)s
), leased AS (
    UPDATE jobs
    SET
        leased_by = %(worker)s,
        lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
    FROM free
    WHERE jobs.id = free.id
    RETURNING
        jobs.id, task_id, instance_id, element, topic, inputs, attempts,
        retry_delays_s, resets, run_at, priority
)
SELECT
    leased.id, leased.task_id, leased.instance_id, instances.business_key,
    leased.element, leased.topic, COALESCE(leased.inputs, instances.variables),
    leased.attempts, leased.retry_delays_s, leased.resets
FROM leased
JOIN instances ON instances.id = leased.instance_id
ORDER BY leased.priority DESC, leased.run_at, leased.id;

-- name: jobs_hold_free, prepared
-- Lock jobs for settling whose instances are free, each instance first, and read both.
-- Who waits for none may hold many.
SELECT
    job.id,
    instance.id, instance.definition_id, instance.key, instance.business_key,
    instance.parent_id, instance.parent_task, instance.status, instance.state,
    instance.variables, instance.revision, instance.started_at, instance.changed_at,
    instance.ended_at, instance.end_reason, instance.suspended_by,
    instance.suspended_reason, instance.suspended_at, instance.restarted_from
FROM (
    SELECT jobs.id, jobs.instance_id
    FROM jobs
    WHERE
        id = ANY (%(ids)s::bigint[])
        AND state = 'ready'
        AND leased_by = %(worker)s::text
    ORDER BY id
) AS found
CROSS JOIN LATERAL (
    SELECT
        id, definition_id, key, business_key, parent_id, parent_task, status, state,
        variables, revision, started_at, changed_at, ended_at, end_reason,
        suspended_by, suspended_reason, suspended_at, restarted_from
    FROM instances
    WHERE instances.id = found.instance_id
    FOR NO KEY UPDATE SKIP LOCKED
) AS instance
CROSS JOIN LATERAL (
    SELECT id
    FROM jobs
    WHERE
        jobs.id = found.id
        AND jobs.instance_id = instance.id
        AND state = 'ready'
        AND leased_by = %(worker)s::text
    FOR UPDATE
) AS job;

-- name: jobs_hold
-- Lock a job for settling, its instance first; nobody leases an inside job, but a worker
-- of others may have done so and vanished.
SELECT job.id
FROM (
    SELECT instance_id
    FROM jobs
    WHERE
        id = %(id)s
        AND state = 'ready'
        AND (
            leased_by IS NOT DISTINCT FROM %(worker)s::text
            OR (%(worker)s::text IS NULL AND lease_until <= now())
        )
) AS found
CROSS JOIN LATERAL (
    SELECT id
    FROM instances
    WHERE instances.id = found.instance_id
    FOR NO KEY UPDATE
) AS instance
CROSS JOIN LATERAL (
    SELECT id
    FROM jobs
    WHERE
        jobs.id = %(id)s
        AND jobs.instance_id = instance.id
        AND state = 'ready'
        AND (
            leased_by IS NOT DISTINCT FROM %(worker)s::text
            OR (%(worker)s::text IS NULL AND lease_until <= now())
        )
    FOR UPDATE
) AS job;

-- name: jobs_number
-- The number of a job that this transaction has written.
SELECT id
FROM jobs
WHERE task_id = %(task_id)s::uuid;

-- name: jobs_renew
-- Lengthen leases; a job that somebody has locked is being settled or closed.
UPDATE jobs
SET lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
WHERE id IN (
    SELECT id
    FROM jobs
    WHERE
        id = ANY (%(ids)s::bigint[])
        AND state = 'ready'
        AND leased_by = %(worker)s
    FOR UPDATE SKIP LOCKED
);

-- name: jobs_release
-- End the leases of a worker; a job that somebody has locked is left to him.
UPDATE jobs
SET leased_by = NULL, lease_until = NULL
WHERE id IN (
    SELECT id
    FROM jobs
    WHERE state = 'ready' AND leased_by = %(worker)s
    FOR UPDATE SKIP LOCKED
);

-- name: jobs_postpone
-- Run again later.
UPDATE jobs
SET
    state = 'ready',
    run_at = clock_timestamp() + make_interval(secs => %(delay_s)s),
    attempts = attempts + %(failed)s::boolean::integer,
    last_error = %(error)s,
    leased_by = NULL,
    lease_until = NULL
WHERE id = %(id)s;

-- name: jobs_hand_on
-- Somebody else completes the task.
UPDATE jobs
SET state = 'handed_on', leased_by = NULL, lease_until = NULL
WHERE id = %(id)s;

-- name: jobs_give_up
-- Stop trying until an operator resets the job.
UPDATE jobs
SET
    state = 'given_up',
    last_error = %(error)s,
    leased_by = NULL,
    lease_until = NULL
WHERE id = %(id)s;

-- name: jobs_reset
-- Let a job that was given up or came to nothing run again as if it were new.
UPDATE jobs
SET
    state = 'ready',
    run_at = clock_timestamp(),
    attempts = 0,
    resets = resets + 1,
    retries_left = nullif(retries_left, 0),
    error_details = NULL
WHERE task_id = %(task_id)s::uuid AND state <> 'ready';

-- name: jobs_topics
-- Every topic that a ready job has: one step along the index for each, however many
-- jobs there are.
WITH RECURSIVE found AS (
    (
        SELECT topic
        FROM jobs
        WHERE state = 'ready'
        ORDER BY topic
        LIMIT 1
    )
    UNION ALL
    SELECT (
        SELECT jobs.topic
        FROM jobs
        WHERE state = 'ready' AND jobs.topic > found.topic
        ORDER BY jobs.topic
        LIMIT 1
    )
    FROM found
    WHERE found.topic IS NOT NULL
)
SELECT topic FROM found WHERE topic IS NOT NULL;

-- name: jobs_untold
-- Due jobs of these topics that no open incident tells of; nothing is locked.
SELECT jobs.task_id, jobs.instance_id, jobs.element, jobs.topic
FROM jobs
JOIN instances ON instances.id = jobs.instance_id
WHERE
    jobs.topic = ANY (%(topics)s::text[])
    AND jobs.state = 'ready'
    AND jobs.run_at <= now()
    AND (jobs.lease_until IS NULL OR jobs.lease_until <= now())
    AND instances.status = 'active'
    AND instances.suspended_at IS NULL
    AND NOT EXISTS (
        SELECT
        FROM incidents
        WHERE incidents.task_id = jobs.task_id AND incidents.resolved_at IS NULL
    )
ORDER BY jobs.id
LIMIT %(limit)s;

-- name: jobs_count
-- How many jobs are in each state; leased is not counted as ready.
SELECT
    count(*) FILTER (WHERE state = 'ready' AND leased_by IS NULL),
    count(*) FILTER (WHERE state = 'ready' AND leased_by IS NOT NULL),
    count(*) FILTER (WHERE state = 'handed_on'),
    count(*) FILTER (WHERE state = 'given_up')
FROM jobs;
