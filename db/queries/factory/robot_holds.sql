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

-- name: robot_holds_release_ended, prepared
-- Free the robots of instances that have ended, and say so.
WITH released AS (
    DELETE FROM robot_holds
    USING unnest(%(instance_id)s::uuid[], %(actor)s::text[]) AS ended (
        instance_id, actor
    )
    WHERE robot_holds.instance_id = ended.instance_id
    RETURNING robot_holds.robot, robot_holds.instance_id, ended.actor
)
INSERT INTO events (kind, actor, instance_id, data)
SELECT
    'robot released', actor, instance_id, format('{"robot":%%s}', to_json(robot))::json
FROM released;
