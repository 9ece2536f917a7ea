-- name: starts_forget
-- A new version is there: the start events of older ones are over.
DELETE FROM starts
WHERE key = %(key)s AND definition_id <> %(definition_id)s;

-- name: starts_insert
-- Let a start event of a version be triggered; the same version again changes nothing.
INSERT INTO starts (
    definition_id, key, element, kind, event, timer, timer_text, due_at, anchor_at,
    turns_left
)
VALUES (
    %(definition_id)s, %(key)s, %(element)s, %(kind)s, %(event)s, %(timer)s,
    %(timer_text)s, %(due_at)s, %(anchor_at)s, %(turns_left)s
)
ON CONFLICT (key, element, kind, coalesce(event, ''), coalesce(timer_text, ''))
DO NOTHING;

-- name: starts_known
-- Whether a version has its start events already.
SELECT
FROM starts
WHERE key = %(key)s AND definition_id = %(definition_id)s
LIMIT 1;

-- name: starts_by_message
-- Which process a message starts.
SELECT key, element
FROM starts
WHERE kind = 'message' AND event = %(event)s;

-- name: starts_trigger
-- Start every process that begins with this message or signal, each as an instance
-- with a command that lies ready for it.
WITH triggered AS MATERIALIZED (
    SELECT gen_random_uuid() AS instance_id, definition_id, key, element
    FROM starts
    WHERE
        kind = %(kind)s
        AND event = %(event)s
        AND NOT EXISTS (
            SELECT FROM suspended_processes WHERE suspended_processes.key = starts.key
        )
), started AS (
    INSERT INTO instances (id, definition_id, key, business_key)
    SELECT instance_id, definition_id, key, %(business_key)s::text
    FROM triggered
), commanded AS (
    INSERT INTO deliveries (instance_id, kind, data)
    SELECT
        instance_id, 'start',
        json_build_object(
            'at', element,
            'trigger', %(kind)s::text,
            'event', %(event)s::text,
            'variables', %(variables)s::json
        )
    FROM triggered
)
SELECT instance_id
FROM triggered
ORDER BY key, element;

-- name: starts_claim_due
-- Lock one timer start that is due and that no other worker has.
SELECT
    id, definition_id, key, element, timer, due_at, anchor_at, turns_left, timer_text,
    failures
FROM starts
WHERE
    due_at <= %(now)s::timestamptz
    AND not_before <= %(now)s::timestamptz
    AND NOT EXISTS (
        SELECT FROM suspended_processes WHERE suspended_processes.key = starts.key
    )
ORDER BY due_at, id
LIMIT 1
FOR UPDATE OF starts SKIP LOCKED;

-- name: starts_move
-- It has come; say when it comes again, or never.
UPDATE starts
SET
    due_at = %(due_at)s,
    turns_left = %(turns_left)s,
    failures = 0,
    not_before = '-infinity'
WHERE id = %(id)s;

-- name: starts_postpone
-- A start that failed must not hold up the others.
UPDATE starts
SET failures = failures + 1, not_before = %(again_at)s
WHERE id = %(id)s;

-- name: starts_list
-- What can start processes, by key.
SELECT key, element, kind, event, timer_text, due_at, turns_left
FROM starts
ORDER BY key, element;
