-- name: claims_take
-- Take a task; the one who has it already keeps it.
INSERT INTO claims (task_id, claimed_by)
SELECT t.task_id, %(login)s FROM tasks AS t WHERE t.task_id = %(task_id)s::uuid
ON CONFLICT (task_id) DO UPDATE SET claimed_by = claims.claimed_by
WHERE claims.claimed_by = excluded.claimed_by
RETURNING task_id;

-- name: claims_give_back
-- Leave a task to others.
DELETE FROM claims
WHERE
    task_id = %(task_id)s::uuid
    AND (%(login)s::text IS NULL OR claimed_by = %(login)s::text);

-- name: claims_of
-- Who has these tasks.
SELECT task_id, claimed_by, claimed_at
FROM claims
WHERE task_id = ANY(%(task_ids)s::uuid[]);

-- name: drafts_save
-- One field of an open form.
INSERT INTO drafts (task_id, field, value, saved_by)
SELECT t.task_id, %(field)s, %(value)s::json, %(by)s
FROM tasks AS t WHERE t.task_id = %(task_id)s::uuid
ON CONFLICT (task_id, field) DO UPDATE
SET value = excluded.value, saved_by = excluded.saved_by, saved_at = now();

-- name: drafts_of
-- What has been typed so far.
SELECT field, value FROM drafts WHERE task_id = %(task_id)s::uuid;

-- name: late_answers_add
-- An answer that came too late, once a key.
INSERT INTO late_answers (
    key, task_id, instance_id, business_key, task_name, answers, answered_by,
    posted_by, device_at, reason
)
VALUES (
    %(key)s, %(task_id)s::uuid, %(instance_id)s::uuid, %(business_key)s,
    %(task_name)s, %(answers)s::json, %(answered_by)s,
    %(posted_by)s, %(device_at)s, %(reason)s
)
ON CONFLICT (key) DO NOTHING;

-- name: late_answers_waiting
-- How many nobody has decided about: of one form, and of one person.
SELECT
    count(*) FILTER (WHERE task_id = %(task_id)s::uuid),
    count(*) FILTER (WHERE answered_by = %(answered_by)s)
FROM late_answers
WHERE decided_at IS NULL AND key <> %(but)s;

-- name: late_answers_open
-- Those that nobody has decided about, oldest first.
SELECT
    id, key, task_id, instance_id, business_key, task_name, answers, answered_by,
    posted_by, device_at, received_at, reason
FROM late_answers
WHERE decided_at IS NULL
ORDER BY received_at, id;

-- name: late_answers_get
-- One of them, while undecided.
SELECT
    id, key, task_id, instance_id, business_key, task_name, answers, answered_by,
    posted_by, device_at, received_at, reason
FROM late_answers
WHERE id = %(late_id)s AND decided_at IS NULL;

-- name: late_answers_decide
-- The first decision counts.
UPDATE late_answers
SET decided_by = %(by)s, decision = %(decision)s, decided_at = now()
WHERE id = %(late_id)s AND decided_at IS NULL;
