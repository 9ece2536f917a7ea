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

-- name: decisions_get
-- The newest table of a decision.
SELECT xml
FROM decisions
WHERE key = %(key)s
ORDER BY version DESC
LIMIT 1;
