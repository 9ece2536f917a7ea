-- name: tracks_add
-- Keep where robots were, for the instance that each of them works for.
INSERT INTO robot_tracks (instance_id, robot, at, x_m, y_m)
SELECT COALESCE(h.instance_id, g.instance_id, r.instance_id), p.robot, p.at, p.x_m, p.y_m
FROM unnest(
    %(robots)s::text[], %(ats)s::timestamptz[], %(xs_m)s::real[], %(ys_m)s::real[]
) AS p (robot, at, x_m, y_m)
LEFT JOIN robot_holds AS h ON h.robot = p.robot
LEFT JOIN goals AS g ON g.robot = p.robot AND g.state IN ('new', 'sent')
LEFT JOIN fleet_requests AS r ON r.fleet_task = g.fleet_task AND r.fleet_task <> ''
WHERE COALESCE(h.instance_id, g.instance_id, r.instance_id) IS NOT NULL
ON CONFLICT DO NOTHING;

-- name: tracks_of_instance
-- Where robots were while they worked for an instance.
SELECT robot, at, x_m, y_m
FROM robot_tracks
WHERE instance_id = %(id)s::uuid
ORDER BY robot, at
LIMIT %(limit)s;

-- name: tracks_spend
-- Add the time that a robot spent in an hour.
INSERT INTO robot_hours AS h (robot, hour, driving_s, waiting_s, idle_s, away_s)
SELECT
    robot, date_trunc('hour', clock_timestamp(), 'UTC'),
    driving_s, waiting_s, idle_s, away_s
FROM unnest(
    %(robots)s::text[], %(driving_s)s::float8[], %(waiting_s)s::float8[],
    %(idle_s)s::float8[], %(away_s)s::float8[]
) AS spent (robot, driving_s, waiting_s, idle_s, away_s)
ORDER BY robot
ON CONFLICT (hour, robot) DO UPDATE SET
    driving_s = h.driving_s + EXCLUDED.driving_s,
    waiting_s = h.waiting_s + EXCLUDED.waiting_s,
    idle_s = h.idle_s + EXCLUDED.idle_s,
    away_s = h.away_s + EXCLUDED.away_s;
