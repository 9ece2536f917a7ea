-- name: deployments_lock
-- One deployment at a time: versions are counted, and a file deploys several keys.
SELECT pg_advisory_xact_lock(hashtext('mpms deployments'));

-- name: definitions_beside
-- The newest version of a key that was there when another model was deployed.
SELECT id
FROM definitions
WHERE
    key = %(key)s
    AND deployed_at <= (SELECT deployed_at FROM definitions WHERE id = %(caller)s)
ORDER BY version DESC
LIMIT 1;

-- name: definitions_latest, prepared
-- The newest version of a key, without its drawing.
SELECT id, version, digest
FROM definitions
WHERE key = %(key)s
ORDER BY version DESC
LIMIT 1;

-- name: definitions_insert
-- Deploy the next version.
INSERT INTO definitions (key, version, name, digest, xml, deployed_by, note)
VALUES (
    %(key)s, %(version)s, %(name)s, %(digest)s, %(xml)s, %(by)s, %(note)s
)
RETURNING id;

-- name: definitions_get
-- One version with its drawing.
SELECT digest, key, version, name, xml
FROM definitions
WHERE id = %(id)s;

-- name: definitions_find, prepared
-- The number of a version.
SELECT id
FROM definitions
WHERE key = %(key)s AND version = %(version)s;

-- name: definitions_list
-- The newest version of every key.
SELECT DISTINCT ON (key) id
FROM definitions
ORDER BY key, version DESC;
