-- name: tasks_get, prepared
-- One open form.
SELECT
    t.task_id, t.instance_id, i.business_key, t.element, t.name, t.lane, t.form,
    t.assignee, t.groups, t.inputs, t.created_at, i.suspended_at IS NOT NULL,
    t.due_at, t.follow_up_at, t.priority, t.owner, t.delegate, t.resolved
FROM tasks AS t
JOIN instances AS i ON i.id = t.instance_id
WHERE t.task_id = %(task_id)s::uuid;

-- name: tasks_take, prepared
-- An open form that nobody has answered, to be answered now: its instance is locked
-- first, unless somebody else has it, and the form is read again under that lock.
SELECT
    t.task_id, t.instance_id, instance.business_key, t.element, t.name, t.lane, t.form,
    t.assignee, t.groups, t.inputs, t.created_at, instance.suspended_at IS NOT NULL,
    t.due_at, t.follow_up_at, t.priority, t.owner, t.delegate, t.resolved,
    instance.id, instance.definition_id, instance.key, instance.business_key,
    instance.parent_id, instance.parent_task, instance.status, instance.state,
    instance.variables, instance.revision, instance.started_at, instance.changed_at,
    instance.ended_at, instance.end_reason, instance.suspended_by,
    instance.suspended_reason, instance.suspended_at, instance.restarted_from
FROM (
    SELECT instance_id
    FROM tasks
    WHERE
        task_id = %(task_id)s::uuid
        AND NOT EXISTS (SELECT FROM answers WHERE task_id = %(task_id)s::uuid)
) AS found
CROSS JOIN LATERAL (
    SELECT
        id, definition_id, key, business_key, parent_id, parent_task, status, state,
        variables, revision, started_at, changed_at, ended_at, end_reason,
        suspended_by, suspended_reason, suspended_at, restarted_from
    FROM instances
    WHERE instances.id = found.instance_id
    FOR NO KEY UPDATE SKIP LOCKED
) AS instance
CROSS JOIN LATERAL (
    SELECT
        task_id, instance_id, element, name, lane, form, assignee, groups, inputs,
        created_at, due_at, follow_up_at, priority, owner, delegate, resolved
    FROM tasks
    WHERE tasks.task_id = %(task_id)s::uuid AND tasks.instance_id = instance.id
    FOR NO KEY UPDATE SKIP LOCKED
) AS t;

-- name: tasks_open
-- Open forms, oldest first; a form without groups is for everybody.
SELECT
    t.task_id, t.instance_id, i.business_key, t.element, t.name, t.lane, t.form,
    t.assignee, t.groups, t.inputs, t.created_at, i.suspended_at IS NOT NULL,
    t.due_at, t.follow_up_at, t.priority, t.owner, t.delegate, t.resolved
FROM tasks AS t
JOIN instances AS i ON i.id = t.instance_id
WHERE
    (
        %(groups)s::text[] IS NULL
        OR t.groups && %(groups)s::text[]
        OR cardinality(t.groups) = 0
    )
    AND (%(instance_id)s::uuid IS NULL OR t.instance_id = %(instance_id)s::uuid)
ORDER BY t.created_at, t.task_id;

-- name: tasks_answer, prepared
-- The answer that was given to a form.
SELECT
    task_id, instance_id, element, answers, answered_by, answered_at, key, device_at
FROM answers
WHERE task_id = %(task_id)s::uuid;

-- name: tasks_record, prepared
-- Keep an answer; the first one counts.
INSERT INTO answers (
    task_id, instance_id, element, answers, answered_by, answered_at, key, device_at
)
VALUES (
    %(task_id)s::uuid, %(instance_id)s::uuid, %(element)s, %(answers)s::json,
    %(answered_by)s, %(answered_at)s::timestamptz, %(key)s,
    %(device_at)s::timestamptz
)
ON CONFLICT (task_id) DO NOTHING;

-- name: tasks_past
-- What the history remembers of a form; quick where the instance is known.
SELECT e.task_id, e.instance_id, i.definition_id, i.business_key, e.element
FROM events AS e
JOIN instances AS i ON i.id = e.instance_id
WHERE
    e.task_id = %(task_id)s::uuid
    AND e.element IS NOT NULL
    AND (%(instance_id)s::uuid IS NULL OR e.instance_id = %(instance_id)s::uuid)
LIMIT 1;

-- name: tasks_variables
-- What the forms of these instances see, where no inner scope hides it.
SELECT id, variables
FROM instances
WHERE id = ANY(%(instance_ids)s::uuid[]);

-- name: tasks_schedule
-- People change when it is due, when it is shown and how urgent it is.
UPDATE tasks
SET
    due_at = %(due_at)s::timestamptz, follow_up_at = %(follow_up_at)s::timestamptz,
    priority = %(priority)s
WHERE task_id = %(task_id)s::uuid;

-- name: tasks_offer
-- People change for whom it is.
UPDATE tasks
SET groups = %(groups)s::text[]
WHERE task_id = %(task_id)s::uuid;

-- name: tasks_delegate
-- Who is to help whom with it; resolved: he has, and it is the owner's again.
UPDATE tasks
SET owner = %(owner)s, delegate = %(delegate)s, resolved = %(resolved)s
WHERE task_id = %(task_id)s::uuid;

-- name: tasks_overdue
-- Open forms that are late and of which no open incident tells.
SELECT t.task_id, t.instance_id, t.element, t.name, t.due_at
FROM tasks AS t
JOIN instances AS i ON i.id = t.instance_id
WHERE
    t.due_at <= %(now)s::timestamptz
    AND i.suspended_at IS NULL
    AND NOT EXISTS (
        SELECT
        FROM incidents
        WHERE
            incidents.task_id = t.task_id
            AND incidents.kind = %(kind)s
            AND incidents.resolved_at IS NULL
    )
ORDER BY t.due_at, t.task_id
LIMIT %(limit)s;

-- name: task_comments_add
-- Somebody says something about a form.
INSERT INTO task_comments (task_id, instance_id, login, text)
VALUES (%(task_id)s::uuid, %(instance_id)s::uuid, %(login)s, %(text)s)
RETURNING id, task_id, instance_id, login, text, created_at;

-- name: task_comments_of
-- What was said about a form, oldest first.
SELECT id, task_id, instance_id, login, text, created_at
FROM task_comments
WHERE task_id = %(task_id)s::uuid
ORDER BY id;
