"""actionlib as measured on real servers, on a clock that obeys."""

from collections.abc import Callable

import pytest

from shopfloor.sim.clock import ManualClock
from tests.support.rosbridge import LocalClient

PREEMPTED, SUCCEEDED, ABORTED, REJECTED, RECALLED = 2, 3, 4, 5, 8
PENDING, ACTIVE, PREEMPTING, RECALLING = 0, 1, 6, 7


def started(client: LocalClient) -> list[str]:
    records = client.simulation.trace.records
    return [row["goal_id"] for row in records if row["event"] == "goal_started"]


@pytest.mark.covers("A19")
def test_a_goal_is_driven_and_ends_succeeded_at_its_pose(client: LocalClient) -> None:
    client.watch()
    client.goal("g1", 3.0, 1.0)
    client.advance(0.1)
    assert client.statuses() == {"g1": ACTIVE}
    client.advance(10.0)
    assert client.results() == [("g1", SUCCEEDED)]
    pose = client.simulation.robots["robot1"].vehicle.pose
    assert pose.x_m == pytest.approx(3.0, abs=0.02)
    assert pose.y_m == pytest.approx(1.0, abs=0.02)


def test_feedback_carries_the_pose_on_the_way(client: LocalClient) -> None:
    client.watch()
    client.goal("g1", 3.0, 1.0)
    client.advance(10.0)
    seen = [
        message["feedback"]["base_position"]["pose"]["position"]["x"]
        for message in client.messages("/robot1/move_base/feedback")
    ]
    assert len(seen) > 3
    assert seen == sorted(seen)


def test_status_is_published_five_times_a_second(client: LocalClient) -> None:
    client.watch()
    client.advance(1.0)
    before = len(client.messages("/robot1/move_base/status"))
    client.advance(4.0)
    after = len(client.messages("/robot1/move_base/status"))
    assert after - before == pytest.approx(20, abs=1)


def test_status_is_latched_for_late_subscribers(client: LocalClient) -> None:
    client.goal("g1", 9.0, 1.0)
    client.advance(0.1)
    client.watch()
    assert client.statuses() == {"g1": ACTIVE}


def test_a_repeated_id_is_ignored_while_active(client: LocalClient) -> None:
    client.watch()
    for _ in range(3):
        client.goal("g1", 3.0, 1.0)
        client.advance(0.2)
    client.advance(10.0)
    assert client.results() == [("g1", SUCCEEDED)]
    assert started(client) == ["g1"]


def test_a_repeated_id_is_ignored_for_five_seconds_after_the_end(
    client: LocalClient,
) -> None:
    client.watch()
    client.goal("g1", 1.0, 1.0)
    client.advance(0.2)
    assert client.results() == [("g1", SUCCEEDED)]
    client.advance(4.5)
    client.goal("g1", 3.0, 1.0)
    client.advance(1.0)
    assert started(client) == ["g1"]


def test_a_repeated_id_runs_again_once_it_is_forgotten(client: LocalClient) -> None:
    client.watch()
    client.goal("g1", 1.0, 1.0)
    client.advance(0.2)
    client.advance(5.2)
    assert client.statuses() == {}
    client.goal("g1", 1.0, 1.0)
    client.advance(0.5)
    assert started(client) == ["g1", "g1"]
    assert client.results() == [("g1", SUCCEEDED), ("g1", SUCCEEDED)]


def test_a_goal_that_ends_unheard_leaves_no_trace(client: LocalClient) -> None:
    client.goal("g1", 1.0, 1.0)
    client.advance(6.0)
    client.watch()
    client.advance(1.0)
    assert client.statuses() == {}
    assert client.results() == []


def test_a_new_goal_preempts_the_active_one(client: LocalClient) -> None:
    client.watch()
    client.goal("old", 9.0, 1.0)
    client.advance(1.0)
    client.goal("new", 1.0, 1.0)
    client.advance(0.1)
    assert client.results() == [("old", PREEMPTED)]
    client.advance(10.0)
    assert client.results() == [("old", PREEMPTED), ("new", SUCCEEDED)]


def test_a_goal_that_waits_is_recalled_by_a_newer_one(client: LocalClient) -> None:
    client.watch()
    client.goal("first", 3.0, 1.0)
    client.goal("second", 3.0, 1.0)
    client.advance(0.1)
    assert client.results() == [("first", RECALLED)]
    assert started(client) == ["second"]


def test_a_goal_stamped_before_the_active_one_is_recalled(
    client: LocalClient, clock: ManualClock
) -> None:
    client.watch()
    now = int(clock.now())
    client.goal("active", 9.0, 1.0, stamp_s=now)
    client.advance(0.5)
    client.goal("late", 3.0, 1.0, stamp_s=now - 10)
    client.advance(0.1)
    assert client.results() == [("late", RECALLED)]
    assert client.statuses()["active"] == ACTIVE


def test_cancel_by_id_preempts_the_active_goal(client: LocalClient) -> None:
    client.watch()
    client.goal("g1", 9.0, 1.0)
    client.advance(2.0)
    client.cancel("g1")
    client.advance(0.1)
    assert client.results() == [("g1", PREEMPTED)]
    client.advance(3.0)
    assert client.simulation.robots["robot1"].vehicle.standing


def test_cancel_by_id_works_before_the_goal_arrives(client: LocalClient) -> None:
    client.watch()
    client.cancel("g1")
    client.advance(0.1)
    assert client.statuses() == {"g1": RECALLING}
    client.goal("g1", 3.0, 1.0)
    client.advance(0.1)
    assert client.results() == [("g1", RECALLED)]
    assert started(client) == []


def test_an_early_cancel_is_forgotten_after_five_seconds(client: LocalClient) -> None:
    client.watch()
    client.cancel("g1")
    client.advance(5.2)
    client.goal("g1", 1.0, 1.0)
    client.advance(0.2)
    assert client.results() == [("g1", SUCCEEDED)]


def test_cancel_with_a_stamp_fences_off_goals_stamped_earlier(
    client: LocalClient, clock: ManualClock
) -> None:
    client.watch()
    now = int(clock.now())
    client.cancel(stamp_s=now)
    client.goal("before", 3.0, 1.0, stamp_s=now - 1)
    client.advance(0.1)
    client.goal("after", 1.0, 1.0, stamp_s=now + 1)
    client.advance(0.2)
    assert client.results() == [("before", RECALLED), ("after", SUCCEEDED)]


def test_cancel_with_a_stamp_preempts_an_active_goal_stamped_earlier(
    client: LocalClient, clock: ManualClock
) -> None:
    client.watch()
    now = int(clock.now())
    client.goal("g1", 9.0, 1.0, stamp_s=now)
    client.advance(1.0)
    client.cancel(stamp_s=now + 1)
    client.advance(0.1)
    assert client.results() == [("g1", PREEMPTED)]


def test_an_empty_cancel_ends_everything(client: LocalClient) -> None:
    client.watch()
    client.goal("g1", 9.0, 1.0)
    client.advance(1.0)
    client.cancel()
    client.advance(0.1)
    assert client.results() == [("g1", PREEMPTED)]


def test_a_goal_cancelled_while_it_waits_is_never_driven(client: LocalClient) -> None:
    client.watch()
    client.goal("g1", 9.0, 1.0)
    client.cancel("g1")
    client.advance(0.2)
    assert client.results() == [("g1", PREEMPTED)]
    assert started(client) == []


def test_an_emergency_stop_ends_no_goal(client: LocalClient) -> None:
    client.watch()
    client.goal("g1", 9.0, 1.0)
    client.advance(2.0)
    client.simulation.fault("estop robot1")
    client.advance(60.0)
    assert client.results() == []
    assert client.statuses() == {"g1": ACTIVE}
    vehicle = client.simulation.robots["robot1"].vehicle
    assert vehicle.standing
    client.simulation.fault("clear robot1")
    client.advance(20.0)
    assert client.results() == [("g1", SUCCEEDED)]


def test_a_goal_without_an_id_gets_one_of_the_robot(client: LocalClient) -> None:
    client.watch()
    pose = {"position": {"x": 1.0, "y": 1.0}, "orientation": {"w": 1.0}}
    client.publish(
        "/robot1/move_base_simple/goal", "geometry_msgs/PoseStamped", {"pose": pose}
    )
    client.advance(0.2)
    [(goal_id, status)] = client.results()
    assert goal_id.startswith("/robot1/move_base-")
    assert status == SUCCEEDED


@pytest.mark.parametrize(
    ("x_m", "orientation", "reason"),
    [
        (3.0, {"w": 0.0}, "invalid quaternion"),
        (300.0, {"w": 1.0}, "valid plan"),
    ],
)
def test_a_goal_that_cannot_be_driven_is_aborted_with_the_reason(
    client: LocalClient, x_m: float, orientation: dict[str, float], reason: str
) -> None:
    client.watch()
    client.goal("g1", x_m, 1.0, orientation=orientation)
    client.advance(0.2)
    assert client.results() == [("g1", ABORTED)]
    [message] = client.messages("/robot1/move_base/result")
    assert reason in message["status"]["text"]


def test_make_plan_reports_progress_as_strings_and_finishes(
    client: LocalClient,
) -> None:
    action = "/robot1/Make_Plan"
    client.watch(action)
    client.goal("g1", 3.0, 1.0, action=action)
    client.advance(10.0)
    [result] = client.messages(f"{action}/result")
    assert result["status"]["status"] == SUCCEEDED
    assert result["result"]["finished"] is True
    assert result["result"]["time_spent"]["data"]["secs"] > 1
    feedback = client.messages(f"{action}/feedback")[-1]["feedback"]
    assert feedback["percent_achieved"]["data"].endswith("%")
    assert feedback["ETA"]["data"].endswith("0:0")


def test_make_plan_claims_success_without_finishing_a_very_short_way(
    client: LocalClient,
) -> None:
    action = "/robot1/Make_Plan"
    client.watch(action)
    client.goal("g1", 1.1, 1.0, action=action)
    client.advance(0.2)
    [result] = client.messages(f"{action}/result")
    assert result["status"]["status"] == SUCCEEDED
    assert result["result"]["finished"] is False


def test_one_goal_interface_takes_the_robot_from_the_other(client: LocalClient) -> None:
    client.watch()
    client.watch("/robot1/Make_Plan")
    client.goal("base", 9.0, 1.0)
    client.advance(1.0)
    client.goal("plan", 3.0, 1.0, action="/robot1/Make_Plan")
    client.advance(0.2)
    assert client.results() == [("base", ABORTED)]
    client.advance(15.0)
    assert client.results("/robot1/Make_Plan") == [("plan", SUCCEEDED)]


def test_goals_go_on_when_their_client_vanishes(
    client: LocalClient, connect: Callable[[], LocalClient]
) -> None:
    client.goal("g1", 3.0, 1.0)
    client.advance(0.2)
    client.simulation.disconnect(client.session)
    other = connect()
    other.watch()
    other.advance(10.0)
    assert other.results() == [("g1", SUCCEEDED)]
