-- name: attachments_add
-- Keep a photo or a signature; once an id.
INSERT INTO attachments (
    id, instance_id, task_id, field, media_type, content, added_by
)
VALUES (
    %(id)s::uuid, %(instance_id)s::uuid, %(task_id)s::uuid, %(field)s,
    %(media_type)s, %(content)s, %(by)s
)
ON CONFLICT (id) DO NOTHING;

-- name: attachments_get
-- One of them.
SELECT id, instance_id, task_id, field, media_type, content
FROM attachments
WHERE id = %(id)s::uuid;
