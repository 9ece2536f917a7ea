-- name: webhooks_add
-- An address that is told of what happens from now on.
INSERT INTO webhooks (url, secret, kinds, created_by, transaction, line)
VALUES (
    %(url)s, %(secret)s, %(kinds)s::text[], %(by)s, pg_current_xact_id(), 0
)
RETURNING id;

-- name: webhooks_listing
-- All of them or one, with what waits.
SELECT
    webhooks.id, url, kinds, created_by, created_at, paused_at, last_error, failures,
    sent_at, sent_event,
    (
        SELECT count(*)
        FROM webhook_posts
        WHERE webhook_id = webhooks.id
    ) AS waiting
FROM webhooks
WHERE %(webhook_id)s::bigint IS NULL OR id = %(webhook_id)s::bigint
ORDER BY id;

-- name: webhooks_change
-- Another address, other events.
UPDATE webhooks SET url = %(url)s, kinds = %(kinds)s::text[]
WHERE id = %(webhook_id)s;

-- name: webhooks_set_secret
-- Posts are signed with another secret from now on.
UPDATE webhooks SET secret = %(secret)s WHERE id = %(webhook_id)s;

-- name: webhooks_pause
-- Nothing is told any more; what happens is told when it goes on.
UPDATE webhooks
SET paused_at = coalesce(paused_at, now()), last_error = coalesce(%(error)s, last_error)
WHERE id = %(webhook_id)s;

-- name: webhooks_resume
-- It goes on where it stopped, at once.
UPDATE webhooks SET paused_at = NULL, failures = 0, last_error = NULL
WHERE id = %(webhook_id)s;

-- name: webhooks_hurry
-- What waits is tried at once.
UPDATE webhook_posts SET not_before = now(), taken_at = NULL
WHERE webhook_id = %(webhook_id)s;

-- name: webhooks_delete
-- It is told nothing any more.
DELETE FROM webhooks WHERE id = %(webhook_id)s;

-- name: webhooks_replay
-- Read the history again from one event on.
UPDATE webhooks
SET transaction = events.transaction, line = events.id - 1
FROM events
WHERE webhooks.id = %(webhook_id)s AND events.id = %(event_id)s;

-- name: webhooks_forget_posts
-- What waited is queued anew, in order.
DELETE FROM webhook_posts WHERE webhook_id = %(webhook_id)s;

-- name: webhooks_to_follow
-- Those that are told, with the place they have read to; one reader each.
SELECT
    id, url, kinds, created_by, created_at, paused_at, last_error, failures, sent_at,
    sent_event, transaction::text::bigint, line
FROM webhooks
WHERE
    paused_at IS NULL
    AND (
        SELECT count(*)
        FROM webhook_posts
        WHERE webhook_id = webhooks.id
    ) < %(most)s
ORDER BY id
FOR UPDATE SKIP LOCKED;

-- name: webhooks_queue
-- An event to be told; once.
INSERT INTO webhook_posts (webhook_id, event_id, body)
VALUES (%(webhook_id)s, %(event_id)s, %(body)s::json)
ON CONFLICT (webhook_id, event_id) DO NOTHING;

-- name: webhooks_move
-- It has read this far.
UPDATE webhooks
SET transaction = %(transaction)s::text::xid8, line = %(line)s
WHERE id = %(webhook_id)s;

-- name: webhooks_take
-- The first post of each address; later ones wait for it, so that order is kept.
WITH firsts AS (
    SELECT DISTINCT ON (posts.webhook_id) posts.id
    FROM webhook_posts AS posts
    INNER JOIN webhooks ON posts.webhook_id = webhooks.id
    WHERE webhooks.paused_at IS NULL
    ORDER BY posts.webhook_id, posts.id
), due AS (
    SELECT posts.id
    FROM webhook_posts AS posts
    INNER JOIN firsts ON posts.id = firsts.id
    WHERE
        posts.not_before <= now()
        AND (
            posts.taken_at IS NULL
            OR posts.taken_at < now() - %(lease_s)s * interval '1 second'
        )
    ORDER BY posts.not_before
    LIMIT %(limit)s
    FOR UPDATE OF posts SKIP LOCKED
)
UPDATE webhook_posts
SET taken_at = now(), attempts = attempts + 1
FROM due, webhooks
WHERE webhook_posts.id = due.id AND webhooks.id = webhook_posts.webhook_id
RETURNING
    webhook_posts.id, webhook_id, event_id, body, attempts, webhooks.url,
    webhooks.secret;

-- name: webhooks_forget_post
-- The receiver has it.
DELETE FROM webhook_posts WHERE id = %(post_id)s;

-- name: webhooks_delivered
-- The address is well.
UPDATE webhooks
SET failures = 0, last_error = NULL, sent_at = now(), sent_event = %(event_id)s
WHERE id = %(webhook_id)s;

-- name: webhooks_postpone
-- Try again later.
UPDATE webhook_posts
SET
    taken_at = NULL, last_error = %(error)s,
    not_before = now() + %(delay_s)s * interval '1 second'
WHERE id = %(post_id)s;

-- name: webhooks_failed
-- One more failure in a row.
UPDATE webhooks SET failures = failures + 1, last_error = %(error)s
WHERE id = %(webhook_id)s
RETURNING failures;

-- name: webhooks_posts
-- What waits for an address, the next first.
SELECT event_id, body ->> 'type', attempts, not_before, last_error
FROM webhook_posts
WHERE webhook_id = %(webhook_id)s
ORDER BY id
LIMIT %(limit)s;
