"""The served plant keeps its own time: the same run on a fast and on a busy machine."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from shopfloor.plant import read_recording
from shopfloor.plant.served import MOST_STEPS, account_of, recorded
from shopfloor.sim.world import Person, World, WorldRefused
from tests.support.plant_client import ACTION, PlantClient

SUCCEEDED = 3


class Served(PlantClient):
    """``tick_s`` is how busy the machine is."""

    def __init__(self, world: World, tick_s: float, **options: Any) -> None:
        self._tick_s = tick_s
        super().__init__(world, f"{ACTION}/result", seed=4, **options)

    def tick(self, step_s: float = 0.0) -> list[dict[str, Any]]:
        return super().tick(step_s or self._tick_s)

    def drive_to_the_end(self, name: str, x_m: float, y_m: float) -> int:
        self.drive(name, x_m, y_m)
        ended, status = self.wait_for_end(20_000 * self._tick_s, self._tick_s)
        assert ended == name
        return status


@pytest.mark.long
def test_a_mission_is_the_same_to_the_last_bit_however_busy_the_machine_is(
    arco_lab: World,
) -> None:
    accounts = []
    for tick_s, pause in ((0.02, 1), (0.5, 7)):
        options: dict[str, Any] = {"boxes": 1, "people": 1}
        served = Served(arco_lab, tick_s, wait_for_goals=True, speed=3.0, **options)
        ends = []
        for number, (x_m, y_m) in enumerate([(4.0, 2.0), (3.0, 3.5)]):
            ends.append(served.drive_to_the_end(str(number), x_m, y_m))
            for _ in range(pause):
                served.tick()
        accounts.append((ends, account_of(served.plant)))
    assert accounts[0] == accounts[1]
    assert accounts[0][1]["plant_s"] > 2.0


def test_a_goal_is_not_reached_because_the_one_before_was(arco_lab: World) -> None:
    served = Served(arco_lab, 0.01, wait_for_goals=True)
    home = arco_lab.places["home"]
    for number, ahead_m in enumerate((0.5, 1.5, 0.3)):
        x_m = home.x_m + ahead_m
        assert served.drive_to_the_end(str(number), x_m, home.y_m) == SUCCEEDED
        pose = served.plant.robots[0].body.pose
        assert math.hypot(pose.x_m - x_m, pose.y_m - home.y_m) < 0.15


def test_a_plant_that_cannot_keep_up_is_slower_and_never_leaps(
    arco_lab: World,
) -> None:
    served = Served(arco_lab, 0.4, speed=1000.0)
    served.tick()
    assert served.plant.now_s == pytest.approx(MOST_STEPS * 0.025)
    served.tick()
    assert served.plant.now_s == pytest.approx(2 * MOST_STEPS * 0.025)


def test_people_who_come_are_told_on_the_topic_under_names_of_their_own(
    arco_lab: World,
) -> None:
    served = Served(arco_lab, 0.25, people=2)
    served.listen("/people")
    heard = [said for _ in range(8) for said in served.tick()]
    names = {person["name"] for person in heard[-1]["msg"]["people"]}
    assert names == {"person1", "person2"}
    twin = Person("person1", (arco_lab.places["A"],), 1.0, 500)
    with pytest.raises(WorldRefused, match="has a person1 of its own"):
        Served(replace(arco_lab, people=(twin,)), 0.25, people=1)


def test_what_is_put_on_a_robot_is_weighed_and_makes_it_heavy(arco_lab: World) -> None:
    served = Served(arco_lab, 0.1)
    cell = served.simulation.robots["arco"].scale.cell
    braking_m = served.plant.robots[0].body.able.braking_distance_m(0.8)
    for kg, taken in ((150.0, True), (250.0, False)):
        service = "/arco/put_load"
        served.send("call_service", id="1", service=service, args={"kg": kg})
        (answer,) = [s for s in served.tick() if s["op"] == "service_response"]
        assert answer["values"]["success"] is taken
    assert cell.load_kg == 150.0
    assert served.plant.robots[0].body.able.braking_distance_m(0.8) > braking_m


def test_a_recording_ends_with_its_account(arco_lab: World, tmp_path: Path) -> None:
    served = Served(arco_lab, 0.1)
    run = tmp_path / "run.jsonl"
    with recorded(served.simulation, run):
        for _ in range(20):
            served.tick()
    kept = read_recording(run)
    assert kept.account == json.loads(json.dumps(account_of(served.plant)))
    assert kept.frames[-1]["t"] > 1.0
    assert kept.head["seed"] == 4
