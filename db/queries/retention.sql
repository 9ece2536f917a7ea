-- name: retention_get
-- How many days ended instances are kept.
SELECT keep_days, changed_by, changed_at
FROM retention;

-- name: retention_set
-- Keep ended instances for so many days; null: for ever.
INSERT INTO retention (keep_days, changed_by)
VALUES (%(keep_days)s, %(by)s)
ON CONFLICT (one_row) DO UPDATE
SET keep_days = EXCLUDED.keep_days,
    changed_by = EXCLUDED.changed_by,
    changed_at = now();

-- name: retention_ask
-- Ask for a deletion, unless one is under way.
INSERT INTO history_runs (before, reason, asked_by)
VALUES (%(before)s, %(reason)s, %(by)s)
ON CONFLICT DO NOTHING
RETURNING id;

-- name: retention_asked_lately
-- Whether somebody or the retention itself asked within these hours.
SELECT true
FROM history_runs
WHERE asked_by = %(by)s AND asked_at > now() - make_interval(hours => %(hours)s)
LIMIT 1;

-- name: retention_take
-- Take the deletion that waits, or one whose worker is silent.
UPDATE history_runs
SET taken_by = %(worker)s, taken_at = clock_timestamp()
WHERE id = (
    SELECT id
    FROM history_runs
    WHERE
        ended_at IS NULL
        AND (
            taken_at IS NULL
            OR taken_at < clock_timestamp() - make_interval(secs => %(silent_s)s)
        )
    ORDER BY id
    LIMIT 1
    FOR UPDATE SKIP LOCKED
)
RETURNING id, before, reason, asked_by;

-- name: retention_progress
-- How far a deletion has come; none if another worker has it now.
UPDATE history_runs
SET counts = %(counts)s::json, taken_at = clock_timestamp()
WHERE id = %(id)s AND taken_by = %(worker)s AND ended_at IS NULL
RETURNING id;

-- name: retention_end
-- A deletion has ended, well or not.
UPDATE history_runs
SET counts = %(counts)s::json, ended_at = clock_timestamp(), failure = %(failure)s
WHERE id = %(id)s AND ended_at IS NULL;

-- name: retention_runs
-- The latest deletions.
SELECT
    id, before, reason, asked_by, asked_at, taken_by, taken_at, ended_at, counts,
    failure
FROM history_runs
ORDER BY id DESC
LIMIT %(limit)s;
