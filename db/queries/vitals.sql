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
    (
        SELECT min(p.not_before)
        FROM webhook_posts AS p
        JOIN webhooks AS h ON h.id = p.webhook_id
        WHERE p.not_before <= now() AND h.paused_at IS NULL
    ),
    (SELECT min(ordered_at) FROM batches WHERE ended_at IS NULL);
