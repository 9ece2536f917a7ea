-- name: deliveries_insert, prepared
-- Leave commands for instances, in order.
INSERT INTO deliveries (instance_id, kind, task_id, data)
SELECT said.instance_id, said.kind, said.task_id, said.data::json
FROM unnest(
    %(instance_id)s::uuid[], %(kind)s::text[], %(task_id)s::uuid[], %(data)s::text[]
) WITH ORDINALITY AS said (instance_id, kind, task_id, data, place)
ORDER BY said.place;

-- name: deliveries_claim
-- Lock a free instance that has a command and take its oldest (as in jobs.sql).
DELETE FROM deliveries
WHERE id = (
    SELECT oldest.id
    FROM (
        SELECT instance_id
        FROM deliveries
        WHERE not_before <= clock_timestamp()
        ORDER BY id
        LIMIT %(reach)s::bigint
    ) AS waiting
    CROSS JOIN LATERAL (
        SELECT id, suspended_at
        FROM instances
        WHERE instances.id = waiting.instance_id
        FOR NO KEY UPDATE SKIP LOCKED
    ) AS instance
    CROSS JOIN LATERAL (
        SELECT id
        FROM deliveries
        WHERE
            deliveries.instance_id = instance.id
            AND deliveries.not_before <= clock_timestamp()
            -- What is suspended can still be cancelled by the process that called it.
            AND (instance.suspended_at IS NULL OR deliveries.kind = 'cancel')
        ORDER BY deliveries.id
        LIMIT 1
        FOR UPDATE SKIP LOCKED
    ) AS oldest
    LIMIT 1
)
RETURNING id, instance_id, kind, task_id, data, failures;

-- name: deliveries_postpone
-- A command that could not be applied must not hold up the others.
UPDATE deliveries
SET
    failures = failures + 1,
    not_before = clock_timestamp() + make_interval(secs => %(delay_s)s)
WHERE id = %(id)s;

-- name: deliveries_throw_signal, prepared
-- Give a signal to all who wait; subscriptions are read and not locked. In the
-- instance that throws it the engine has told those who waited at that moment.
INSERT INTO deliveries (instance_id, kind, task_id, data)
SELECT instance_id, 'receive', task_id, %(data)s::json
FROM subscriptions
WHERE
    kind = 'signal'
    AND event = %(event)s
    AND instance_id IS DISTINCT FROM %(by)s::uuid
ORDER BY created_at, task_id;

-- name: deliveries_signalled
-- The definitions in which somebody waits for a signal, or that a signal starts.
SELECT definition_id
FROM instances
WHERE id IN (SELECT instance_id FROM subscriptions WHERE kind = 'signal')
UNION
SELECT definition_id
FROM starts
WHERE kind = 'signal'
ORDER BY 1;

-- name: messages_lock, prepared
-- One lock for all events: an instance may throw one and wait for another.
SELECT pg_advisory_xact_lock(hashtext('mpms messages'));

-- name: deliveries_throw_message
-- Give a message to the oldest subscription that none is on its way to. Those with
-- and those without a key are looked for apart, because each is then an ordered index.
INSERT INTO deliveries (instance_id, kind, task_id, data)
SELECT instance_id, 'receive', task_id, %(data)s::json
FROM (
    (
        SELECT s.instance_id, s.task_id, s.created_at
        FROM subscriptions AS s
        WHERE
            s.kind = 'message'
            AND s.event = %(event)s
            AND s.correlation = %(correlation)s::text
            AND NOT EXISTS (
                SELECT FROM deliveries AS d
                WHERE
                    d.instance_id = s.instance_id
                    AND d.task_id = s.task_id
                    AND d.kind = 'receive'
            )
        ORDER BY s.created_at, s.task_id
        LIMIT 1
    )
    UNION ALL
    (
        SELECT s.instance_id, s.task_id, s.created_at
        FROM subscriptions AS s
        WHERE
            s.kind = 'message'
            AND s.event = %(event)s
            AND s.correlation IS NULL
            AND NOT EXISTS (
                SELECT FROM deliveries AS d
                WHERE
                    d.instance_id = s.instance_id
                    AND d.task_id = s.task_id
                    AND d.kind = 'receive'
            )
        ORDER BY s.created_at, s.task_id
        LIMIT 1
    )
) AS oldest
ORDER BY created_at, task_id
LIMIT 1;

-- name: messages_fitting
-- Whom a message fits that names no instance; at most so many, oldest first.
SELECT instance_id, task_id, element
FROM (
    (
        SELECT s.instance_id, s.task_id, s.element, s.created_at
        FROM subscriptions AS s
        WHERE
            s.kind = 'message'
            AND s.event = %(event)s
            AND s.correlation = %(correlation)s::text
            AND NOT EXISTS (
                SELECT FROM deliveries AS d
                WHERE
                    d.instance_id = s.instance_id
                    AND d.task_id = s.task_id
                    AND d.kind = 'receive'
            )
        ORDER BY s.created_at, s.task_id
        LIMIT %(most)s
    )
    UNION ALL
    (
        SELECT s.instance_id, s.task_id, s.element, s.created_at
        FROM subscriptions AS s
        WHERE
            s.kind = 'message'
            AND s.event = %(event)s
            AND s.correlation IS NULL
            AND NOT EXISTS (
                SELECT FROM deliveries AS d
                WHERE
                    d.instance_id = s.instance_id
                    AND d.task_id = s.task_id
                    AND d.kind = 'receive'
            )
        ORDER BY s.created_at, s.task_id
        LIMIT %(most)s
    )
) AS fitting
ORDER BY created_at, task_id
LIMIT %(most)s;

-- name: messages_fitting_of
-- Whom a message fits among the instances it names, by id, by business key or both.
WITH meant AS MATERIALIZED (
    SELECT id
    FROM instances
    WHERE
        status = 'active'
        AND (%(instance_id)s::uuid IS NULL OR id = %(instance_id)s::uuid)
        AND (
            %(business_key)s::text IS NULL OR business_key = %(business_key)s::text
        )
)
SELECT s.instance_id, s.task_id, s.element
FROM meant
JOIN subscriptions AS s ON s.instance_id = meant.id
WHERE
    s.kind = 'message'
    AND s.event = %(event)s
    AND (
        s.correlation IS NULL
        OR %(correlation)s::text IS NULL
        OR s.correlation = %(correlation)s::text
    )
    AND NOT EXISTS (
        SELECT FROM deliveries AS d
        WHERE
            d.instance_id = s.instance_id
            AND d.task_id = s.task_id
            AND d.kind = 'receive'
    )
ORDER BY s.created_at, s.task_id
LIMIT %(most)s;

-- name: messages_keep
-- Keep a message until somebody waits for it.
INSERT INTO messages (event, correlation, variables, expires_at)
SELECT
    %(event)s, %(correlation)s::text, %(variables)s::json,
    clock_timestamp() + make_interval(secs => %(keep_s)s::double precision)
WHERE NOT %(once)s::boolean OR NOT EXISTS (
    SELECT 1
    FROM messages
    WHERE event = %(event)s
        AND correlation IS NOT DISTINCT FROM %(correlation)s::text
        AND (expires_at IS NULL OR expires_at > clock_timestamp())
);

-- name: messages_match
-- Turn the oldest message that fits a new subscription into a delivery.
WITH taken AS (
    DELETE FROM messages
    WHERE id = (
        SELECT id
        FROM messages
        WHERE
            event = %(event)s
            AND (
                %(correlation)s::text IS NULL
                OR correlation = %(correlation)s::text
            )
            AND (expires_at IS NULL OR expires_at > clock_timestamp())
        ORDER BY id
        LIMIT 1
    )
    RETURNING event, correlation, variables
)
INSERT INTO deliveries (instance_id, kind, task_id, data)
SELECT
    %(instance_id)s::uuid, 'receive', %(task_id)s::uuid,
    json_build_object(
        'kind', 'message', 'event', event, 'correlation', correlation,
        'variables', variables
    )
FROM taken;

-- name: messages_expire
-- Forget messages whose time is up.
DELETE FROM messages
WHERE expires_at <= clock_timestamp();

-- name: message_ids_expire
-- And the ids that were given to messages.
DELETE FROM message_ids
WHERE expires_at <= clock_timestamp();

-- name: message_ids_insert
-- Note the id of a message; no row if it is noted already.
INSERT INTO message_ids (event, correlation, message_id, expires_at)
VALUES (
    %(event)s, coalesce(%(correlation)s::text, ''), %(message_id)s,
    clock_timestamp() + make_interval(secs => %(keep_s)s::double precision)
)
ON CONFLICT DO NOTHING;
