-- name: outbox_insert
-- Write a reply together with what it is about, unless there is one.
INSERT INTO outbox (id, mail_id, recipient, subject, body, in_reply_to)
VALUES (
    %(id)s, %(mail_id)s, %(recipient)s, %(subject)s, %(body)s, %(in_reply_to)s
)
ON CONFLICT DO NOTHING;

-- name: outbox_take
-- Take one due reply; from now on it counts as possibly sent.
UPDATE outbox
SET state = 'sending',
    sender_process = %(process)s,
    taken_at = clock_timestamp(),
    attempts = attempts + 1
WHERE id = (
    SELECT id
    FROM outbox
    WHERE state = 'waiting' AND not_before <= clock_timestamp()
    ORDER BY not_before, id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING id, recipient, subject, body, in_reply_to, attempts;

-- name: outbox_sent
-- The mail server has taken it.
UPDATE outbox
SET state = 'sent', sent_at = clock_timestamp(), last_error = NULL
WHERE id = %(id)s AND state IN ('sending', 'unknown');

-- name: outbox_postpone
-- The mail server certainly has not taken it; try again later.
UPDATE outbox
SET state = 'waiting',
    sender_process = NULL,
    last_error = %(error)s,
    not_before = clock_timestamp() + make_interval(secs => %(delay_s)s)
WHERE id = %(id)s AND state IN ('sending', 'unknown');

-- name: outbox_give_up
-- The mail server refused it for good.
UPDATE outbox
SET state = 'given_up', last_error = %(error)s
WHERE id = %(id)s AND state IN ('sending', 'unknown');

-- name: outbox_doubt
-- The connection broke before the mail server answered: it may have taken it.
UPDATE outbox
SET state = 'unknown', last_error = %(error)s
WHERE id = %(id)s AND state = 'sending';

-- name: outbox_forgotten
-- Whoever took these has ended: they may have gone out.
UPDATE outbox
SET state = 'unknown', last_error = %(error)s
WHERE state = 'sending'
    AND taken_at < clock_timestamp() - make_interval(secs => %(after_s)s)
RETURNING recipient;

-- name: outbox_oldest
-- Since when a reply could have been sent.
SELECT 'reply', min(written_at) FROM outbox WHERE state = 'waiting';
