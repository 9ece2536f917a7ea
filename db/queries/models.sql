-- name: models_processes
-- Every version of every process, and how many instances run it.
SELECT
    d.key, d.version, d.name, d.digest, d.deployed_at, d.deployed_by, d.note,
    COALESCE(a.active, 0)
FROM definitions AS d
LEFT JOIN (
    SELECT definition_id, count(*) AS active
    FROM instances
    WHERE ended_at IS NULL
    GROUP BY definition_id
) AS a ON a.definition_id = d.id
ORDER BY d.key, d.version DESC;

-- name: models_decisions
-- Every version of every decision.
SELECT key, version, name, digest, deployed_at, deployed_by, note
FROM decisions
ORDER BY key, version DESC;

-- name: models_forms
-- Every version of every form.
SELECT form, version, form, digest, deployed_at, deployed_by, note
FROM forms
ORDER BY form, version DESC;

-- name: models_templates
-- Every element template.
SELECT template
FROM element_templates
ORDER BY name, id, version DESC;

-- name: models_template_versions
-- Which element templates there are; what one says of itself stands for the note.
SELECT
    id, version, name, '' AS digest, deployed_at, deployed_by,
    coalesce(template ->> 'description', '') AS note
FROM element_templates
ORDER BY min(name) OVER (PARTITION BY id), id, version DESC;

-- name: models_template
-- One element template.
SELECT template
FROM element_templates
WHERE id = %(id)s AND version = %(version)s;

-- name: models_keep_template
-- The last of the same id and version counts.
INSERT INTO element_templates (id, version, name, template, deployed_by)
VALUES (%(id)s, %(version)s, %(name)s, %(template)s::json, %(by)s)
ON CONFLICT (id, version) DO UPDATE SET
    name = excluded.name,
    template = excluded.template,
    deployed_at = now(),
    deployed_by = excluded.deployed_by;

-- name: models_decision
-- One version of a decision table.
SELECT xml
FROM decisions
WHERE key = %(key)s AND version = %(version)s;

-- name: models_form
-- One version of a form.
SELECT schema
FROM forms
WHERE form = %(form)s AND version = %(version)s;

-- name: models_drafts
-- What a person draws, without the drawings.
SELECT kind, key, base_version, ''::bytea, saved_at
FROM model_drafts
WHERE person_id = %(person_id)s
ORDER BY saved_at DESC, kind, key;

-- name: models_draft
-- One of them, with its drawing.
SELECT kind, key, base_version, content, saved_at
FROM model_drafts
WHERE person_id = %(person_id)s AND kind = %(kind)s AND key = %(key)s;

-- name: models_save_draft
-- Keep what was drawn; the last save counts.
INSERT INTO model_drafts (person_id, kind, key, base_version, content)
VALUES (%(person_id)s, %(kind)s, %(key)s, %(base_version)s, %(content)s)
ON CONFLICT (person_id, kind, key) DO UPDATE SET
    base_version = excluded.base_version,
    content = excluded.content,
    saved_at = now()
RETURNING saved_at;

-- name: models_drop_draft
-- It was deployed or is not wanted any more.
DELETE FROM model_drafts
WHERE person_id = %(person_id)s AND kind = %(kind)s AND key = %(key)s;
