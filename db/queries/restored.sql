-- The history is read in the order of transactions, whose numbers belong to one server.
-- A dump that is restored on another server brings numbers that are ahead of it: new
-- lines would seem older than all of them, and every reader would skip them.

-- name: restored_ahead
-- The last line written on another server whose numbers are ahead of this one's.
SELECT max(id)
FROM events
WHERE transaction >= pg_snapshot_xmax(pg_current_snapshot());

-- name: restored_readers_ahead
-- Whether somebody has read further than this server can have written.
SELECT EXISTS (
    SELECT FROM readers
    WHERE transaction >= pg_snapshot_xmax(pg_current_snapshot())
    UNION ALL
    SELECT FROM webhooks
    WHERE transaction >= pg_snapshot_xmax(pg_current_snapshot())
);

-- name: restored_lock
-- Let nobody write or read while lines are renumbered.
LOCK TABLE events, readers, webhooks IN ACCESS EXCLUSIVE MODE;

-- name: restored_count_places
-- How many positions somebody has read to, and the number of this transaction.
SELECT count(*), pg_current_xact_id()::text::bigint
FROM (
    SELECT transaction, line FROM readers
    UNION
    SELECT transaction, line FROM webhooks
) AS positions;

-- name: restored_open
-- Lines are never changed otherwise.
ALTER TABLE events DISABLE TRIGGER events_are_final;

-- name: restored_renumber
-- What lies between two positions that somebody has read to gets one number, so that
-- everybody has read the same lines as before; what was written here since is unread.
WITH places AS MATERIALIZED (
    SELECT
        transaction, line, row_number() OVER (ORDER BY transaction, line) AS place
    FROM (
        SELECT transaction, line FROM readers
        UNION
        SELECT transaction, line FROM webhooks
    ) AS positions
), moved_readers AS (
    UPDATE readers
    SET transaction = (1 + place)::text::xid8, line = 0
    FROM places
    WHERE
        places.transaction = readers.transaction AND places.line = readers.line
), moved_webhooks AS (
    UPDATE webhooks
    SET transaction = (1 + place)::text::xid8, line = 0
    FROM places
    WHERE
        places.transaction = webhooks.transaction AND places.line = webhooks.line
)
UPDATE events
SET transaction = (1 + (
    SELECT count(*)
    FROM places
    WHERE
        (places.transaction, places.line) < (events.transaction, events.id)
        OR events.id > %(last)s::bigint
))::text::xid8;

-- name: restored_close
-- Nobody changes lines from now on.
ALTER TABLE events ENABLE TRIGGER events_are_final;

-- name: restored_note
-- Say in the history that it was renumbered.
INSERT INTO events (kind, actor, data)
VALUES ('history renumbered', 'mpms', json_build_object('lines', %(lines)s::bigint));
