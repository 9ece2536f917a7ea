-- name: robot_jobs_waiting
-- Jobs that wait for something of a robot's, and why; oldest first.
SELECT
    j.task_id::text, j.instance_id::text,
    COALESCE(j.inputs, i.variables) ->> 'robot',
    COALESCE(j.inputs, i.variables) ->> 'place',
    j.last_error,
    extract(epoch FROM clock_timestamp() - j.created_at)::double precision
FROM jobs AS j
JOIN instances AS i ON i.id = j.instance_id
WHERE j.state = 'ready' AND j.topic = ANY(%(topics)s::text[])
ORDER BY j.id;
