-- name: mails_known
-- Which of these uids have been read, and what became of them.
SELECT uid, outcome
FROM mails
WHERE account = %(account)s
    AND folder = %(folder)s
    AND uidvalidity = %(uidvalidity)s
    AND uid = ANY(%(uids)s::bigint[]);

-- name: mails_lock
-- One message of a sender at a time, so that its copies see each other.
SELECT pg_advisory_xact_lock(hashtextextended('mail ' || %(key)s, 0));

-- name: mails_seen
-- Whether this sender's message was processed before.
SELECT true
FROM mails
WHERE sender = %(sender)s AND message_id = %(message_id)s AND counts;

-- name: mails_copies
-- What became of messages with these very bytes, wherever they lay.
SELECT DISTINCT outcome
FROM mails
WHERE sha256 = %(sha256)s;

-- name: mails_sender_known
-- Whether an order of this sender was made, or let be made, before. One that waits or
-- was refused without being made says nothing for the next one.
SELECT true
FROM mails AS m
JOIN orders AS o ON o.number = m.order_number
WHERE m.sender = %(sender)s
    AND m.outcome = 'accepted'
    AND o.status <> 'waiting for release'
    AND (o.status <> 'cancelled' OR o.instance_id IS NOT NULL)
LIMIT 1;

-- name: mails_insert
-- Remember a message and the first piece of its bytes, unless this place in the
-- mailbox was read before.
WITH mail AS (
    INSERT INTO mails (
        account, folder, uidvalidity, uid, sha256, size_bytes, sender, message_id,
        counts, outcome, reasons, order_number
    )
    VALUES (
        %(account)s, %(folder)s, %(uidvalidity)s, %(uid)s, %(sha256)s,
        %(size_bytes)s, %(sender)s, %(message_id)s, %(counts)s, %(outcome)s,
        %(reasons)s::json, %(order_number)s
    )
    ON CONFLICT (account, folder, uidvalidity, uid) DO NOTHING
    RETURNING id
),
first_piece AS (
    INSERT INTO mail_pieces (mail_id, piece, raw)
    SELECT mail.id, 0, given.raw
    FROM mail
    CROSS JOIN (SELECT %(raw)s::bytea AS raw) AS given
    WHERE given.raw IS NOT NULL
)
SELECT id
FROM mail;

-- name: mails_insert_piece
-- More bytes of a message.
INSERT INTO mail_pieces (mail_id, piece, raw)
VALUES (%(mail_id)s, %(piece)s, %(raw)s);

-- name: mails_raw
-- The bytes of a message, as they came.
SELECT raw
FROM mail_pieces
WHERE mail_id = %(mail_id)s
ORDER BY piece;

-- name: mails_of_order
-- The sender and id of the message that brought an order.
SELECT id, sender, message_id
FROM mails
WHERE order_number = %(order_number)s AND outcome = 'accepted'
ORDER BY id
LIMIT 1;

-- name: mails_counts
-- How many messages came to what.
SELECT outcome, count(*)
FROM mails
GROUP BY outcome;
