-- History is deleted in whole trees: an instance that ended long ago and all that it
-- called, if nothing in it is still active or waits for a supervisor.

-- name: old_history_allow
-- Let this transaction delete lines of the history.
SELECT set_config('mpms.deletes_history', 'on', true);

-- name: old_history_instances
-- The next trees that may go, oldest first: every instance of them.
WITH RECURSIVE roots AS (
    SELECT id, ended_at
    FROM instances
    WHERE
        ended_at < %(before)s::timestamptz
        AND parent_id IS NULL
        AND id <> ALL (%(kept)s::uuid[])
    ORDER BY ended_at, id
    LIMIT %(limit)s::bigint
), tree AS (
    SELECT id AS root, id
    FROM roots
    UNION ALL
    SELECT tree.root, child.id
    FROM instances AS child
    JOIN tree ON tree.id = child.parent_id
)
SELECT
    tree.root, tree.id,
    i.status = 'active' OR EXISTS (
        SELECT FROM late_answers AS l
        WHERE l.instance_id = i.id AND l.decided_at IS NULL
    )
FROM tree
JOIN instances AS i ON i.id = tree.id;

-- name: old_history_delete_events
-- The lines of these instances.
DELETE FROM events
WHERE instance_id = ANY (%(ids)s::uuid[]);

-- name: old_history_delete_instances
-- The instances, with answers, attachments and incidents; what they worked for stays.
DELETE FROM instances
WHERE id = ANY (%(ids)s::uuid[]) AND status <> 'active';

-- name: old_history_delete_loose
-- Lines of no instance, some at a time; what names something that processes work for
-- stays. Compared as text: reading into JSON fails where somebody typed a null character.
DELETE FROM events
WHERE id IN (
    SELECT id
    FROM events
    WHERE
        instance_id IS NULL
        AND at < %(before)s::timestamptz
        AND data::text NOT LIKE ALL (%(kept)s::text[])
    ORDER BY transaction, id
    LIMIT %(limit)s::bigint
);

-- name: old_history_count
-- What belongs to these instances.
SELECT
    (SELECT count(*) FROM events WHERE instance_id = ANY (%(ids)s::uuid[])),
    (SELECT count(*) FROM answers WHERE instance_id = ANY (%(ids)s::uuid[])),
    (SELECT count(*) FROM incidents WHERE instance_id = ANY (%(ids)s::uuid[])),
    (SELECT count(*) FROM attachments WHERE instance_id = ANY (%(ids)s::uuid[]));

-- name: old_history_count_loose
-- How many lines of no instance are that old.
SELECT count(*)
FROM events
WHERE
    instance_id IS NULL
    AND at < %(before)s::timestamptz
    AND data::text NOT LIKE ALL (%(kept)s::text[]);
