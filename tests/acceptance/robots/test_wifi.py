"""One robot loses its Wi-Fi: the others go on, and its own order does so later."""

from __future__ import annotations

import time

from tests.support.robot_plant import RobotPlant
from tests.support.waiting import until

FORGOTTEN_S = 6.0
"""An action server remembers an ended goal for 5 s."""
WORDS_OF_LIBRARIES = ("frame", "handshake", "peer", "Errno", "Exception", "socket")


def test_a_robot_without_wifi_is_cut_off_alone_and_its_order_is_done_when_it_is_back(
    plant: RobotPlant,
) -> None:
    plant.errors = plant.directory / "errors.txt"
    simulator = plant.start_simulator(speed=20.0)
    plant.start_worker("first", lease_s=60.0)
    others = {"robot1", "robot2", "robot3"}
    until("all are ready", lambda: all(plant.robot(r).get("ready") for r in others))
    plant.send_order("MO-2026-0001")
    until("a robot sets out", simulator.starts)
    lost = plant.goals()[0]["robot"]
    others.remove(lost)

    simulator.fault(f"cut {lost}")
    away = ("stale", "down")
    seen = until("it is missed", lambda: (r := plant.robot(lost))["link"] in away and r)
    assert seen["why_not"].startswith("does not answer: ")
    until("it has arrived unheard", lambda: simulator.records("goal_ended"))
    forgotten_at = time.time() + FORGOTTEN_S
    until("it has forgotten the goal", lambda: time.time() > forgotten_at)
    until("the others answer", lambda: all(plant.robot(o)["ready"] for o in others))
    assert plant.robot(lost)["link"] in away
    simulator.fault(f"clear {lost}")
    people = plant.start_people()  # before, the next goal might go out into the cut
    until("the order is done", plant.done)

    assert people.retried == []
    assert max(plant.starts_of_goals().values()) == 1
    told = plant.rows(
        "SELECT data::text FROM events UNION ALL SELECT message FROM incidents"
        " UNION ALL SELECT last_error FROM jobs UNION ALL SELECT why_not FROM robots"
    )
    for word in WORDS_OF_LIBRARIES:
        assert [text for (text,) in told if text and word in text] == []
    plant.stop_workers()
    assert plant.errors.read_text() == ""
