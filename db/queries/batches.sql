-- name: batches_insert
-- Order an action on many.
INSERT INTO batches (action, details, reason, ordered_by, items)
VALUES (%(action)s, %(details)s::json, %(reason)s, %(by)s, %(items)s)
RETURNING id;

-- name: batches_insert_items
-- Fix what it is done to, in this order.
INSERT INTO batch_items (batch_id, place, instance_id, incident_id)
SELECT %(batch_id)s, one.place, one.instance_id, one.incident_id
FROM unnest(%(instance_ids)s::uuid[], %(incident_ids)s::bigint[])
    WITH ORDINALITY AS one (instance_id, incident_id, place);

-- name: batches_get
-- One batch; items are counted only while it runs.
SELECT
    b.id, b.action, b.details, b.reason, b.ordered_by, b.ordered_at, b.ended_at,
    b.stopped_by, b.items, COALESCE(b.done, n.done, 0), COALESCE(b.failed, n.failed, 0)
FROM batches AS b
LEFT JOIN LATERAL (
    SELECT
        count(*) FILTER (WHERE i.state = 'done') AS done,
        count(*) FILTER (WHERE i.state = 'failed') AS failed
    FROM batch_items AS i
    WHERE i.batch_id = b.id AND b.ended_at IS NULL
) AS n ON true
WHERE b.id = %(id)s;

-- name: batches_lock
-- Wait for the items that are being done and let none begin.
SELECT id
FROM batches
WHERE id = %(id)s
FOR UPDATE;

-- name: batches_open
-- What is still to be done, the oldest first.
SELECT
    id, action, details, reason, ordered_by, ordered_at, ended_at, stopped_by, items,
    0, 0
FROM batches
WHERE ended_at IS NULL
ORDER BY id;

-- name: batches_list
-- The last ordered first; items are counted only while a batch runs.
SELECT
    b.id, b.action, b.details, b.reason, b.ordered_by, b.ordered_at, b.ended_at,
    b.stopped_by, b.items, COALESCE(b.done, n.done, 0), COALESCE(b.failed, n.failed, 0)
FROM (
    SELECT *
    FROM batches
    WHERE %(below)s::bigint IS NULL OR id < %(below)s::bigint
    ORDER BY id DESC
    LIMIT %(limit)s
) AS b
LEFT JOIN LATERAL (
    SELECT
        count(*) FILTER (WHERE i.state = 'done') AS done,
        count(*) FILTER (WHERE i.state = 'failed') AS failed
    FROM batch_items AS i
    WHERE i.batch_id = b.id AND b.ended_at IS NULL
) AS n ON true
ORDER BY b.id DESC;

-- name: batches_claim
-- Take the next item. The share of the batch lets others work on it too, but makes
-- who stops it wait until this item is done.
SELECT i.place, i.instance_id, i.incident_id, i.state, i.message, i.done_at
FROM batch_items AS i
JOIN batches AS b ON b.id = i.batch_id
WHERE b.id = %(batch_id)s AND b.ended_at IS NULL AND i.state = 'waiting'
ORDER BY i.place
LIMIT 1
FOR UPDATE OF i SKIP LOCKED
FOR SHARE OF b SKIP LOCKED;

-- name: batches_settle
-- Note how an item went.
UPDATE batch_items
SET state = %(state)s, message = %(message)s, done_at = clock_timestamp()
WHERE batch_id = %(batch_id)s AND place = %(place)s AND state = 'waiting';

-- name: batches_over
-- Hold a batch that runs and has nothing left to do.
SELECT b.id
FROM batches AS b
WHERE
    b.id = %(batch_id)s
    AND b.ended_at IS NULL
    AND NOT EXISTS (
        SELECT FROM batch_items AS i WHERE i.batch_id = b.id AND i.state = 'waiting'
    )
FOR UPDATE SKIP LOCKED;

-- name: batches_finish
-- Write down how a batch that is held went.
UPDATE batches
SET
    ended_at = clock_timestamp(),
    stopped_by = %(stopped_by)s,
    done = (
        SELECT count(*)
        FROM batch_items
        WHERE batch_id = %(batch_id)s AND state = 'done'
    ),
    failed = (
        SELECT count(*)
        FROM batch_items
        WHERE batch_id = %(batch_id)s AND state = 'failed'
    )
WHERE id = %(batch_id)s AND ended_at IS NULL;

-- name: batches_items
-- Items with what their instances are, in order.
SELECT
    i.place, i.instance_id, i.incident_id, i.state, i.message, i.done_at, n.key,
    n.business_key
FROM batch_items AS i
LEFT JOIN instances AS n ON n.id = i.instance_id
WHERE
    i.batch_id = %(batch_id)s
    AND i.place > %(after)s
    AND (%(state)s::text IS NULL OR i.state = %(state)s)
ORDER BY i.place
LIMIT %(limit)s;

-- name: batches_targets
-- What these instances are now.
SELECT
    id, key, definition_id, business_key, status, started_at, changed_at, ended_at,
    end_reason, suspended_at, parent_id
FROM instances
WHERE id = ANY (%(ids)s::uuid[]);
