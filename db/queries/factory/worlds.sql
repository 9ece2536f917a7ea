-- name: world_versions_lock
-- One decision at a time which version is used.
SELECT pg_advisory_xact_lock(hashtext('mpms world versions'));

-- name: world_versions_add
-- The next version of a world's files.
INSERT INTO world_versions (world, files, based_on, made_by, reason)
VALUES (%(world)s, %(files)s, %(based_on)s, %(by)s, %(reason)s)
RETURNING number, based_on, made_by, reason, made_at, previewed_at, NULL;

-- name: world_versions_get
-- Who drew a version, when and why, and whether it was previewed and used.
SELECT
    version.number,
    version.based_on,
    version.made_by,
    version.reason,
    version.made_at,
    version.previewed_at,
    (
        SELECT max(used.used_at)
        FROM world_uses AS used
        WHERE used.world = version.world AND used.number = version.number
    )
FROM world_versions AS version
WHERE version.world = %(world)s AND version.number = %(number)s;

-- name: world_versions_files
-- The files of a version, by name.
SELECT files
FROM world_versions
WHERE world = %(world)s AND number = %(number)s;

-- name: world_versions_preview
-- What ten robots did in it; nothing if nobody has looked.
SELECT preview
FROM world_versions
WHERE number = %(number)s AND preview IS NOT NULL;

-- name: world_versions_keep_preview
-- What ten robots did in it.
UPDATE world_versions
SET preview = %(preview)s, previewed_at = now()
WHERE number = %(number)s;

-- name: world_versions_listing
-- Versions, the newest first.
SELECT
    version.number,
    version.based_on,
    version.made_by,
    version.reason,
    version.made_at,
    version.previewed_at,
    (
        SELECT max(used.used_at)
        FROM world_uses AS used
        WHERE used.world = version.world AND used.number = version.number
    )
FROM world_versions AS version
WHERE version.world = %(world)s
ORDER BY version.number DESC
LIMIT %(limit)s;

-- name: world_versions_use
-- What starts from now on takes this version; 0: the plant's files.
INSERT INTO world_uses (world, number, used_by, reason)
VALUES (%(world)s, %(number)s, %(by)s, %(reason)s);

-- name: world_versions_in_use
-- The last that was decided.
SELECT
    used.number,
    used.used_by,
    used.used_at
FROM world_uses AS used
WHERE used.world = %(world)s
ORDER BY used.id DESC
LIMIT 1;
