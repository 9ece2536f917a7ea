-- name: events_append, prepared
-- Append lines in order, each at the time when it was said. Ages are taken one after the
-- other while the message is made, so a later line could seem microseconds earlier.
INSERT INTO events (kind, actor, instance_id, element, task_id, data, at)
SELECT
    line.kind, line.actor, line.instance_id, line.element, line.task_id,
    line.data::json,
    max(statement_timestamp() - make_interval(secs => line.age_s))
        OVER (ORDER BY line.place)
FROM unnest(
    %(kind)s::text[], %(actor)s::text[], %(instance_id)s::uuid[], %(element)s::text[],
    %(task_id)s::uuid[], %(data)s::text[], %(age_s)s::double precision[]
) WITH ORDINALITY AS line (
    kind, actor, instance_id, element, task_id, data, age_s, place
)
ORDER BY line.place;

-- name: events_after
-- Lines after a cursor; those that a running transaction may still precede wait.
SELECT
    transaction::text::bigint, id, at, kind, actor, instance_id, element, task_id,
    data
FROM events
WHERE
    transaction < pg_snapshot_xmin(pg_current_snapshot())
    AND (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
    AND (%(instance_id)s::uuid IS NULL OR instance_id = %(instance_id)s::uuid)
ORDER BY transaction, id
LIMIT %(limit)s;

-- name: events_passed
-- The elements that tokens of an instance have left.
SELECT DISTINCT element
FROM events
WHERE instance_id = %(instance_id)s::uuid AND kind = 'left' AND element IS NOT NULL;

-- name: events_last
-- The newest lines that events_after would give, oldest first.
SELECT
    transaction, id, at, kind, actor, instance_id, element, task_id, data
FROM (
    SELECT
        transaction::text::bigint AS transaction, id, at, kind, actor, instance_id,
        element, task_id, data
    FROM events
    WHERE events.transaction < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY events.transaction DESC, id DESC
    LIMIT %(limit)s
) AS newest
ORDER BY transaction, id;

-- name: events_held
-- Committed lines that events_after keeps back for now, without those named.
SELECT
    transaction::text::bigint, id, at, kind, actor, instance_id, element, task_id,
    data
FROM events
WHERE
    transaction >= pg_snapshot_xmin(pg_current_snapshot())
    AND id <> ALL (%(known)s::bigint[])
ORDER BY transaction, id
LIMIT %(limit)s;
