-- Jobs as workers of others see them. Leasing, lengthening and ending a lease do
-- without the instance and skip what is locked, as in jobs.sql.

-- name: external_tasks_claim
-- Lease due jobs of topics, each for its own time and with its own filter; reach as in
-- jobs.sql. JSON is compared as it is written: both sides are written by us.
WITH free AS MATERIALIZED (
    SELECT job.id, due.lease_s
    FROM (
        SELECT of_topic.id, wanted.lease_s
        FROM json_to_recordset(%(wanted)s::json) AS wanted (
            topic text, lease_s double precision, business_key text,
            processes text[], definitions bigint[], variables json
        )
        CROSS JOIN LATERAL (
            SELECT id, run_at, priority
            FROM jobs
            WHERE
                jobs.topic = wanted.topic
                AND state = 'ready'
                AND run_at <= now()
                AND (lease_until IS NULL OR lease_until <= now())
                AND EXISTS (
                    SELECT
                    FROM instances AS i
                    WHERE
                        i.id = jobs.instance_id
                        AND i.suspended_at IS NULL
                        AND coalesce(i.business_key = wanted.business_key,
                            wanted.business_key IS NULL)
                        AND coalesce(i.key = ANY (wanted.processes), true)
                        AND coalesce(i.definition_id = ANY (wanted.definitions), true)
                        AND NOT EXISTS (
                            SELECT
                            FROM json_each(wanted.variables) AS asked
                            WHERE
                                (i.variables -> asked.key)::text
                                IS DISTINCT FROM asked.value::text
                        )
                )
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
        FOR UPDATE SKIP LOCKED
    ) AS job
    LIMIT %(limit)s
), leased AS (
    UPDATE jobs
    SET
        leased_by = %(worker)s,
        lease_until = clock_timestamp() + make_interval(secs => free.lease_s)
    FROM free
    WHERE jobs.id = free.id
    RETURNING jobs.*
)
SELECT
    leased.id, leased.task_id, leased.instance_id, instances.business_key,
    instances.key, definitions.version, instances.definition_id, leased.element,
    leased.topic, leased.inputs, instances.variables, leased.state, leased.leased_by,
    leased.lease_until, leased.retries_left, leased.last_error, leased.created_at,
    instances.suspended_at IS NOT NULL, leased.attempts, leased.retry_delays_s,
    leased.resets, leased.error_details, instances.number,
    leased.priority
FROM leased
JOIN instances ON instances.id = leased.instance_id
JOIN definitions ON definitions.id = instances.definition_id
ORDER BY leased.priority DESC, leased.run_at, leased.id;

-- name: external_tasks_due_topics
-- How many jobs of these topics can be leased now, counted up to a limit.
SELECT wanted.topic, count(*)
FROM unnest(%(topics)s::text[]) AS wanted (topic)
CROSS JOIN LATERAL (
    SELECT
    FROM jobs
    WHERE
        jobs.topic = wanted.topic
        AND state = 'ready'
        AND run_at <= now()
        AND (lease_until IS NULL OR lease_until <= now())
        AND EXISTS (
            SELECT
            FROM instances
            WHERE instances.id = jobs.instance_id AND suspended_at IS NULL
        )
    ORDER BY run_at, id
    LIMIT %(most)s
) AS due
GROUP BY wanted.topic;

-- name: external_tasks_get, prepared
-- One job.
SELECT
    jobs.id, jobs.task_id, jobs.instance_id, instances.business_key,
    instances.key, definitions.version, instances.definition_id, jobs.element,
    jobs.topic, jobs.inputs, instances.variables, jobs.state, jobs.leased_by,
    jobs.lease_until, jobs.retries_left, jobs.last_error, jobs.created_at,
    instances.suspended_at IS NOT NULL, jobs.attempts, jobs.retry_delays_s,
    jobs.resets, jobs.error_details, instances.number, jobs.priority
FROM jobs
JOIN instances ON instances.id = jobs.instance_id
JOIN definitions ON definitions.id = instances.definition_id
WHERE jobs.task_id = %(task_id)s::uuid AND jobs.state <> 'handed_on';

-- name: external_tasks_find
-- Jobs that fit all that is given, oldest first or newest first.
SELECT
    jobs.id, jobs.task_id, jobs.instance_id, instances.business_key,
    instances.key, definitions.version, instances.definition_id, jobs.element,
    jobs.topic, jobs.inputs, instances.variables, jobs.state, jobs.leased_by,
    jobs.lease_until, jobs.retries_left, jobs.last_error, jobs.created_at,
    instances.suspended_at IS NOT NULL, jobs.attempts, jobs.retry_delays_s,
    jobs.resets, jobs.error_details, instances.number, jobs.priority
FROM jobs
JOIN instances ON instances.id = jobs.instance_id
JOIN definitions ON definitions.id = instances.definition_id
WHERE
    jobs.state <> 'handed_on'
    AND (%(task_ids)s::uuid[] IS NULL OR jobs.task_id = ANY (%(task_ids)s::uuid[]))
    AND (
        %(instance_ids)s::uuid[] IS NULL
        OR jobs.instance_id = ANY (%(instance_ids)s::uuid[])
    )
    AND coalesce(jobs.topic = %(topic)s::text, true)
    AND coalesce(jobs.leased_by = %(worker)s::text, %(worker)s::text IS NULL)
    AND coalesce(instances.key = %(process)s::text, true)
    AND coalesce(jobs.element = %(element)s::text, true)
    AND coalesce(coalesce(jobs.lease_until > now(), false) = %(locked)s::boolean, true)
    AND coalesce((jobs.state = 'ready') = %(retries_left)s::boolean, true)
ORDER BY
    CASE WHEN %(by_priority)s THEN jobs.priority * %(direction)s::integer END,
    jobs.id * %(direction)s::integer
LIMIT %(limit)s::bigint OFFSET %(offset)s::bigint;

-- name: external_tasks_count
-- How many fit.
SELECT count(*)
FROM jobs
JOIN instances ON instances.id = jobs.instance_id
WHERE
    jobs.state <> 'handed_on'
    AND (%(task_ids)s::uuid[] IS NULL OR jobs.task_id = ANY (%(task_ids)s::uuid[]))
    AND (
        %(instance_ids)s::uuid[] IS NULL
        OR jobs.instance_id = ANY (%(instance_ids)s::uuid[])
    )
    AND coalesce(jobs.topic = %(topic)s::text, true)
    AND coalesce(jobs.leased_by = %(worker)s::text, %(worker)s::text IS NULL)
    AND coalesce(instances.key = %(process)s::text, true)
    AND coalesce(jobs.element = %(element)s::text, true)
    AND coalesce(coalesce(jobs.lease_until > now(), false) = %(locked)s::boolean, true)
    AND coalesce((jobs.state = 'ready') = %(retries_left)s::boolean, true);

-- name: external_tasks_lease
-- Lease one job, or lease it longer, if it is free or this worker's.
UPDATE jobs
SET
    leased_by = %(worker)s,
    lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
WHERE id IN (
    SELECT id
    FROM jobs
    WHERE
        id = %(id)s
        AND state = 'ready'
        AND (leased_by = %(worker)s OR lease_until IS NULL OR lease_until <= now())
    FOR UPDATE SKIP LOCKED
);

-- name: external_tasks_extend
-- Lengthen a lease that has not run out.
UPDATE jobs
SET lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
WHERE id IN (
    SELECT id
    FROM jobs
    WHERE
        id = %(id)s
        AND state = 'ready'
        AND leased_by = %(worker)s
        AND lease_until > now()
    FOR UPDATE SKIP LOCKED
);

-- name: external_tasks_release
-- End a lease.
UPDATE jobs
SET leased_by = NULL, lease_until = NULL
WHERE id IN (
    SELECT id
    FROM jobs
    WHERE id = %(id)s AND state = 'ready' AND leased_by = %(worker)s
    FOR UPDATE SKIP LOCKED
);

-- name: external_tasks_remember
-- What a worker told of a failure.
UPDATE jobs
SET retries_left = %(retries)s, error_details = %(details)s
WHERE id = %(id)s;

-- name: external_tasks_set_retries
-- How often it may be tried; nothing else changes.
UPDATE jobs
SET retries_left = %(retries)s
WHERE id = %(id)s;

-- name: external_tasks_note_topics
-- A worker asks for these topics; written now and then, in order, not at every call.
INSERT INTO fetched_topics (topic, worker)
SELECT wanted.topic, %(worker)s
FROM unnest(%(topics)s::text[]) AS wanted (topic)
WHERE NOT EXISTS (
    SELECT
    FROM fetched_topics AS known
    WHERE
        known.topic = wanted.topic
        AND known.worker = %(worker)s
        AND known.seen_at > now() - make_interval(secs => %(every_s)s)
)
ORDER BY wanted.topic
ON CONFLICT (topic, worker) DO UPDATE SET seen_at = now();

-- name: external_tasks_forget_topics
-- Who has not asked for a long time.
DELETE FROM fetched_topics
WHERE (topic, worker) IN (
    SELECT topic, worker
    FROM fetched_topics
    WHERE seen_at < now() - make_interval(secs => %(older_than_s)s)
    FOR UPDATE SKIP LOCKED
);

-- name: external_tasks_topics
-- What somebody has asked for lately.
SELECT DISTINCT topic
FROM fetched_topics
WHERE seen_at > now() - make_interval(secs => %(within_s)s);
