-- name: order_page_lines
-- The raw materials of an order with what was weighed, if it was written to the line.
SELECT material, name, required_kg, lot, measured_kg, loaded_lot, loaded_at
FROM order_lines
WHERE order_number = %(number)s
ORDER BY line;

-- name: order_page_instances
-- The process of an order and all that it called.
WITH RECURSIVE tree AS (
    SELECT id
    FROM instances
    WHERE id = %(instance_id)s::uuid
    UNION ALL
    SELECT i.id
    FROM instances AS i
    JOIN tree AS t ON t.id = i.parent_id
)
SELECT i.id, i.definition_id, i.variables -> 'loaded'
FROM instances AS i
JOIN tree AS t ON t.id = i.id
ORDER BY i.started_at, i.id;

-- name: order_page_history
-- What happened to an order, newest first; what only the engine cares about is not.
SELECT
    e.id, e.at, e.kind, COALESCE(p.name, e.actor), e.element, e.task_id,
    e.instance_id, e.data
FROM (
    (
        SELECT id, at, kind, actor, element, task_id, instance_id, data
        FROM events
        WHERE instance_id = ANY(%(instance_ids)s::uuid[])
            AND kind <> ALL(%(hidden)s::text[])
            AND (
                kind <> 'variable'
                -- What a step is given is told where it was measured.
                OR data ->> 'name' = ANY(%(variables)s::text[])
                    AND data ->> 'local' IS NULL
            )
            AND id < %(before)s
        ORDER BY id DESC
        LIMIT %(limit)s
    )
    UNION ALL
    (
        SELECT id, at, kind, actor, element, task_id, instance_id, data
        FROM events
        WHERE instance_id IS NULL
            AND data ->> 'order' = %(number)s
            AND kind <> ALL(%(hidden)s::text[])
            AND id < %(before)s
        ORDER BY id DESC
        LIMIT %(limit)s
    )
) AS e
LEFT JOIN people AS p ON p.login = e.actor
ORDER BY e.id DESC
LIMIT %(limit)s;

-- name: order_page_steps
-- How long each element took, all its rounds together; open ones last until now.
SELECT
    instance_id, element, count(*), min(entered_at), max(left_at),
    extract(EPOCH FROM sum(COALESCE(left_at, clock_timestamp()) - entered_at)),
    count(*) - count(left_at)
FROM (
    SELECT
        instance_id, element, task_id,
        min(at) FILTER (WHERE kind = 'entered') AS entered_at,
        max(at) FILTER (WHERE kind <> 'entered') AS left_at
    FROM events
    WHERE instance_id = ANY(%(instance_ids)s::uuid[])
        AND kind IN ('entered', 'left', 'cancelled')
        AND element = ANY(%(elements)s::text[])
    GROUP BY instance_id, element, task_id
) AS rounds
WHERE entered_at IS NOT NULL
GROUP BY instance_id, element
ORDER BY min(entered_at), element;

-- name: order_page_goals
-- Where robots drove for an order.
SELECT
    robot, place, state, reason, inferred, created_at, sent_at, ended_at
FROM drives
WHERE instance_id = ANY(%(instance_ids)s::uuid[])
ORDER BY created_at, id
LIMIT %(limit)s;

-- name: order_page_incidents
-- What needed a person's look, open ones first.
SELECT
    n.id, n.kind, n.message, n.element, n.instance_id, n.opened_at, n.resolved_at,
    COALESCE(p.name, n.resolved_by)
FROM incidents AS n
LEFT JOIN people AS p ON p.login = n.resolved_by
WHERE n.instance_id = ANY(%(instance_ids)s::uuid[])
ORDER BY n.resolved_at IS NOT NULL, n.opened_at DESC
LIMIT %(limit)s;

-- name: order_page_attachments
-- Photos and signatures of an order, without their bytes.
SELECT
    a.id, a.instance_id, a.field, a.media_type, octet_length(a.content),
    COALESCE(p.name, a.added_by), a.added_at, r.element
FROM attachments AS a
LEFT JOIN people AS p ON p.login = a.added_by
LEFT JOIN answers AS r ON r.task_id = a.task_id
WHERE a.instance_id = ANY(%(instance_ids)s::uuid[])
ORDER BY a.added_at, a.id
LIMIT %(limit)s;

-- name: order_page_mail
-- The message that brought an order, without its bytes.
SELECT id, sender, message_id, size_bytes, read_at, outcome, reasons, order_number
FROM mails
WHERE order_number = %(number)s AND outcome = 'accepted'
ORDER BY id
LIMIT 1;

-- name: order_page_mail_by_message
-- What became of a message that was sent a short while ago.
SELECT id, sender, message_id, size_bytes, read_at, outcome, reasons, order_number
FROM mails
WHERE id > (SELECT COALESCE(max(id), 0) - %(latest)s FROM mails)
    AND message_id = %(message_id)s
    AND sender = %(sender)s
ORDER BY outcome = 'accepted' DESC, id
LIMIT 1;
