-- name: vitals_database
-- What the database says of itself.
SELECT current_setting('server_version'), pg_database_size(current_database());

-- name: vitals_queues
-- Since when the oldest of each queue could have been done; null: none waits.
SELECT
    (
        SELECT min(greatest(j.run_at, coalesce(j.lease_until, j.run_at)))
        FROM jobs AS j
        JOIN instances AS i ON i.id = j.instance_id
        WHERE
            j.state = 'ready'
            AND j.run_at <= now()
            AND (j.lease_until IS NULL OR j.lease_until < now())
            AND i.suspended_at IS NULL
    ),
    (
        SELECT min(w.due_at)
        FROM timers AS w
        JOIN instances AS i ON i.id = w.instance_id
        WHERE w.due_at <= now() AND i.suspended_at IS NULL
    ),
    (
        SELECT min(d.created_at)
        FROM deliveries AS d
        JOIN instances AS i ON i.id = d.instance_id
        WHERE i.suspended_at IS NULL
    ),
    (SELECT min(written_at) FROM outbox WHERE state = 'waiting'),
    (
        SELECT min(p.not_before)
        FROM webhook_posts AS p
        JOIN webhooks AS h ON h.id = p.webhook_id
        WHERE p.not_before <= now() AND h.paused_at IS NULL
    ),
    (SELECT min(ordered_at) FROM batches WHERE ended_at IS NULL);

-- name: vitals_mail
-- The last message that was read, and how many replies need a look.
SELECT
    (SELECT max(read_at) FROM mails),
    (SELECT count(*) FROM outbox WHERE state = 'waiting'),
    (SELECT count(*) FROM outbox WHERE state IN ('unknown', 'given_up')),
    (SELECT max(sent_at) FROM outbox);

-- name: vitals_replies
-- Replies that were not sent, oldest first.
SELECT id, recipient, subject, state, attempts, not_before, last_error, written_at
FROM outbox
WHERE state <> 'sent'
ORDER BY written_at, id
LIMIT %(limit)s;

-- name: vitals_mails
-- The last messages and what became of them.
SELECT read_at, sender, outcome, order_number, reasons
FROM mails
ORDER BY id DESC
LIMIT %(limit)s;
