-- name: catalogue_lock
-- One change at a time; whoever reads is not held up.
SELECT pg_advisory_xact_lock(hashtext('mpms catalogue'));

-- name: catalogue_newest
-- The number of the version in force; null: the plant's file is.
SELECT max(number)
FROM catalogue_versions;

-- name: catalogue_content
-- What a version says.
SELECT content
FROM catalogue_versions
WHERE number = %(number)s;

-- name: catalogue_add
-- The next version.
INSERT INTO catalogue_versions (content, did, thing, made_by, reason)
VALUES (%(content)s, %(did)s, %(thing)s, %(by)s, %(reason)s)
RETURNING number, did, thing, made_by, reason, made_at;

-- name: catalogue_before
-- What was in force before this version.
SELECT content
FROM catalogue_versions
WHERE number < %(number)s
ORDER BY number DESC
LIMIT 1;

-- name: catalogue_get
-- Who made a version, when and why.
SELECT number, did, thing, made_by, reason, made_at
FROM catalogue_versions
WHERE number = %(number)s;

-- name: catalogue_listing
-- Versions, the newest first.
SELECT number, did, thing, made_by, reason, made_at
FROM catalogue_versions
WHERE %(below)s::integer IS NULL OR number < %(below)s
ORDER BY number DESC
LIMIT %(limit)s;

-- name: catalogue_changed_since
-- Who last changed one entry, or everything, after a version.
SELECT number, did, thing, made_by, reason, made_at
FROM catalogue_versions
WHERE number > %(number)s
ORDER BY (thing = %(thing)s OR did LIKE 'catalogue %%') DESC, number DESC
LIMIT 1;

-- name: pictures_add
-- Keep a picture; the same content is kept once.
INSERT INTO pictures (name, content, added_by)
VALUES (%(name)s, %(content)s, %(by)s)
ON CONFLICT (name) DO NOTHING;

-- name: pictures_get
-- One picture.
SELECT content
FROM pictures
WHERE name = %(name)s;
