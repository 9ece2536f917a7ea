-- name: alerts_lock
-- One decides at a time, until the transaction ends.
SELECT pg_try_advisory_xact_lock(hashtext('mpms alerts'));

-- name: alerts_wish
-- What somebody wants to be told.
SELECT by_mail, when_over, processes FROM alert_wishes WHERE login = %(login)s;

-- name: alerts_set_wish
-- Change it.
INSERT INTO alert_wishes (login, by_mail, when_over, processes)
VALUES (%(login)s, %(by_mail)s, %(when_over)s, %(processes)s::text[])
ON CONFLICT (login) DO UPDATE SET
    by_mail = EXCLUDED.by_mail,
    when_over = EXCLUDED.when_over,
    processes = EXCLUDED.processes;

-- name: alerts_subscribe
-- A browser that asked; whoever is signed in there now is told.
INSERT INTO push_subscriptions (endpoint, login, keys)
VALUES (%(endpoint)s, %(login)s, %(keys)s::json)
ON CONFLICT (endpoint) DO UPDATE SET login = EXCLUDED.login, keys = EXCLUDED.keys;

-- name: alerts_unsubscribe
-- Taken back by its person, or dead.
DELETE FROM push_subscriptions
WHERE
    endpoint = %(endpoint)s
    AND (%(login)s::text IS NULL OR login = %(login)s::text);

-- name: alerts_subscriptions
-- On how many devices somebody is told.
SELECT count(*) FROM push_subscriptions WHERE login = %(login)s;

-- name: alerts_push_key
-- The key of the plant.
SELECT private_key FROM push_keys;

-- name: alerts_keep_push_key
-- The first one stays.
INSERT INTO push_keys (private_key) VALUES (%(fresh)s) ON CONFLICT DO NOTHING;

-- name: alerts_listeners
-- Ways to active leaders who asked.
SELECT
    p.login, p.language, w.by_mail, w.when_over, w.processes, p.mail,
    NULL::text AS endpoint, NULL::json AS keys
FROM people AS p
JOIN alert_wishes AS w ON w.login = p.login
WHERE p.active AND p.role = ANY (%(roles)s::text[]) AND w.by_mail AND p.mail <> ''
UNION ALL
SELECT
    p.login, p.language, coalesce(w.by_mail, false), coalesce(w.when_over, false),
    w.processes, NULL, s.endpoint, s.keys
FROM push_subscriptions AS s
JOIN people AS p ON p.login = s.login
LEFT JOIN alert_wishes AS w ON w.login = p.login
WHERE p.active AND p.role = ANY (%(roles)s::text[]);

-- name: alerts_told
-- What was told and is not over.
SELECT channel, cause FROM alerts WHERE ended_at IS NULL;

-- name: alerts_last_told
-- When each channel was used last.
SELECT channel, max(told_at)
FROM alerts
WHERE told_at > now() - interval '1 day'
GROUP BY channel;

-- name: alerts_take
-- Claim what nobody has claimed.
INSERT INTO alerts (cause, channel, incidents)
SELECT t.cause, %(channel)s, t.incidents
FROM unnest(%(causes)s::text[], %(incidents)s::bigint[]) AS t (cause, incidents)
ON CONFLICT (cause, channel) WHERE ended_at IS NULL DO NOTHING
RETURNING cause;

-- name: alerts_sent
-- The server took it.
UPDATE alerts
SET sent_at = clock_timestamp()
WHERE channel = %(channel)s AND cause = ANY (%(causes)s::text[]) AND ended_at IS NULL;

-- name: alerts_give_back
-- Nothing went out.
DELETE FROM alerts
WHERE
    channel = %(channel)s
    AND cause = ANY (%(causes)s::text[])
    AND ended_at IS NULL
    AND sent_at IS NULL;

-- name: alerts_note
-- It is not sent again.
UPDATE alerts
SET error = %(error)s
WHERE channel = %(channel)s AND cause = ANY (%(causes)s::text[]) AND ended_at IS NULL;

-- name: alerts_end
-- Causes without an open incident for long enough. Only who was told hears the end.
UPDATE alerts AS a
SET
    ended_at = now(),
    over_owed = a.sent_at IS NOT NULL
WHERE
    a.ended_at IS NULL
    AND NOT EXISTS (
        SELECT 1 FROM incidents AS n
        WHERE n.cause = a.cause AND n.resolved_at IS NULL
    )
    AND NOT EXISTS (
        SELECT 1 FROM incidents AS n
        WHERE
            n.cause = a.cause
            AND n.resolved_at > now() - make_interval(secs => %(over_after_s)s)
    );

-- name: alerts_owed
-- What is over and was not told so yet, with the words of its last incident.
SELECT a.channel, a.cause, coalesce(l.message, ''), a.incidents, l.key, a.told_at
FROM alerts AS a
LEFT JOIN LATERAL (
    SELECT n.message, i.key
    FROM incidents AS n
    LEFT JOIN instances AS i ON i.id = n.instance_id
    WHERE n.cause = a.cause
    ORDER BY n.resolved_at DESC
    LIMIT 1
) AS l ON true
WHERE a.over_owed
ORDER BY a.ended_at, a.cause;

-- name: alerts_take_owed
-- Claim the good news.
UPDATE alerts
SET over_owed = false
WHERE channel = %(channel)s AND cause = ANY (%(causes)s::text[]) AND over_owed
RETURNING cause;

-- name: alerts_owe
-- It did not go out.
UPDATE alerts AS a
SET over_owed = true
FROM (
    SELECT cause, max(ended_at) AS ended_at
    FROM alerts
    WHERE channel = %(channel)s AND cause = ANY (%(causes)s::text[])
    GROUP BY cause
) AS l
WHERE
    a.channel = %(channel)s AND a.cause = l.cause AND a.ended_at = l.ended_at;
