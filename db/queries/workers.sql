-- name: workers_beat
-- A worker is alive and serves these topics.
INSERT INTO workers (
    name, version, poll_s, rounds, failure, topics, clock_ahead_s
)
VALUES (
    %(name)s, %(version)s, %(poll_s)s, %(rounds)s, %(failure)s, %(topics)s::text[],
    extract(EPOCH FROM %(wall_at)s::timestamptz - clock_timestamp())
)
ON CONFLICT (name) DO UPDATE
SET seen_at = clock_timestamp(),
    rounds = EXCLUDED.rounds,
    failure = EXCLUDED.failure,
    topics = EXCLUDED.topics,
    clock_ahead_s = EXCLUDED.clock_ahead_s;

-- name: workers_leave
-- A worker stops in good order; those that vanished long ago go with it.
DELETE FROM workers
WHERE name = %(name)s OR seen_at < now() - interval '7 days';

-- name: workers_listing
-- Everybody who said to be alive within a week.
SELECT
    name, version, poll_s, started_at, seen_at, rounds, failure, clock_ahead_s
FROM workers
WHERE seen_at > now() - interval '7 days'
ORDER BY seen_at DESC, name
LIMIT 100;

-- name: workers_topics
-- What those serve that are alive, as services/health measures it.
SELECT topics
FROM workers
WHERE seen_at > now() - make_interval(secs => greatest(%(alive_s)s, 3 * poll_s));

-- name: contacts_reached
-- A server outside has answered.
INSERT INTO contacts (server, reached_at)
VALUES (%(server)s, clock_timestamp())
ON CONFLICT (server) DO UPDATE SET reached_at = clock_timestamp();

-- name: contacts_failed
-- A server outside could not be used.
INSERT INTO contacts (server, failed_at, failure)
VALUES (%(server)s, clock_timestamp(), %(failure)s)
ON CONFLICT (server) DO UPDATE
SET failed_at = clock_timestamp(), failure = EXCLUDED.failure;

-- name: contacts_listing
-- All servers outside that were ever spoken with.
SELECT server, reached_at, failed_at, failure
FROM contacts
ORDER BY server;

-- name: workers_look, prepared
-- What lies ready, whoever may have it locked now: each a step along an index, so that
-- an idle worker asks once and not every queue; and when somebody must look again.
SELECT
    EXISTS (SELECT FROM deliveries WHERE not_before <= clock_timestamp()),
    EXISTS (SELECT FROM timers WHERE due_at <= %(now)s::timestamptz),
    EXISTS (
        SELECT
        FROM starts
        WHERE due_at <= %(now)s::timestamptz AND not_before <= %(now)s::timestamptz
    ),
    EXISTS (
        SELECT
        FROM unnest(%(inside)s::text[]) AS wanted (topic)
        CROSS JOIN LATERAL (
            SELECT
            FROM jobs
            WHERE
                jobs.topic = wanted.topic
                AND state = 'ready'
                AND run_at <= now()
                AND (lease_until IS NULL OR lease_until <= now())
            LIMIT 1
        ) AS due
    ),
    EXISTS (
        SELECT
        FROM unnest(%(outside)s::text[]) AS wanted (topic)
        CROSS JOIN LATERAL (
            SELECT
            FROM jobs
            WHERE
                jobs.topic = wanted.topic
                AND state = 'ready'
                AND run_at <= now()
                AND (lease_until IS NULL OR lease_until <= now())
            LIMIT 1
        ) AS due
    ),
    EXISTS (SELECT FROM batches WHERE ended_at IS NULL),
    least(
        (
            SELECT due_at
            FROM timers
            JOIN instances ON instances.id = timers.instance_id
            WHERE suspended_at IS NULL
            ORDER BY due_at
            LIMIT 1
        ),
        (
            SELECT min(greatest(due_at, not_before))
            FROM starts
            WHERE
                due_at IS NOT NULL
                AND NOT EXISTS (
                    SELECT FROM suspended_processes
                    WHERE suspended_processes.key = starts.key
                )
        )
    );
