"""What the map shows of a floor and of what the database knows."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mpms.factory.adapters.worlds import WorldInvalid, read_world
from mpms.factory.domain.goals import Pose
from mpms.factory.domain.worlds import RobotInfo, World
from mpms.factory.ports.floor import FloorSeen, PersonSeen, RobotSeen
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.services.floor.plan import floor_plan
from mpms.factory.services.floor.view import FloorFacts, RobotView, RobotWork, join

ROOT = Path(__file__).resolve().parents[3]
WORLD = World(
    "hall",
    {"A": Pose(1.0, 2.0), "tank": Pose(4.0, 4.0), "home": Pose(0.0, 0.0)},
    {"RM-1": "A", "RM-2": "A"},
    (RobotInfo("r1", "carrier", "home", "move_base", 1.0, 100.0),),
)
SEEN = RobotSeen("r1", 1.0, 2.0, 0.5, 0.1, 0.1, 0.8, 0.5)
UP = RobotState("r1", True, link="up")


def one(
    seen: RobotSeen | None = SEEN,
    state: RobotState | None = UP,
    work: RobotWork | None = None,
    *,
    paths: bool = False,
) -> RobotView:
    facts = FloorFacts(
        {} if state is None else {"r1": state},
        {} if work is None else {"r1": work},
    )
    floor = FloorSeen(() if seen is None else (seen,))
    (robot,) = join(floor, facts, WORLD, paths=paths).robots
    return robot


def test_a_robot_that_is_well_is_not_grey() -> None:
    robot = one()
    assert not robot.grey
    assert (robot.doing, robot.ready, robot.why_not) == ("free", True, None)


@pytest.mark.parametrize(
    ("seen", "state"),
    [
        (replace(SEEN, pose_age_s=5.1), UP),
        (replace(SEEN, pose_age_s=None, x_m=None, y_m=None), UP),
        (None, UP),
        (SEEN, replace(UP, link="down")),
        (SEEN, replace(UP, link="stale")),
        (SEEN, None),
    ],
)
def test_a_robot_that_is_old_or_out_of_reach_is_grey(
    seen: RobotSeen | None, state: RobotState | None
) -> None:
    assert one(seen, state).grey


def test_a_robot_is_as_old_as_its_position() -> None:
    assert one(replace(SEEN, pose_age_s=4.9, heard_age_s=0.0)).age_s == 4.9


def test_a_robot_nobody_hears_is_shown_where_its_worker_saw_it() -> None:
    robot = one(None, RobotState("r1", False, 7.0, 8.0, 0.25, "up"))
    assert (robot.x, robot.y, robot.battery, robot.age_s) == (7.0, 8.0, 0.25, None)


def test_a_drive_is_no_reason_not_to_be_ready() -> None:
    state = RobotState("r1", False, link="up", why_not="drives to A")
    robot = one(state=state, work=RobotWork("A", "i1", "PO-1"))
    assert (robot.doing, robot.place, robot.order) == ("drives", "A", "PO-1")
    assert robot.why_not is None


def test_a_held_robot_that_stands_serves_its_order() -> None:
    assert one(work=RobotWork(None, "i1", "PO-1")).doing == "serves"


def test_the_plan_is_forgotten_when_the_robot_stands_without_a_goal() -> None:
    seen = replace(SEEN, speed_mps=0.0, plan=((1.0, 2.0), (3.0, 4.0)))
    assert one(seen, paths=True).plan == ()
    assert one(seen, paths=True).path_no == 0
    driving = one(seen, work=RobotWork("A"), paths=True)
    assert driving.plan == ((1.0, 2.0), (3.0, 4.0))


def test_the_number_of_a_path_changes_with_its_way_not_with_its_start() -> None:
    def number(*plan: tuple[float, float]) -> int:
        return one(replace(SEEN, plan=plan)).path_no

    first = number((0.0, 0.0), (3.0, 4.0))
    assert number((1.0, 1.0), (3.0, 4.0)) == first
    assert number((1.0, 1.0), (3.0, 5.0)) != first
    assert first != 0


def test_paths_are_sent_to_those_who_ask() -> None:
    def sent(*, paths: bool) -> Any:
        floor = FloorSeen((replace(SEEN, driven=((0.0, 0.0),)),))
        view = join(floor, FloorFacts(), WORLD, paths=paths)
        return json.loads(json.dumps(view.as_json()))["robots"][0]

    assert "plan" not in sent(paths=False)
    assert "driven" not in sent(paths=False)
    assert sent(paths=True)["driven"] == [[0.0, 0.0]]


def test_people_grow_grey_too() -> None:
    people = (PersonSeen("ann", 1.0, 2.0, 0.3, 1.0), PersonSeen("bob", 1, 2, 0.3, 6.0))
    view = join(FloorSeen((), people), FloorFacts(), WORLD)
    assert [(p.id, p.grey) for p in view.people] == [("ann", False), ("bob", True)]


@pytest.mark.covers("A67")
def test_the_plan_of_the_test_plant_has_its_places_racks_and_walls() -> None:
    plan = floor_plan(read_world(ROOT / "worlds/arco_lab"))
    kinds = {place.name: place.kind for place in plan.places}
    assert kinds == {
        "A": "pickup",
        "B": "pickup",
        "C": "pickup",
        "tank": "tank",
        "home": "home",
    }
    assert plan.racks[0] == (5.7, 4.5, 1.6, 0.5)
    assert len(plan.racks) == 4
    assert len(plan.walls) == 6
    assert [len(room) for room in plan.rooms] == [6]
    assert (plan.width, plan.height, len(plan.anchors)) == (19.0, 19.0, 8)
    assert "RM-001" in plan.places[0].materials


@pytest.mark.covers("A67")
def test_the_plan_of_the_factory_has_long_racks_and_three_round_tanks() -> None:
    plan = floor_plan(read_world(ROOT / "worlds/paint_factory"))
    kinds = [place.kind for place in plan.places]
    assert (kinds.count("pickup"), kinds.count("tank"), kinds.count("home")) == (
        6,
        3,
        3,
    )
    assert [len(room) for room in plan.rooms] == [4]
    assert len(plan.walls) == 4
    assert (8.0, 4.0, 5.5, 1.0) in plan.racks
    tanks = [rack for rack in plan.racks if rack[2:] == (2.0, 2.0)]
    assert tanks == [(28.6, low, 2.0, 2.0) for low in (3.5, 8.5, 13.5)]


def test_a_round_room_of_its_own_stays_a_room() -> None:
    corners = [
        (5 * math.cos(turn * math.pi / 6), 5 * math.sin(turn * math.pi / 6))
        for turn in range(12)
    ]
    walls = tuple((*a, *b) for a, b in pairwise([*corners, corners[0]]))
    plan = floor_plan(replace(WORLD, walls=walls))
    assert plan.racks == ()
    assert [len(room) for room in plan.rooms] == [12]


def test_walls_that_enclose_nothing_stay_walls() -> None:
    walls = ((0.0, 0.0, 5.0, 0.0), (5.0, 0.0, 5.0, 5.0), (7.0, 7.0, 8.0, 8.0))
    plan = floor_plan(replace(WORLD, walls=walls))
    assert plan.walls == walls
    assert plan.racks == ()
    assert plan.rooms == ()


def test_a_slanted_or_large_body_is_a_room() -> None:
    slanted = ((0, 0, 1, 1), (1, 1, 2, 0), (2, 0, 1, -1), (1, -1, 0, 0))
    plan = floor_plan(replace(WORLD, walls=slanted))
    assert plan.racks == ()
    assert plan.rooms == (((0, 0), (1, 1), (2, 0), (1, -1)),)


def test_a_world_without_a_map_is_drawn_around_its_places() -> None:
    plan = floor_plan(WORLD)
    assert (plan.left, plan.bottom, plan.width, plan.height) == (-1, -1, 6, 6)
    empty = floor_plan(replace(WORLD, places={}))
    assert empty.width > 0


@pytest.mark.parametrize("walls", ["[[1, 2, 3]]", "[[1, 2, 3, x]]", "7"])
def test_a_wall_that_is_none_is_refused(tmp_path: Path, walls: str) -> None:
    text = f"name: x\nmap: {{walls: {walls}}}\nplaces: {{}}\nrobots: []\n"
    (tmp_path / "world.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(WorldInvalid, match="not laid out"):
        read_world(tmp_path)
