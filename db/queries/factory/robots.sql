-- name: robots_introduce
-- Make a row for each robot of the world.
INSERT INTO robots (robot)
SELECT unnest(%(robots)s::text[])
ON CONFLICT DO NOTHING;

-- name: robots_own
-- Take robots that nobody speaks with, and keep those that are ours already.
UPDATE robots AS r
SET owner = %(worker)s,
    lease_until = clock_timestamp() + make_interval(secs => %(lease_s)s)
FROM (
    SELECT robot
    FROM robots
    WHERE robot = ANY(%(robots)s::text[])
        AND (
            owner IS NULL
            OR owner = %(worker)s
            OR lease_until < clock_timestamp()
        )
    ORDER BY robot
    FOR NO KEY UPDATE SKIP LOCKED
) AS free
WHERE r.robot = free.robot
RETURNING r.robot;

-- name: robots_release
-- A worker that stops in good order lets go of its robots.
UPDATE robots
SET owner = NULL, lease_until = NULL, ready = false, link = 'down',
    why_not = 'no worker speaks with it'
WHERE owner = %(worker)s;

-- name: robots_report
-- What a robot says of itself, written by the worker that owns it. It stands where it
-- last was until it says otherwise, also to a worker it has not spoken with yet.
UPDATE robots
SET ready = %(ready)s,
    why_not = %(why_not)s,
    link = %(link)s,
    x_m = COALESCE(%(x_m)s, x_m),
    y_m = COALESCE(%(y_m)s, y_m),
    battery = %(battery)s,
    reported_at = clock_timestamp()
WHERE robot = %(robot)s AND owner = %(worker)s;

-- name: robots_arrived
-- A robot has reached a goal, so it stands there.
UPDATE robots SET x_m = %(x_m)s, y_m = %(y_m)s WHERE robot = %(robot)s;

-- name: robots_states
-- All robots; one whose owner is gone, that has an open goal or that was taken out of
-- service is not ready. What the fleet lets them drive it can change at any time.
SELECT
    r.robot,
    r.ready AND r.lease_until >= clock_timestamp() AND g.id IS NULL
    AND o.robot IS NULL,
    r.x_m,
    r.y_m,
    r.battery,
    r.link,
    CASE
        WHEN r.owner IS NULL OR r.lease_until < clock_timestamp()
            THEN 'no worker speaks with it'
        WHEN g.id IS NOT NULL THEN 'drives to ' || g.place
        WHEN o.robot IS NOT NULL THEN 'out of service: ' || o.reason
        ELSE r.why_not
    END
FROM robots AS r
LEFT JOIN goals AS g ON g.robot = r.robot AND g.state IN ('new', 'sent')
    AND g.id NOT LIKE 'fleet/%%'
LEFT JOIN robots_out AS o ON o.robot = r.robot
ORDER BY r.robot;
