-- name: forms_latest
-- The newest version of a form, without its fields.
SELECT version, digest
FROM forms
WHERE form = %(form)s
ORDER BY version DESC
LIMIT 1;

-- name: forms_insert
-- Deploy the next version.
INSERT INTO forms (form, version, digest, schema, deployed_by, note)
VALUES (
    %(form)s, %(version)s, %(digest)s, %(schema)s::json, %(by)s, %(note)s
);

-- name: forms_get
-- The newest version of a form.
SELECT schema
FROM forms
WHERE form = %(form)s
ORDER BY version DESC
LIMIT 1;
