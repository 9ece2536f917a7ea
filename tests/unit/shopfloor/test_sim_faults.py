"""Fault switches: each breaks one thing and mends it again."""

from collections.abc import Callable

import pytest

from shopfloor.sim.clock import ManualClock
from shopfloor.sim.faults import FAULTS, FaultRefused
from tests.support.rosbridge import LocalClient

SUCCEEDED, REJECTED = 3, 5


def odometry(client: LocalClient, robot: str = "robot1") -> int:
    return len(client.messages(f"/{robot}/odom"))


def test_every_promised_fault_has_a_switch() -> None:
    assert set(FAULTS) >= {
        *("freeze", "drop", "delay", "lost_result", "reject", "duplicate"),
        *("clock_skew", "pose_jump", "estop", "low_battery", "tag_loss", "laser"),
    }


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("", "empty"),
        ("explode robot1", "no fault"),
        ("freeze", "usage: freeze"),
        ("freeze nobody", "no robot 'nobody'"),
        ("freeze robot1 soon", "not a number"),
        ("freeze robot1 inf", "not a number"),
        ("pose_jump robot1", "usage: pose_jump"),
        ("freeze worker", "no robot 'worker'"),
        ("laser robot1 front missing", "robot1 does not drive by lasers"),
    ],
)
def test_a_bad_command_is_refused_with_the_reason(
    client: LocalClient, command: str, reason: str
) -> None:
    with pytest.raises(FaultRefused, match=reason):
        client.simulation.fault(command)


def test_faults_can_be_switched_over_rosbridge(client: LocalClient) -> None:
    answer = client.call("/sim/fault", {"command": "e-stop robot1"})
    assert answer["values"] == {"success": True, "message": "estop robot1"}
    answer = client.call("/sim/fault", {"command": "nonsense"})
    assert answer["values"]["success"] is False


def test_a_frozen_robot_is_silent_stands_and_answers_later(client: LocalClient) -> None:
    client.watch()
    client.subscribe("/robot1/odom")
    client.subscribe("/robot2/odom")
    client.advance(0.5)
    client.simulation.fault("freeze robot1 5")
    silent, other = odometry(client), odometry(client, "robot2")
    client.goal("g1", 1.0, 1.0)
    client.advance(4.9)
    assert odometry(client) == silent
    assert odometry(client, "robot2") > other
    assert client.results() == []
    client.advance(1.0)
    assert odometry(client) > silent
    assert client.results() == [("g1", SUCCEEDED)]


def test_a_frozen_server_does_nothing_at_all(client: LocalClient) -> None:
    client.subscribe("/robot1/odom")
    client.goal("g1", 9.0, 1.0)
    client.advance(2.0)
    client.read()
    before = client.simulation.robots["robot1"].vehicle.pose
    client.simulation.fault("freeze * 3")
    client.send("call_service", id="c", service="/rosapi/get_time")
    client.advance(2.9)
    assert client.read() == []
    assert client.simulation.robots["robot1"].vehicle.pose == before
    client.advance(0.5)
    assert "service_response" in [frame["op"] for frame in client.read()]


def test_dropped_messages_are_gone_both_ways_and_the_robot_drives_on(
    client: LocalClient,
) -> None:
    client.watch()
    client.subscribe("/robot1/odom")
    client.goal("g1", 3.0, 1.0)
    client.advance(0.5)
    client.simulation.fault("drop robot1 10")
    before = odometry(client)
    client.goal("g2", 1.0, 1.0)
    client.send("call_service", id="c", service="/robot1/pause", args={"data": True})
    client.advance(9.9)
    assert odometry(client) == before
    assert client.results() == []
    client.advance(1.0)
    assert odometry(client) > before
    assert client.results() == []
    assert client.simulation.robots["robot1"].vehicle.pose.x_m > 2.9


def test_delayed_messages_come_late_and_in_order(
    client: LocalClient, clock: ManualClock
) -> None:
    client.simulation.fault("delay robot1 2 10")
    client.subscribe("/robot1/note", "std_msgs/String")
    for number in range(3):
        client.publish("/robot1/note", "std_msgs/String", {"data": str(number)})
        client.advance(0.5)
    assert client.messages("/robot1/note") == []
    client.advance(2.0)
    heard = [message["data"] for message in client.messages("/robot1/note")]
    assert heard == ["0", "1", "2"]


def test_a_delayed_server_answers_late(client: LocalClient) -> None:
    client.simulation.fault("delay * 1")
    client.send("call_service", id="c", service="/rosapi/get_time")
    client.advance(1.5)
    assert client.read() == []
    client.advance(1.0)
    assert [frame["id"] for frame in client.read()] == ["c"]


def test_a_lost_result_leaves_only_the_status(client: LocalClient) -> None:
    client.watch()
    client.simulation.fault("lost_result robot1")
    client.goal("g1", 1.0, 1.0)
    client.advance(0.5)
    assert client.results() == []
    assert client.statuses() == {"g1": SUCCEEDED}
    client.goal("g2", 1.0, 1.0)
    client.advance(0.5)
    assert client.results() == [("g2", SUCCEEDED)]


def test_rejected_goals_end_at_once(client: LocalClient) -> None:
    client.watch()
    client.simulation.fault("reject robot1 2")
    for goal_id in ("g1", "g2", "g3"):
        client.goal(goal_id, 1.0, 1.0)
        client.advance(0.2)
    assert client.results() == [
        ("g1", REJECTED),
        ("g2", REJECTED),
        ("g3", SUCCEEDED),
    ]


def test_duplicated_messages_come_twice_but_are_driven_once(
    client: LocalClient,
) -> None:
    client.watch()
    client.simulation.fault("duplicate robot1")
    client.goal("g1", 1.0, 1.0)
    client.advance(0.5)
    assert client.results() == [("g1", SUCCEEDED)] * 2
    records = client.simulation.trace.records
    received = [row["repeated"] for row in records if row["event"] == "goal_received"]
    assert received == [False, True]
    assert sum(row["event"] == "goal_started" for row in records) == 1


def test_a_skewed_clock_shows_in_stamps(
    client: LocalClient, clock: ManualClock
) -> None:
    client.subscribe("/robot1/odom")
    client.simulation.fault("clock-skew robot1 -100")
    client.advance(1.0)
    stamp = client.messages("/robot1/odom")[-1]["header"]["stamp"]["secs"]
    assert stamp == pytest.approx(clock.now() - 100, abs=2)
    told = client.call("/rosapi/get_time")["values"]["time"]["secs"]
    assert told == pytest.approx(clock.now(), abs=2)
    client.simulation.fault("clock_skew * 50")
    told = client.call("/rosapi/get_time")["values"]["time"]["secs"]
    assert told == pytest.approx(clock.now() + 50, abs=2)


def test_a_pose_jump_moves_the_pose_but_not_the_odometry(client: LocalClient) -> None:
    client.subscribe("/robot1/amcl_pose")
    client.subscribe("/robot1/odom")
    client.advance(0.5)
    client.simulation.fault("pose_jump robot1 2 1.5")
    client.advance(0.5)
    pose = client.messages("/robot1/amcl_pose")[-1]["pose"]["pose"]["position"]
    assert (pose["x"], pose["y"]) == (3.0, 2.5)
    odom = client.messages("/robot1/odom")[-1]["pose"]["pose"]["position"]
    assert (odom["x"], odom["y"]) == (0.0, 0.0)


def test_a_robot_that_jumped_still_finds_its_goal(client: LocalClient) -> None:
    client.watch()
    client.goal("g1", 8.0, 1.0)
    client.advance(3.0)
    client.simulation.fault("pose_jump robot1 -1 3 90")
    client.advance(30.0)
    assert client.results() == [("g1", SUCCEEDED)]


def test_an_emergency_stop_is_told_and_released_after_its_time(
    client: LocalClient,
) -> None:
    client.subscribe("/robot1/security_stop")
    client.subscribe("/robot1/diagnostics")
    client.advance(0.2)
    client.simulation.fault("estop robot1 3")
    client.advance(5.0)
    told = [message["data"] for message in client.messages("/robot1/security_stop")]
    assert told == [False, True, False]
    levels = {
        message["status"][0]["level"]
        for message in client.messages("/robot1/diagnostics")
    }
    assert 2 in levels


def test_a_client_can_stop_and_release_the_robot(client: LocalClient) -> None:
    client.goal("g1", 9.0, 1.0)
    client.advance(2.0)
    vehicle = client.simulation.robots["robot1"].vehicle
    client.publish("/robot1/emergency_stop", "std_msgs/Bool", {"data": True})
    client.advance(2.0)
    assert vehicle.emergency_stop
    assert vehicle.standing
    answer = client.call("/robot1/set_emergency_stop", {"data": False})
    assert answer["values"]["success"] is True
    client.advance(2.0)
    assert not vehicle.standing
    client.call("/robot1/pause", {"data": True})
    client.advance(3.0)
    assert vehicle.standing
    assert not vehicle.emergency_stop


def test_a_low_battery_is_told_as_a_share_of_one(client: LocalClient) -> None:
    client.subscribe("/robot1/battery_state")
    client.simulation.robots["robot1"].vehicle.charger = None
    client.simulation.fault("low_battery robot1 8")
    client.advance(1.5)
    told = client.messages("/robot1/battery_state")[-1]["percentage"]
    assert told == pytest.approx(0.08, abs=0.001)


def test_an_empty_battery_stops_the_robot_and_keeps_the_goal(
    client: LocalClient,
) -> None:
    client.watch()
    client.goal("g1", 9.0, 1.0)
    client.advance(1.0)
    client.simulation.fault("low_battery robot1 0")
    client.advance(20.0)
    assert client.results() == []
    assert client.simulation.robots["robot1"].vehicle.standing


def test_a_lost_tag_gives_no_ranges(client: LocalClient) -> None:
    client.subscribe("/robot1/range")
    client.subscribe("/people")
    client.advance(1.0)
    ranges = len(client.messages("/robot1/range"))
    assert ranges >= 8
    client.simulation.fault("tag_loss robot1 5")
    client.simulation.fault("tag_loss worker")
    client.advance(2.0)
    assert len(client.messages("/robot1/range")) == ranges
    assert client.messages("/people")[-1]["people"] == []
    client.simulation.fault("clear *")
    client.advance(1.0)
    assert len(client.messages("/robot1/range")) > ranges
    assert client.messages("/people")[-1]["people"][0]["name"] == "worker"


def test_clear_mends_everything(
    client: LocalClient, connect: Callable[[], LocalClient]
) -> None:
    for command in ("drop *", "drop robot1", "reject *", "estop *", "clock_skew * 9"):
        client.simulation.fault(command)
    client.simulation.fault("clear *")
    other = connect()
    other.watch()
    other.goal("g1", 1.0, 1.0)
    other.advance(0.5)
    assert other.results() == [("g1", SUCCEEDED)]


def test_faults_stand_in_the_trace(client: LocalClient) -> None:
    client.simulation.fault("estop robot1 3")
    row = client.simulation.trace.records[-1]
    assert (row["event"], row["command"]) == ("fault", "estop robot1 3")
