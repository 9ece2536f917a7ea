-- name: suspensions_add_instance
-- Let an active instance stand still, unless it does.
UPDATE instances
SET suspended_by = %(by)s, suspended_reason = %(reason)s, suspended_at = now()
WHERE id = %(id)s::uuid AND suspended_at IS NULL;

-- name: suspensions_end_instance
-- Let it go on.
UPDATE instances
SET suspended_by = NULL, suspended_reason = NULL, suspended_at = NULL
WHERE id = %(id)s::uuid AND suspended_at IS NOT NULL;

-- name: suspensions_add_process
-- Start no instance of a process any more.
INSERT INTO suspended_processes (key, suspended_by, suspended_reason)
VALUES (%(key)s, %(by)s, %(reason)s)
ON CONFLICT (key) DO NOTHING;

-- name: suspensions_end_process
-- Start instances again.
DELETE FROM suspended_processes
WHERE key = %(key)s;

-- name: suspensions_of_processes
-- Every process that stands still.
SELECT key, suspended_by, suspended_reason, suspended_at
FROM suspended_processes
ORDER BY key;

-- name: suspensions_active_of
-- The active instances of a process that do, or do not, stand still.
SELECT id
FROM instances
WHERE
    key = %(key)s
    AND status = 'active'
    AND (suspended_at IS NOT NULL) = %(suspended)s
ORDER BY started_at, id;
