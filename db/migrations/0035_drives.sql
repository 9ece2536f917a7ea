-- What the fleet has a robot do belongs to a task of the fleet, and so to the request of
-- a process. ``drives`` is what a process sees: a goal of its own, or a request as one.
ALTER TABLE goals ADD COLUMN fleet_task text NOT NULL DEFAULT '';
CREATE INDEX goals_by_fleet_task ON goals (fleet_task, created_at)
    WHERE fleet_task <> '';
CREATE INDEX fleet_requests_by_task ON fleet_requests (fleet_task)
    WHERE fleet_task <> '';

CREATE VIEW drives AS
SELECT
    id, robot, place, x_m, y_m, yaw_rad, state, task_id, instance_id, inferred, reason,
    created_at, sent_at, ended_at
FROM goals
WHERE id NOT LIKE 'fleet/%'
UNION ALL
SELECT
    r.id,
    COALESCE(NULLIF(t.robot, ''), r.data ->> 'robot'),
    COALESCE(r.data ->> 'called', driven.place, r.data ->> 'place'),
    COALESCE((r.data ->> 'x_m')::float8, driven.x_m),
    COALESCE((r.data ->> 'y_m')::float8, driven.y_m),
    COALESCE((r.data ->> 'yaw_rad')::float8, driven.yaw_rad),
    CASE
        WHEN r.state = 'done' THEN 'reached'
        WHEN r.state = 'failed' THEN 'failed'
        WHEN r.state = 'withdrawn' THEN 'cancelled'
        WHEN driven.sent_at IS NOT NULL THEN 'sent'
        ELSE 'new'
    END,
    r.task_id, r.instance_id, false, r.why, r.asked_at,
    COALESCE(driven.sent_at, CASE WHEN r.state = 'done' THEN t.started_at END),
    r.ended_at
FROM fleet_requests AS r
LEFT JOIN fleet_tasks AS t ON t.id = r.fleet_task
LEFT JOIN LATERAL (
    SELECT
        min(g.sent_at) AS sent_at,
        (array_agg(g.place ORDER BY g.created_at DESC))[1] AS place,
        (array_agg(g.x_m ORDER BY g.created_at DESC))[1] AS x_m,
        (array_agg(g.y_m ORDER BY g.created_at DESC))[1] AS y_m,
        (array_agg(g.yaw_rad ORDER BY g.created_at DESC))[1] AS yaw_rad
    FROM goals AS g
    WHERE g.fleet_task = r.fleet_task AND g.fleet_task <> '' AND g.action = 'drive'
) AS driven ON true
WHERE COALESCE(r.data ->> 'x_m', driven.x_m::text) IS NOT NULL;
