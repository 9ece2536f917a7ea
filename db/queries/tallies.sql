-- Follows the history in portions. Every statement first takes the lines of its portion
-- that it needs, in order and no more than there can be: so that the planner walks the
-- index from where the last portion ended, whatever it thinks of the table.

-- name: tallies_unhurried
-- Wait for no disk: what a crash takes back is counted again, place and figures together.
SET LOCAL synchronous_commit TO off;

-- name: tallies_place
-- Where the last reading of the history ended; the row is held for this transaction.
SELECT transaction::text::bigint, line
FROM readers
WHERE name = 'tallies'
FOR UPDATE SKIP LOCKED;

-- name: tallies_reach
-- The last of the next lines that no running transaction can still precede, and what
-- kinds of lines there are.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, kind
    FROM events
    WHERE
        transaction < pg_snapshot_xmin(pg_current_snapshot())
        AND (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
    ORDER BY transaction, id
    LIMIT %(limit)s
)
SELECT
    transaction::text::bigint, id, ARRAY(SELECT DISTINCT kind FROM lines)
FROM lines
ORDER BY transaction DESC, id DESC
LIMIT 1;

-- name: tallies_move
-- Note how far the history has been read.
UPDATE readers
SET transaction = %(transaction)s::text::xid8, line = %(line)s
WHERE name = 'tallies';

-- name: tallies_enter
-- Tokens that came.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, at, instance_id, element, task_id
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
        AND kind = 'entered'
    ORDER BY transaction, id
    LIMIT %(limit)s
)
INSERT INTO visits (task_id, instance_id, definition_id, element, entered_at)
SELECT DISTINCT ON (e.task_id)
    e.task_id, e.instance_id, i.definition_id, e.element, e.at
FROM lines AS e
CROSS JOIN LATERAL (
    SELECT definition_id FROM instances WHERE id = e.instance_id OFFSET 0
) AS i
WHERE e.task_id IS NOT NULL AND e.element IS NOT NULL
ORDER BY e.task_id, e.transaction, e.id
ON CONFLICT DO NOTHING;

-- name: tallies_take
-- Forms that somebody took.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, at, task_id
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
        AND kind = 'task claimed'
    ORDER BY transaction, id
    LIMIT %(limit)s
)
UPDATE visits
SET taken_at = taken.at
FROM (SELECT task_id, min(at) AS at FROM lines GROUP BY task_id) AS taken
WHERE visits.task_id = taken.task_id AND visits.taken_at IS NULL;

-- name: tallies_leave
-- Count what left, by element and hour, and forget where it stood.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, at, kind, task_id
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
        AND kind IN ('left', 'cancelled')
    ORDER BY transaction, id
    LIMIT %(limit)s
), gone AS (
    SELECT DISTINCT ON (task_id) task_id, kind, at
    FROM lines
    WHERE task_id IS NOT NULL
    ORDER BY task_id, transaction, id
), stood AS (
    DELETE FROM visits
    USING gone
    WHERE visits.task_id = gone.task_id
    RETURNING
        visits.definition_id, visits.element, gone.at, gone.kind,
        EXTRACT(EPOCH FROM gone.at - visits.entered_at) AS seconds,
        EXTRACT(EPOCH FROM COALESCE(visits.taken_at, gone.at) - visits.entered_at)
            AS waited_s
)
INSERT INTO element_hours AS h (
    definition_id, hour, element, visits, cancelled, seconds, waited_s, longest_s
)
SELECT
    definition_id, date_trunc('hour', at, 'UTC'), element,
    count(*), count(*) FILTER (WHERE kind = 'cancelled'),
    sum(seconds), sum(waited_s), max(seconds)
FROM stood
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
ON CONFLICT (definition_id, hour, element) DO UPDATE SET
    visits = h.visits + EXCLUDED.visits,
    cancelled = h.cancelled + EXCLUDED.cancelled,
    seconds = h.seconds + EXCLUDED.seconds,
    waited_s = h.waited_s + EXCLUDED.waited_s,
    longest_s = GREATEST(h.longest_s, EXCLUDED.longest_s);

-- name: tallies_processes
-- Count instances that began and ended, by process and hour.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, at, kind, instance_id
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
        AND kind IN (
            'instance started', 'instance completed', 'instance cancelled',
            'instance failed'
        )
    ORDER BY transaction, id
    LIMIT %(limit)s
)
INSERT INTO process_hours AS h (
    definition_id, hour, started, completed, cancelled, failed, seconds
)
SELECT
    i.definition_id, date_trunc('hour', e.at, 'UTC'),
    count(*) FILTER (WHERE e.kind = 'instance started'),
    count(*) FILTER (WHERE e.kind = 'instance completed'),
    count(*) FILTER (WHERE e.kind = 'instance cancelled'),
    count(*) FILTER (WHERE e.kind = 'instance failed'),
    COALESCE(sum(EXTRACT(EPOCH FROM e.at - i.started_at))
        FILTER (WHERE e.kind = 'instance completed'), 0)
FROM lines AS e
CROSS JOIN LATERAL (
    SELECT definition_id, started_at FROM instances WHERE id = e.instance_id OFFSET 0
) AS i
GROUP BY 1, 2
ORDER BY 1, 2
ON CONFLICT (definition_id, hour) DO UPDATE SET
    started = h.started + EXCLUDED.started,
    completed = h.completed + EXCLUDED.completed,
    cancelled = h.cancelled + EXCLUDED.cancelled,
    failed = h.failed + EXCLUDED.failed,
    seconds = h.seconds + EXCLUDED.seconds;

-- name: tallies_values
-- Keep plain variables of the instance so that they can be searched. JSON may hold
-- characters that text cannot: those lines are left out before they are taken apart.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, instance_id, data
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
        AND kind = 'variable'
    ORDER BY transaction, id
    LIMIT %(limit)s
), readable AS MATERIALIZED (
    SELECT transaction, id, instance_id, data
    FROM lines
    WHERE strpos(data::text, '\u') = 0
)
INSERT INTO found_values (instance_id, name, value)
SELECT DISTINCT ON (e.instance_id, e.data ->> 'name')
    e.instance_id, left(e.data ->> 'name', 200),
    CASE
        WHEN json_typeof(e.data -> 'new') IN ('string', 'number', 'boolean')
            THEN left(e.data ->> 'new', 200)
        ELSE ''
    END
FROM readable AS e
CROSS JOIN LATERAL (
    SELECT id FROM instances WHERE id = e.instance_id OFFSET 0
) AS i
WHERE e.data -> 'local' IS NULL
ORDER BY e.instance_id, e.data ->> 'name', e.transaction DESC, e.id DESC
ON CONFLICT (instance_id, name) DO UPDATE SET value = EXCLUDED.value;

-- name: tallies_ended
-- Values of ended instances are sorted by their end.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, instance_id
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
        AND kind IN (
            'instance completed', 'instance cancelled', 'instance failed', 'variable'
        )
    ORDER BY transaction, id
    LIMIT %(limit)s
)
UPDATE found_values
SET ended_at = i.ended_at
FROM (SELECT DISTINCT instance_id FROM lines) AS e
CROSS JOIN LATERAL (
    SELECT id, ended_at FROM instances WHERE id = e.instance_id OFFSET 0
) AS i
WHERE found_values.instance_id = i.id AND i.ended_at IS NOT NULL;

-- name: tallies_forget
-- No token stands in an instance that has ended.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, instance_id
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
        AND kind IN (
            'instance completed', 'instance cancelled', 'instance failed'
        )
    ORDER BY transaction, id
    LIMIT %(limit)s
)
DELETE FROM visits
USING (SELECT DISTINCT instance_id FROM lines) AS e
CROSS JOIN LATERAL (
    SELECT id, ended_at FROM instances WHERE id = e.instance_id OFFSET 0
) AS i
WHERE visits.instance_id = i.id AND i.ended_at IS NOT NULL;

-- name: tallies_lead_times
-- Count how long completed instances took; the buckets are told in the schema.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, at, instance_id
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
        AND kind = 'instance completed'
    ORDER BY transaction, id
    LIMIT %(limit)s
)
INSERT INTO lead_times AS l (definition_id, hour, bucket, instances)
SELECT
    i.definition_id, date_trunc('hour', e.at, 'UTC'),
    floor(ln(GREATEST(EXTRACT(EPOCH FROM e.at - i.started_at), 0.001)) / ln(1.1)),
    count(*)
FROM lines AS e
CROSS JOIN LATERAL (
    SELECT definition_id, started_at FROM instances WHERE id = e.instance_id OFFSET 0
) AS i
GROUP BY 1, 2, 3
ORDER BY 1, 2, 3
ON CONFLICT (definition_id, hour, bucket) DO UPDATE SET
    instances = l.instances + EXCLUDED.instances;

-- name: tallies_kinds
-- Count all lines by kind.
WITH lines AS MATERIALIZED (
    SELECT transaction, id, kind
    FROM events
    WHERE
        (transaction, id) > (%(transaction)s::text::xid8, %(line)s::bigint)
        AND (transaction, id) <= (%(to_transaction)s::text::xid8, %(to_line)s::bigint)
    ORDER BY transaction, id
    LIMIT %(limit)s
)
INSERT INTO line_counts AS c (kind, lines)
SELECT kind, count(*)
FROM lines
GROUP BY 1
ORDER BY 1
ON CONFLICT (kind) DO UPDATE SET lines = c.lines + EXCLUDED.lines;

-- name: tallies_count_jobs
-- Add jobs that were run and that failed.
INSERT INTO job_counts AS c (topic, run, failed)
SELECT topic, run, failed
FROM unnest(%(topics)s::text[], %(run)s::bigint[], %(failed)s::bigint[])
    AS counted (topic, run, failed)
ORDER BY topic
ON CONFLICT (topic) DO UPDATE SET
    run = c.run + EXCLUDED.run,
    failed = c.failed + EXCLUDED.failed;
