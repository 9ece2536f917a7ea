-- name: audit_chain_place
-- How far the history has been read; the row is held for this transaction.
SELECT transaction::text::bigint, line
FROM readers
WHERE name = 'audit chain'
FOR UPDATE SKIP LOCKED;

-- name: audit_chain_reach
-- The last of the next lines that no running transaction can still precede.
SELECT transaction::text::bigint, id
FROM (
    SELECT transaction, id
    FROM events
    WHERE
        transaction < pg_snapshot_xmin(pg_current_snapshot())
        AND (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
    ORDER BY transaction, id
    LIMIT %(limit)s
) AS next
ORDER BY transaction DESC, id DESC
LIMIT 1;

-- name: audit_chain_news
-- What people did among them; as in audit_lines.
SELECT e.id, e.at, e.kind, e.actor, e.instance_id::text, e.element, e.data
FROM events AS e
WHERE
    (e.transaction, e.id) > (%(transaction)s::text::xid8, %(line)s::bigint)
    AND (e.transaction, e.id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
    AND (
        EXISTS (SELECT FROM people AS p WHERE p.login = e.actor)
        OR NOT (
            e.actor = ANY (%(machines)s::text[])
            OR e.kind = ANY (%(by_people)s::text[])
        )
    )
    AND e.kind <> ALL (%(never)s::text[])
ORDER BY e.transaction, e.id;

-- name: audit_chain_move
-- Note how far the history has been read.
UPDATE readers
SET transaction = %(transaction)s::text::xid8, line = %(line)s
WHERE name = 'audit chain';

-- name: audit_chain_head
-- The last line.
SELECT number, hash FROM audit_chain ORDER BY number DESC LIMIT 1;

-- name: audit_chain_add
-- One more line.
INSERT INTO audit_chain (number, event_id, text, hash)
VALUES (%(number)s, %(event_id)s, %(text)s, %(hash)s);

-- name: audit_chain_lines
-- The lines after a number.
SELECT number, event_id, text, hash
FROM audit_chain
WHERE number > %(after)s
ORDER BY number
LIMIT %(limit)s;

-- name: audit_chain_events
-- What the history says of them, if it still has them.
SELECT id, at, kind, actor, instance_id::text, element, data
FROM events
WHERE id = ANY (%(ids)s::bigint[]);
