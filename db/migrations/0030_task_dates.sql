-- When people's work is due, when it is shown and how urgent it is; who handed it to
-- whom; what was said about it. Jobs with a higher number are taken up first. A start
-- event may have several triggers.
ALTER TABLE tasks
    ADD COLUMN due_at timestamptz,
    ADD COLUMN follow_up_at timestamptz,
    ADD COLUMN priority integer NOT NULL DEFAULT 50,
    ADD COLUMN owner text,
    ADD COLUMN delegate text,
    ADD COLUMN resolved boolean NOT NULL DEFAULT false;
CREATE INDEX tasks_due ON tasks (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE task_comments (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    task_id uuid NOT NULL,
    instance_id uuid NOT NULL REFERENCES instances ON DELETE CASCADE,
    login text NOT NULL,
    text text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX task_comments_by_task ON task_comments (task_id, id);
CREATE INDEX task_comments_by_instance ON task_comments (instance_id);

ALTER TABLE jobs ADD COLUMN priority integer NOT NULL DEFAULT 0;
DROP INDEX jobs_due;
CREATE INDEX jobs_due ON jobs (topic, priority DESC, run_at, id) WHERE state = 'ready';

ALTER TABLE starts DROP CONSTRAINT starts_key_element_key;
CREATE UNIQUE INDEX starts_one_a_trigger ON starts (
    key, element, kind, coalesce(event, ''), coalesce(timer_text, '')
);
