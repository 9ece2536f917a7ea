-- name: decisions_latest
-- The newest version of a decision, without its table.
SELECT version, digest
FROM decisions
WHERE key = %(key)s
ORDER BY version DESC
LIMIT 1;

-- name: decisions_insert
-- Deploy the next version.
INSERT INTO decisions (key, version, name, digest, xml, deployed_by, note)
VALUES (
    %(key)s, %(version)s, %(name)s, %(digest)s, %(xml)s, %(by)s, %(note)s
);

-- name: decisions_beside
-- The newest table that was there when a model was deployed.
SELECT xml
FROM decisions
WHERE
    key = %(key)s
    AND deployed_at <= (SELECT deployed_at FROM definitions WHERE id = %(caller)s)
ORDER BY version DESC
LIMIT 1;

-- name: decisions_of_version
-- One version of a table.
SELECT xml
FROM decisions
WHERE key = %(key)s AND version = %(version)s;

-- name: decisions_get
-- The newest table of a decision.
SELECT xml
FROM decisions
WHERE key = %(key)s
ORDER BY version DESC
LIMIT 1;
