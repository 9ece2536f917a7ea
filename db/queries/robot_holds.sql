-- name: robot_holds_insert
-- Give a free robot to an instance that has none.
INSERT INTO robot_holds (robot, instance_id)
VALUES (%(robot)s, %(instance_id)s::uuid)
ON CONFLICT DO NOTHING;

-- name: robot_holds_list
-- Who holds which robot.
SELECT robot, instance_id
FROM robot_holds
ORDER BY robot;

-- name: robot_holds_of_instance
-- The robot of an instance.
SELECT robot
FROM robot_holds
WHERE instance_id = %(instance_id)s::uuid;

-- name: robot_holds_release
-- Free the robot of an instance.
DELETE FROM robot_holds
WHERE instance_id = %(instance_id)s::uuid
RETURNING robot;
