-- name: robots_out_take
-- A robot gets no new work.
INSERT INTO robots_out (robot, reason, taken_out_by)
VALUES (%(robot)s, %(reason)s, %(by)s)
ON CONFLICT DO NOTHING;

-- name: robots_out_bring_back
-- A robot works again.
DELETE FROM robots_out
WHERE robot = %(robot)s
RETURNING robot, reason, taken_out_by, taken_out_at;

-- name: robots_out_listing
-- Robots that rest.
SELECT robot, reason, taken_out_by, taken_out_at
FROM robots_out
ORDER BY robot;

-- name: robots_owners
-- Which worker speaks with which robot, and when each last said something.
SELECT
    robot,
    CASE WHEN lease_until >= clock_timestamp() THEN owner END,
    reported_at
FROM robots
ORDER BY robot;
