-- name: workers_beat
-- A worker is alive and serves these topics.
INSERT INTO workers (name, version, poll_s, rounds, failure, topics)
VALUES (
    %(name)s, %(version)s, %(poll_s)s, %(rounds)s, %(failure)s, %(topics)s::text[]
)
ON CONFLICT (name) DO UPDATE
SET seen_at = clock_timestamp(),
    rounds = EXCLUDED.rounds,
    failure = EXCLUDED.failure,
    topics = EXCLUDED.topics;

-- name: workers_leave
-- A worker stops in good order; those that vanished long ago go with it.
DELETE FROM workers
WHERE name = %(name)s OR seen_at < now() - interval '7 days';

-- name: workers_listing
-- Everybody who said to be alive within a week.
SELECT name, version, poll_s, started_at, seen_at, rounds, failure
FROM workers
WHERE seen_at > now() - interval '7 days'
ORDER BY seen_at DESC, name
LIMIT 100;

-- name: workers_topics
-- What those serve that are alive, as services/health judges it.
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
