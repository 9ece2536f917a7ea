"""Many robots on one floor: no contact, no deadlock, and room for surprises."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from fleet import events as ev
from fleet.commands import Alert
from fleet.fleet import Fleet
from fleet.model import Level, World
from fleet.roads import make_roadmaps
from fleet.tasks import Action, Kind, Leg, Task, transport_task
from fleet.traffic import FreeTraffic
from fleet.virtual import Plant, Trial
from fleet.virtual.load import Draw, between_halls, keep_busy, to_tanks
from fleet.virtual.twins import NoRoom, with_more_robots
from tests.support.fleet_trials import traffic_of
from tests.support.warehouses import read, shipped, small_world

TWO = {"r1": ("cart", "h1"), "r2": ("cart", "h2")}
HALL = {"h1": (1.5, 1.5), "h2": (10.5, 1.5), "a": (1.5, 6.5), "b": (10.5, 6.5)}


def trial_of(world: World, *, planned: bool = True, step_s: float = 1.0) -> Trial:
    roadmaps = make_roadmaps(world)
    traffic = FreeTraffic(world, roadmaps, planned=planned)
    fleet = Fleet(world, roadmaps=roadmaps, traffic=traffic)
    return Trial(fleet, Plant(world, careful=not planned), step_s=step_s)


def move(id_: str, place: str, robot: str = "") -> ev.Submitted:
    return ev.Submitted(Task(id_, Kind.MOVE, [Leg(place)], intended=robot))


TRIALS: dict[str, tuple[World, Draw]] = {
    "narrow_corridor": (shipped("narrow_corridor"), between_halls),
    "paint_factory": (with_more_robots(shipped("paint_factory"), 6), to_tanks),
}


@pytest.mark.parametrize("name", TRIALS)
def test_six_robots_work_without_contact_or_deadlock(name: str) -> None:
    world, ends = TRIALS[name]
    trial = trial_of(world)
    assert len(trial.fleet.vehicles) == 6
    assert keep_busy(trial, 300.0, random.Random(3), ends) >= 8
    assert trial.plant.contacts == []
    assert traffic_of(trial).deadlocks == 0
    trial.run(600.0, until=trial.idle)
    assert trial.idle()


def test_without_planning_robots_block_each_other_or_touch() -> None:
    world, ends = TRIALS["narrow_corridor"]
    careful = trial_of(world, planned=False, step_s=0.5)
    assert keep_busy(careful, 300.0, random.Random(3), ends) <= 2
    careless = trial_of(world, planned=False, step_s=0.5)
    careless.plant.careful = False
    keep_busy(careless, 120.0, random.Random(3), ends)
    assert careless.plant.contacts


@pytest.mark.soak
@pytest.mark.parametrize("name", TRIALS)
def test_eight_hours_without_contact_or_deadlock(name: str) -> None:
    world, ends = TRIALS[name]
    trial = trial_of(world)
    assert keep_busy(trial, 8 * 3600.0, random.Random(4), ends) > 1500
    assert trial.plant.contacts == []
    assert traffic_of(trial).deadlocks == 0


def test_twins_rest_where_nobody_is_in_the_way_while_there_is_room() -> None:
    world = with_more_robots(shipped("arco_lab"), 5)
    fleet = Fleet(world)
    homes = [world.places[robot.home] for robot in world.robots.values()]
    assert len({home.id for home in homes}) == len(fleet.vehicles) == 5
    with pytest.raises(NoRoom, match=r"has room for \d+ robots, not 900"):
        with_more_robots(shipped("arco_lab"), 900)


def test_two_robots_change_places_head_on() -> None:
    trial = trial_of(read(small_world(places=HALL, robots=TWO)))
    trial.run(2.0)
    trial.tell(move("m1", "b", "r1"))
    trial.tell(move("m2", "a", "r2"))
    trial.run(
        120.0, until=lambda: trial.done.get("m1", 0) + trial.done.get("m2", 0) == 2
    )
    assert trial.plant.contacts == []
    assert trial.done == {"m1": 1, "m2": 1}


def test_a_place_that_is_taken_is_waited_for_and_then_reached() -> None:
    trial = trial_of(read(small_world(places=HALL, robots=TWO)))
    trial.run(2.0)
    trial.tell(ev.Submitted(transport_task("t1", "a", "b", intended="r1")))
    trial.tell(ev.Submitted(transport_task("t2", "a", "b", intended="r2")))
    waited: list[str] = []

    def both() -> bool:
        waited.extend(v.waits_for for v in trial.fleet.vehicles.values())
        return trial.done.get("t1", 0) + trial.done.get("t2", 0) == 2

    trial.run(300.0, until=both)
    assert both()
    assert "a" in waited
    assert trial.plant.contacts == []


def test_two_robots_whose_places_are_swapped_make_room_for_each_other() -> None:
    trial = trial_of(read(small_world(places=HALL, robots=TWO)))
    trial.run(2.0)
    trial.tell(ev.Submitted(transport_task("t1", "a", "b", intended="r1")))
    trial.tell(ev.Submitted(transport_task("t2", "b", "a", intended="r2")))
    trial.run(300.0, until=lambda: trial.done == {"t1": 1, "t2": 1})
    assert trial.done == {"t1": 1, "t2": 1}


def driven_trial(more: str = "", boxes: tuple[tuple[float, ...], ...] = ()) -> Trial:
    """One robot on its way from h1 to b."""
    text = small_world(
        places=HALL,
        robots={"r1": ("cart", "h1")},
        more=more,
        boxes=boxes,  # type: ignore[arg-type]
    )
    trial = trial_of(read(text), step_s=0.5)
    trial.run(1.0)
    trial.tell(move("m1", "b", "r1"))
    return trial


def track(trial: Trial, for_s: float = 120.0) -> list[tuple[float, float]]:
    """Where the robot was until it arrived."""
    robot, seen = trial.plant.robots["r1"], []

    def look() -> bool:
        seen.append((robot.x_m, robot.y_m))
        return "m1" in trial.done

    trial.run(for_s, until=look)
    return seen


def test_nobody_drives_into_a_closed_zone_until_it_opens() -> None:
    trial = driven_trial()
    wall = ((5.0, 0.0), (6.0, 0.0), (6.0, 5.0), (5.0, 5.0))
    trial.tell(ev.ZoneClosed("wet", wall))
    seen = track(trial)
    assert "m1" in trial.done
    assert all(not 4.6 < x < 6.4 or y > 5.4 for x, y in seen)
    trial.tell(ev.ZoneClosed("all", ((4, 0), (6, 0), (6, 8), (4, 8))))
    trial.tell(move("m1", "h1", "r1"))
    trial.tell(ev.Submitted(Task("m2", Kind.MOVE, [Leg("h1")], intended="r1")))
    trial.run(60.0)
    assert "m2" not in trial.done
    assert [(a.kind, a.about) for a in trial.alerts] == [("no way", "r1")]
    trial.tell(ev.ZoneOpened("all"))
    trial.run(60.0)
    assert trial.done["m2"] == 1


def test_an_obstacle_that_a_robot_meets_is_driven_around_and_told() -> None:
    trial = driven_trial()
    trial.plant.obstacles["box"] = (6.0, 4.0, 0.3)
    seen = track(trial)
    assert trial.done == {"m1": 1}
    assert {(a.kind, a.about) for a in trial.alerts} == {("path blocked", "r1")}
    assert min(math.hypot(x - 6.0, y - 4.0) for x, y in seen) >= 0.7 - 1e-6


def test_a_robot_that_meets_another_one_does_not_lock_it_in() -> None:
    robots = {"r1": ("cart", "h1"), "r2": ("cart", "h2")}
    trial = trial_of(read(small_world(places=HALL, robots=robots)))
    trial.run(1.0)
    other = trial.plant.robots["r2"]
    told = trial.fleet.handle(trial.now, ev.Blocked("r1", other.x_m, other.y_m + 0.1))
    (alert,) = [r for r in told.records if isinstance(r, Alert)]
    assert alert.kind == "path blocked"
    assert alert.text.endswith("by r2")
    assert trial.fleet.obstacles == {}


@pytest.mark.parametrize(
    ("level", "near_m"), [(Level.RESPECTED, 0.85), (Level.NOTICED, 0.0)]
)
def test_people_are_kept_away_from_or_only_noticed(level: Level, near_m: float) -> None:
    trial = driven_trial()
    trial.tell(ev.Seen("ana", 6.0, 4.0, 0.4, level))
    seen = track(trial)
    assert trial.done == {"m1": 1}
    assert "ana" in trial.fleet.entities
    nearest_m = min(math.hypot(x - 6.0, y - 4.0) for x, y in seen)
    assert nearest_m >= near_m
    assert (nearest_m < 0.8) is (level is Level.NOTICED)


def test_a_locked_lane_is_not_driven() -> None:
    lanes = (
        "robot_types:\n  cart: {speed_mps: 1, moves: lanes}\n"
        "lanes:\n  - {id: short, points: [h1, h2, b]}\n"
        "  - {id: long, points: [h1, a, b]}\n"
    )
    trial = driven_trial(lanes)
    trial.tell(ev.LaneLocked("short"))
    assert any(y > 6.0 and x < 5.0 for x, y in track(trial))
    assert not trial.tell(ev.LaneLocked("nowhere"))
    assert trial.refused == ["LaneLocked: there is no lane 'nowhere'"]


@pytest.mark.parametrize("section", ["doors", "lifts"])
def test_a_shut_door_is_waited_for_also_that_of_a_lift(section: str) -> None:
    leaf = "{id: gate, x1_m: 6, y1_m: 0, x2_m: 6, y2_m: 8}"
    trial = driven_trial(f"{section}:\n  - {leaf}\n")
    trial.tell(ev.DoorShut("gate"))
    assert max(x for x, _ in track(trial, 30.0)) < 5.7
    trial.tell(ev.DoorShut("gate", False))
    track(trial)
    assert trial.done == {"m1": 1}


def test_a_slow_zone_is_driven_slowly() -> None:
    zone = "zones:\n  z: {corners: [[4, 0], [8, 0], [8, 8], [4, 8]], speed_mps: 0.3}\n"
    trial = driven_trial(zone)
    seen = track(trial)
    for (x1, y1), (x2, y2) in itertools.pairwise(seen):
        if 4.2 < x1 < 7.8 and 4.2 < x2 < 7.8:
            assert math.hypot(x2 - x1, y2 - y1) <= 0.3 * 0.5 + 1e-6


@pytest.mark.parametrize("block", ["single", "same_direction"])
def test_a_block_is_never_entered_against_each_other(block: str) -> None:
    corners = ((4.0, 0.0), (8.0, 0.0), (8.0, 8.0), (4.0, 8.0))
    zone = f"zones:\n  z: {{corners: {[list(c) for c in corners]}, block: {block}}}\n"
    trial = trial_of(read(small_world(places=HALL, robots=TWO, more=zone)))
    trial.run(2.0)
    trial.tell(move("m1", "b", "r1"))
    trial.tell(move("m2", "a", "r2"))
    together = []

    def look() -> bool:
        inside = [4.0 < r.x_m < 8.0 for r in trial.plant.robots.values()]
        together.append(all(inside))
        return len(trial.done) == 2

    trial.run(200.0, until=look)
    assert trial.done == {"m1": 1, "m2": 1}
    assert not any(together)


def test_everybody_pulls_over_and_goes_on_afterwards() -> None:
    trial = trial_of(read(small_world(places=HALL, robots=TWO)))
    trial.run(2.0)
    trial.tell(move("m1", "b", "r1"))
    trial.run(5.0)
    trial.tell(ev.PulledOver())
    trial.run(60.0)
    vehicles = trial.fleet.vehicles.values()
    assert all(vehicle.place for vehicle in vehicles)
    assert all(not robot.path for robot in trial.plant.robots.values())
    assert "m1" not in trial.done or trial.fleet.vehicles["r1"].place == "b"
    trial.tell(ev.PulledOver(False))
    trial.run(60.0)
    assert trial.done["m1"] == 1


def test_a_robot_that_is_only_respected_keeps_its_room_and_gets_no_task() -> None:
    places = HALL | {"h2": (6.0, 4.0)}
    trial = trial_of(read(small_world(places=places, robots=TWO)))
    trial.run(1.0)
    trial.tell(ev.LevelSet("r2", Level.RESPECTED))
    trial.tell(move("m1", "b"))
    trial.run(60.0)
    assert trial.done["m1"] == 1
    assert trial.plant.contacts == []
    assert trial.plant.robots["r2"].driven_m == 0.0
    trial.tell(ev.LevelSet("r2", Level.IGNORED))
    assert "r2" not in traffic_of(trial).bodies


@pytest.mark.parametrize("seed", range(3))
def test_random_halls_with_random_drives_have_no_contact(seed: int) -> None:
    draw = random.Random(seed)
    boxes = tuple(
        (x, y, x + 1.0 + draw.random(), y + 0.8 + draw.random())
        for x in (4.0, 8.5, 13.0)
        for y in (3.0, 7.0)
    )
    spots = {f"p{n}": (1.5 + 2.0 * n, 1.2) for n in range(8)}
    homes = {f"h{n}": (1.5 + 2.5 * n, 10.8) for n in range(6)}
    robots = {f"r{n}": ("cart" if n % 2 else "truck", f"h{n}") for n in range(6)}
    types = (
        "robot_types:\n  cart: {speed_mps: 1.3, radius_m: 0.3, payload_kg: 9}\n"
        "  truck: {speed_mps: 0.8, radius_m: 0.45, payload_kg: 9}\n"
    )
    text = small_world(
        width_m=18,
        height_m=12,
        boxes=boxes,
        places=spots | homes,
        robots=robots,
        more=types,
    )
    trial = trial_of(read(text))
    for number in range(14):
        start, end = draw.sample(sorted(spots), 2)
        trial.tell(ev.Submitted(transport_task(f"t/{number}", start, end)))
    for robot in trial.plant.robots.values():
        robot.slow = draw.choice((1.0, 1.0, 0.4))
    trial.run(1500.0, until=trial.idle)
    assert trial.done["t"] == 14
    assert trial.plant.contacts == []
    assert traffic_of(trial).deadlocks == 0


def test_two_robots_that_stand_in_a_dead_end_for_one_direction_get_out() -> None:
    zone = (
        "zones:\n  z: {corners: [[4, 0], [8, 0], [8, 5], [4, 5]], "
        "block: same_direction}\n"
    )
    boxes = ((3.6, 0.0, 4.0, 4.0), (8.0, 0.0, 8.4, 4.0))
    places = HALL | {"c1": (5.0, 1.2), "c2": (7.0, 1.2)}
    text = small_world(places=places, robots=TWO, boxes=boxes, more=zone)
    trial = trial_of(read(text))
    trial.run(2.0)
    for robot, ends in (("r1", ("c1", "a")), ("r2", ("c2", "b"))):
        legs = [Leg(ends[0], Action.LOAD), Leg(ends[1])]
        task = Task(f"{robot} in and out", Kind.MOVE, legs, intended=robot)
        trial.tell(ev.Submitted(task))
    trial.run(200.0, until=lambda: len(trial.done) == 2)
    assert len(trial.done) == 2
    assert trial.plant.contacts == []
