"""The rosapi services, in both dialects."""

import json
from typing import Any

import pytest

from shopfloor.sim.clock import ManualClock
from tests.support.rosbridge import LocalClient

PROMISED = """
map amcl_pose odom scan tf battery_state diagnostics people range security_stop
move_base_simple/goal move_base/goal move_base/cancel move_base/status
move_base/feedback move_base/result Make_Plan/goal Make_Plan/status
"""


def values(client: LocalClient, service: str, /, **args: Any) -> Any:
    answer = client.call(f"/rosapi/{service}", args)
    assert answer["result"] is True, answer
    return answer["values"]


def test_topics_and_types_stand_side_by_side(client: LocalClient) -> None:
    listed = values(client, "topics")
    types = dict(zip(listed["topics"], listed["types"], strict=True))
    assert types["/robot2/move_base/goal"] == "move_base_msgs/MoveBaseActionGoal"
    assert types["/robot1/battery_state"] == "sensor_msgs/BatteryState"


@pytest.mark.covers("A19")
def test_every_promised_topic_exists_in_each_namespace(client: LocalClient) -> None:
    topics = set(values(client, "topics")["topics"])
    for robot in ("/robot1", "/robot2"):
        assert {f"{robot}/{name}" for name in PROMISED.split()} <= topics


def test_an_unknown_topic_has_an_empty_type(client: LocalClient) -> None:
    assert values(client, "topic_type", topic="/nobody") == {"type": ""}


def test_topics_are_found_by_type(client: LocalClient) -> None:
    found = values(client, "topics_for_type", type="sensor_msgs/LaserScan")
    assert found == {"topics": ["/robot1/scan", "/robot2/scan"]}


def test_services_are_found_by_name_and_type(client: LocalClient) -> None:
    assert "/rosapi/topics" in values(client, "services")["services"]
    kind = values(client, "service_type", service="/robot1/pause")
    assert kind == {"type": "std_srvs/SetBool"}
    found = values(client, "services_for_type", type="shopfloor_msgs/Fault")
    assert found == {"services": ["/sim/fault"]}


def test_nodes_publishers_and_subscribers_are_told(client: LocalClient) -> None:
    client.subscribe("/robot1/odom")
    assert "/rosbridge_websocket" in values(client, "nodes")["nodes"]
    told = values(client, "subscribers", topic="/robot1/odom")
    assert told == {"subscribers": ["/rosbridge_websocket"]}
    told = values(client, "publishers", topic="/robot1/odom")
    assert told == {"publishers": ["/robot1/robot"]}
    details = values(client, "node_details", node="/robot1/move_base")
    assert "/robot1/move_base/status" in details["publishing"]
    assert "/robot1/move_base/goal" in details["subscribing"]


def test_action_servers_are_told_once_each(client: LocalClient) -> None:
    servers = values(client, "action_servers")["action_servers"]
    assert sorted(servers) == [
        "/robot1/Make_Plan",
        "/robot1/move_base",
        "/robot2/Make_Plan",
        "/robot2/move_base",
    ]


def test_message_details_describe_every_nested_type(client: LocalClient) -> None:
    defs = values(client, "message_details", type="geometry_msgs/PoseStamped")
    by_type = {entry["type"]: entry for entry in defs["typedefs"]}
    assert by_type["geometry_msgs/PoseStamped"]["fieldnames"] == ["header", "pose"]
    assert by_type["geometry_msgs/Point"]["fieldtypes"] == ["float64"] * 3
    assert by_type["std_msgs/Header"]["fieldnames"] == ["seq", "stamp", "frame_id"]


def test_details_of_an_unknown_type_are_an_error(client: LocalClient) -> None:
    answer = client.call("/rosapi/message_details", {"type": "no/Type"})
    assert answer["result"] is False
    assert "no/Type" in answer["values"]


def test_service_details_describe_both_sides(client: LocalClient) -> None:
    asked = values(client, "service_request_details", type="std_srvs/SetBool")
    assert asked["typedefs"][0]["fieldnames"] == ["data"]
    told = values(client, "service_response_details", type="std_srvs/SetBool")
    assert told["typedefs"][0]["fieldnames"] == ["success", "message"]


def test_parameters_are_kept_as_json(client: LocalClient) -> None:
    values(client, "set_param", name="/a/b", value=json.dumps([1, {"c": 2}]))
    assert json.loads(values(client, "get_param", name="/a/b")["value"]) == [
        1,
        {"c": 2},
    ]
    assert values(client, "has_param", name="/a/b") == {"exists": True}
    assert "/a/b" in values(client, "get_param_names")["names"]
    values(client, "delete_param", name="/a/b")
    assert values(client, "has_param", name="/a/b") == {"exists": False}
    told = values(client, "get_param", name="/a/b", default="7")
    assert told == {"value": "7"}


def test_the_time_is_told_in_the_words_of_the_dialect(
    client: LocalClient, ros2: LocalClient, clock: ManualClock
) -> None:
    seconds = int(clock.now())
    assert values(client, "get_time") == {"time": {"secs": seconds, "nsecs": 0}}
    assert values(ros2, "get_time") == {"time": {"sec": seconds, "nanosec": 0}}


def test_raw_types_give_the_whole_definition(client: LocalClient) -> None:
    told = values(client, "topics_and_raw_types")
    texts = dict(zip(told["topics"], told["typedefs_full_text"], strict=True))
    assert "MSG: geometry_msgs/Pose" in texts["/robot1/odom"]


def test_ros2_spells_types_in_three_parts_and_tells_its_version(
    ros2: LocalClient,
) -> None:
    kind = values(ros2, "topic_type", topic="/robot1/odom")
    assert kind == {"type": "nav_msgs/msg/Odometry"}
    assert values(ros2, "get_ros_version")["version"] == 2
    kind = values(ros2, "service_type", service="/rosapi/topics")
    assert kind == {"type": "rosapi_msgs/srv/Topics"}


ROS1_ONLY = {"service_host", "search_param"}
ROS2_ONLY = {
    "interfaces",
    "action_type",
    "action_goal_details",
    "action_result_details",
    "action_feedback_details",
    "get_ros_version",
}
BOTH = """
topics topic_type topics_for_type topics_and_raw_types services service_type
services_for_type service_node service_providers nodes node_details action_servers
publishers subscribers message_details service_request_details
service_response_details get_param set_param has_param delete_param get_param_names
get_time
"""


def test_each_dialect_has_the_services_of_its_server(
    client: LocalClient, ros2: LocalClient
) -> None:
    for one, own in ((client, ROS1_ONLY), (ros2, ROS2_ONLY)):
        offered = values(one, "services")["services"]
        found = {
            n.removeprefix("/rosapi/") for n in offered if n.startswith("/rosapi/")
        }
        assert found == set(BOTH.split()) | own


def test_providers_are_found_by_type_and_the_host_by_name(client: LocalClient) -> None:
    told = values(client, "service_providers", service="std_srvs/SetBool")
    assert told == {"providers": ["/robot1/robot", "/robot2/robot"]}
    assert values(client, "service_host", service="/robot1/pause")["host"]
    assert values(client, "service_host", service="/nobody") == {"host": ""}


def test_a_parameter_is_searched_from_near_to_far(client: LocalClient) -> None:
    values(client, "set_param", name="/speed", value="1")
    assert values(client, "search_param", name="speed") == {"global_name": "/speed"}
    values(client, "set_param", name="/rosapi/speed", value="2")
    told = values(client, "search_param", name="speed")
    assert told == {"global_name": "/rosapi/speed"}
    assert values(client, "search_param", name="none") == {"global_name": ""}


def test_ros1_details_have_an_entry_for_times(client: LocalClient) -> None:
    defs = values(client, "message_details", type="std_msgs/Header")["typedefs"]
    assert [entry["type"] for entry in defs] == ["std_msgs/Header", "time"]
    assert defs[0]["fieldtypes"] == ["uint32", "time", "string"]
    assert defs[1]["fieldnames"] == ["secs", "nsecs"]


def test_ros2_details_name_types_in_two_parts_and_fields_as_its_code_does(
    ros2: LocalClient,
) -> None:
    kind = "geometry_msgs/msg/PoseWithCovarianceStamped"
    defs = values(ros2, "message_details", type=kind)["typedefs"]
    assert [entry["type"] for entry in defs] == [
        "geometry_msgs/PoseWithCovarianceStamped",
        "std_msgs/Header",
        "builtin_interfaces/Time",
        "geometry_msgs/PoseWithCovariance",
        "geometry_msgs/Pose",
        "geometry_msgs/Point",
        "geometry_msgs/Quaternion",
    ]
    by_type = {entry["type"]: entry for entry in defs}
    assert by_type["std_msgs/Header"]["fieldtypes"] == [
        "builtin_interfaces/Time",
        "string",
    ]
    spread = by_type["geometry_msgs/PoseWithCovariance"]
    assert spread["fieldtypes"] == ["geometry_msgs/Pose", "double"]
    assert spread["fieldarraylen"] == [-1, 36]
    level = values(ros2, "message_details", type="diagnostic_msgs/DiagnosticStatus")
    assert level["typedefs"][0]["fieldtypes"][0] == "octet"


def test_ros2_has_no_details_of_an_unknown_type(ros2: LocalClient) -> None:
    assert values(ros2, "message_details", type="no/msg/Type") == {"typedefs": []}


def test_ros2_describes_services_and_actions_by_their_parts(ros2: LocalClient) -> None:
    asked = values(ros2, "service_request_details", type="std_srvs/srv/SetBool")
    assert asked["typedefs"][0]["type"] == "std_srvs/SetBool_Request"
    assert asked["typedefs"][0]["fieldtypes"] == ["boolean"]
    kind = "nav2_msgs/action/NavigateToPose"
    told = values(ros2, "action_type", action="/robot1/navigate_to_pose")
    assert told == {"type": kind}
    goal = values(ros2, "action_goal_details", type=kind)["typedefs"]
    assert goal[0]["type"] == "nav2_msgs/NavigateToPose_Goal"
    left = values(ros2, "action_feedback_details", type=kind)["typedefs"][0]
    assert "distance_remaining" in left["fieldnames"]
    known = values(ros2, "interfaces")["interfaces"]
    assert {"nav_msgs/msg/Odometry", "std_srvs/srv/SetBool", kind} <= set(known)


def test_ros2_hides_the_topics_of_actions_but_not_from_who_knows_them(
    ros2: LocalClient,
) -> None:
    hidden = "/robot1/navigate_to_pose/_action/status"
    assert hidden not in values(ros2, "topics")["topics"]
    assert values(ros2, "topic_type", topic=hidden) == {"type": ""}
    assert values(ros2, "publishers", topic=hidden)["publishers"]
    found = values(ros2, "action_servers")["action_servers"]
    assert "/robot1/navigate_to_pose" in found
