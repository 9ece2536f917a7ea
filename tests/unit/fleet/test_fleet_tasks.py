"""Tasks from submission to their end: order, robots, withdrawal, charging, failure."""

from __future__ import annotations

from typing import Any

import pytest

from fleet import events as ev
from fleet.commands import Act, Charge, Decided, Record, StorageChanged, TaskChanged
from fleet.fleet import Fleet, Unreachable
from fleet.model import Level
from fleet.tasks import Action, Kind, Leg, State, Task, transport_task
from fleet.virtual import Plant, Trial
from tests.support.fleet_trials import roads_of, traffic_of
from tests.support.warehouses import read, shipped, small_world


@pytest.fixture
def trial() -> Trial:
    """The small warehouse without demands, all robots known and at rest."""
    world = shipped("warehouse_small")
    fleet = Fleet(world, roadmaps=roads_of("warehouse_small"))
    trial = Trial(fleet, Plant(world), step_s=1.0, keep_commands=True)
    trial.run(1.0)
    return trial


def submit(trial: Trial, id_: str, start: str = "A1", **more: Any) -> Task:
    """A drive from a place to the next one."""
    task = Task(id_, Kind.MOVE, [Leg(start), Leg("B1")], **more)
    trial.tell(ev.Submitted(task))
    return task


def state_of(task: Task) -> str:
    return task.state.value


def records_of(trial: Trial) -> list[Record]:
    seen: list[Record] = []
    trial.watch = seen.append
    return seen


@pytest.mark.parametrize(
    ("task", "why"),
    [
        (transport_task("t", "A1", "Z9"), "there is no place 'Z9'"),
        (Task("t", Kind.MOVE, []), "it has no legs"),
        (
            transport_task("t", "A1", "A2", package_type="barrel"),
            "there is no package type 'barrel'",
        ),
        (
            transport_task("t", "A1", "A2", package_type="pallet", intended="tug1"),
            "no robot can carry pallet: tug1 carries 50 kg, not 300 kg",
        ),
        (
            transport_task("t", "A1", "A2", intended="tug99"),
            "there is no robot 'tug99'",
        ),
        (
            Task("t", Kind.MOVE, [Leg("rest_2")], intended="tug1"),
            "rest_2 is the rest place of tug2",
        ),
        (transport_task("t", "rest_1", "rest_2"), "rest_2 is the rest place of tug2"),
        (
            transport_task("t", "A1", "A2", after=("x",)),
            "it shall follow 'x', which does not exist",
        ),
    ],
)
def test_a_task_that_cannot_be_done_is_refused_and_nothing_changes(
    trial: Trial, task: Task, why: str
) -> None:
    before = trial.fleet.to_dict()
    assert not trial.tell(ev.Submitted(task))
    assert trial.refused == [f"Submitted: task t: {why}"]
    assert trial.fleet.to_dict() == before


def test_a_world_with_a_place_that_nobody_reaches_is_refused() -> None:
    world = read(small_world(boxes=((6.0, 0.0, 6.4, 8.0),)))
    with pytest.raises(
        Unreachable, match=r"world\.yaml:\d+: no robot reaches a \(cart: no way"
    ):
        Fleet(world)


def test_tasks_follow_each_other_and_a_sequence_stays_with_one_robot(
    trial: Trial,
) -> None:
    first = submit(trial, "one", sequence="s")
    second = submit(trial, "two", sequence="s")
    third = submit(trial, "three", after=("two",))
    assert (second.state, third.state) == (State.HELD, State.HELD)
    trial.run(300.0, until=lambda: third.state is State.DONE)
    assert third.state is State.DONE
    assert first.robot == second.robot != ""


def test_a_task_is_held_while_it_is_paused_and_ends_when_what_it_follows_fails(
    trial: Trial,
) -> None:
    task = submit(trial, "one", "C1")
    after = submit(trial, "two", after=("one",))
    trial.tell(ev.TaskPaused("one"))
    trial.run(20.0)
    assert state_of(task) == "held"
    trial.tell(ev.TaskPaused("one", False))
    trial.run(2.0)
    assert state_of(task) == "running"
    trial.tell(ev.Withdrawn("one", now=True))
    assert (task.state, after.state) == (State.WITHDRAWN, State.FAILED)
    assert after.why == "one, which it follows, is withdrawn"
    assert not trial.tell(ev.Withdrawn("one"))
    assert not trial.tell(ev.Withdrawn("nothing"))


def test_a_withdrawn_task_ends_at_the_next_place_unless_at_once(trial: Trial) -> None:
    task = submit(trial, "one", "A2", intended="tug2")
    trial.run(3.0)
    trial.tell(ev.Withdrawn("one"))
    assert state_of(task) == "running"
    trial.run(60.0, until=lambda: task.state.ended)
    assert task.state is State.WITHDRAWN
    assert trial.plant.robots["tug2"].driven_m > 5.0


@pytest.mark.covers("W7")
def test_an_idle_robot_drives_to_its_rest_place(trial: Trial) -> None:
    task = submit(trial, "one", intended="tug2")
    trial.run(300.0, until=lambda: task.state is State.DONE)
    vehicle = trial.fleet.vehicles["tug2"]
    trial.run(120.0, until=lambda: vehicle.place == "rest_2")
    assert vehicle.place == "rest_2"


@pytest.mark.covers("W54", "W55")
def test_a_robot_that_is_not_used_is_not_asked(trial: Trial) -> None:
    seen = records_of(trial)
    for robot in trial.fleet.vehicles:
        if robot != "tug3":
            trial.tell(ev.LevelSet(robot, Level.RESPECTED))
    task = submit(trial, "one")
    trial.run(1.0)
    assert task.robot == "tug3"
    [decision] = [r.decision for r in seen if isinstance(r, Decided)]
    assert list(decision.bids) == ["tug3"]
    assert decision.refusals["tug1"] == "is only respected"


@pytest.mark.covers("W61", "W62", "W76", "W82", "W83")
def test_storing_reserves_first_and_ends_the_reservation_last(trial: Trial) -> None:
    seen = records_of(trial)
    trial.demand(ev.InputComing("in_1", "N-1", "small_box"))
    trial.run(200.0, until=lambda: "store" in trial.done)
    kinds = [
        "reserved"
        if isinstance(r, StorageChanged) and len(r.information.free_storage) == 19
        else r.state
        if isinstance(r, TaskChanged) and r.task.startswith("store")
        else ""
        for r in seen
    ]
    assert kinds.index("reserved") < kinds.index("assigned") < kinds.index("done")
    acts = [c for _, c in trial.commands if isinstance(c, Act)]
    assert [a.action for a in acts] == [Action.LOAD, Action.UNLOAD]
    stored = {p: where for where, p in trial.plant.lying.items()}
    information = trial.fleet.storage.information()
    assert (stored["N-1"], "N-1", "small_box") in information.stored_packages
    assert trial.fleet.storage.reserve(stored["N-1"])


@pytest.mark.covers("W51", "W57")
def test_a_task_is_done_only_when_the_detector_has_seen_the_package(
    trial: Trial,
) -> None:
    trial.demand(ev.InputComing("in_1", "N-1", "small_box"))
    [task] = [t for t in trial.fleet.pool.open() if t.kind is Kind.STORE]
    trial.run(200.0, until=lambda: task.leg == 1)
    robot = trial.plant.robots[task.robot]
    trial.run(
        200.0, until=lambda: robot.acts is not None and robot.acts[0] is Action.UNLOAD
    )
    robot.acts, robot.load = None, ""
    trial.tell(ev.Acted(robot.id, Action.UNLOAD))
    trial.run(5.0)
    assert state_of(task) == "running"
    trial.run(20.0)
    assert task.state is State.FAILED
    assert [a.kind for a in trial.alerts] == ["package lost"]
    assert set(trial.fleet.dropped) == {"N-1"}


@pytest.mark.covers("W77", "W78", "W6", "W17", "W94")
def test_a_task_that_needs_charging_reserves_a_zone_and_charges_there(
    trial: Trial,
) -> None:
    trial.plant.robots["tug2"].percent = 17.0
    trial.run(1.0)
    task = submit(trial, "one", intended="tug2")
    trial.run(1.0)
    robot, vehicle = trial.plant.robots["tug2"], trial.fleet.vehicles["tug2"]
    assert vehicle.queue[1] == "one"
    zone = trial.fleet.pool[vehicle.queue[0]].zone
    assert "tug2" in trial.fleet.stations.reserved(zone)
    trial.run(300.0, until=lambda: robot.charging)
    before = robot.percent
    trial.run(10.0)
    tug = robot.type
    assert robot.percent - before == pytest.approx(
        10 * (0.4 - tug.idle_discharging_pps)
    )
    trial.run(600.0, until=lambda: task.state is State.DONE)
    assert task.state is State.DONE
    assert "tug2" not in trial.fleet.stations.reserved(zone)
    assert [c for _, c in trial.commands if c == Charge("tug2", False)]


@pytest.mark.covers("W56")
def test_a_critical_battery_gives_the_task_and_the_storage_to_another_robot(
    trial: Trial,
) -> None:
    trial.demand(ev.InputComing("in_1", "N-1", "small_box"))
    [task] = [t for t in trial.fleet.pool.open() if t.kind is Kind.STORE]
    trial.run(2.0)
    first, place = task.robot, task.reserved
    assert place not in trial.fleet.storage.free_storage()
    trial.plant.robots[first].percent = 10.0
    trial.run(2.0)
    assert task.robot not in ("", first)
    vehicle = trial.fleet.vehicles[first]
    assert [trial.fleet.pool[t].kind for t in vehicle.queue] == [Kind.CHARGE]
    trial.run(300.0, until=lambda: "store" in trial.done)
    assert trial.done["store"] == 1


def test_the_tasks_of_a_robot_that_fails_go_to_others_and_the_load_is_told(
    trial: Trial,
) -> None:
    task = submit(trial, "one")
    trial.run(3.0)
    first = task.robot
    trial.plant.robots[first].dead = True
    trial.tell(ev.Failed(first, "does not answer"))
    assert task.state is State.READY
    trial.run(300.0, until=lambda: task.state is State.DONE)
    assert task.robot not in ("", first)
    assert [(a.kind, a.about) for a in trial.alerts] == [("robot failed", first)]
    assert trial.plant.contacts == []


def test_a_paused_robot_stands_and_goes_on_where_it_was(trial: Trial) -> None:
    task = submit(trial, "one", intended="tug2")
    trial.run(6.0)
    trial.tell(ev.RobotPaused("tug2"))
    driven_m = trial.plant.robots["tug2"].driven_m
    trial.run(30.0)
    assert trial.plant.robots["tug2"].driven_m == driven_m > 0.0
    trial.tell(ev.RobotPaused("tug2", False))
    trial.run(200.0, until=lambda: task.state is State.DONE)
    assert task.state is State.DONE


def test_events_of_unknown_robots_and_bad_zones_are_refused(trial: Trial) -> None:
    assert not trial.tell(ev.Failed("tug99", "gone"))
    assert not trial.tell(ev.ZoneClosed("line", ((0.0, 0.0), (1.0, 1.0))))
    assert not trial.tell(ev.DoorShut("gate"))
    assert not trial.tell(ev.InputComing("in_1", "N-1", "barrel"))
    assert trial.refused == [
        "Failed: there is no robot 'tug99'",
        "ZoneClosed: zone line has fewer than 3 corners",
        "DoorShut: there is no door 'gate'",
        "InputComing: in_1 cannot take barrel",
    ]


def until_acting(trial: Trial, action: Action) -> str:
    """Store a package until its robot loads or unloads; which robot."""
    trial.demand(ev.InputComing("in_1", "N-1", "small_box"))
    [task] = [t for t in trial.fleet.pool.open() if t.kind is Kind.STORE]

    def acting() -> bool:
        robot = trial.plant.robots.get(task.robot)
        return robot is not None and (robot.acts or ("",))[0] is action

    trial.run(300.0, until=acting)
    return task.robot


@pytest.mark.parametrize("action", [Action.LOAD, Action.UNLOAD])
def test_a_robot_paused_while_it_loads_or_unloads_does_it_again(
    trial: Trial, action: Action
) -> None:
    robot = until_acting(trial, action)
    trial.tell(ev.RobotPaused(robot))
    trial.run(20.0)
    assert trial.done.get("store", 0) == 0
    trial.tell(ev.RobotPaused(robot, False))
    trial.run(200.0, until=lambda: trial.done.get("store", 0) == 1)
    assert trial.done["store"] == 1
    assert trial.alerts == []


@pytest.mark.covers("W51")
def test_a_detector_is_heard_while_everybody_has_pulled_over(trial: Trial) -> None:
    robot = until_acting(trial, Action.UNLOAD)
    trial.tell(ev.PulledOver())
    trial.run(60.0)
    assert trial.done["store"] == 1
    assert trial.fleet.vehicles[robot].load == ""
    assert trial.alerts == []


def test_a_robot_that_fails_once_it_has_loaded_keeps_its_task(trial: Trial) -> None:
    robot = until_acting(trial, Action.LOAD)
    vehicle = trial.fleet.vehicles[robot]
    trial.plant.robots[robot].acts = None
    trial.tell(ev.Acted(robot, Action.LOAD))
    assert vehicle.doing.value == "confirming"
    trial.tell(ev.Failed(robot, "does not answer"))
    trial.plant.robots[robot].dead = True
    package, seen = trial.plant.take("in_1")
    trial.plant.robots[robot].load = package
    trial.tell(seen)
    assert (vehicle.load, len(vehicle.queue)) == ("N-1", 1)
    trial.run(60.0)
    trial.plant.robots[robot].dead = False
    trial.tell(ev.Recovered(robot))
    trial.run(300.0, until=lambda: trial.done.get("store", 0) == 1)
    assert trial.done["store"] == 1


def test_the_only_robot_that_can_gets_a_task_again_that_it_gave_back() -> None:
    more = (
        "robot_types:\n  cart: {speed_mps: 1.0, payload_kg: 5}\n"
        "  truck: {speed_mps: 1.0, payload_kg: 500}\n"
        "packages:\n  pallet: {weight_kg: 300}\n"
    )
    places = {"h1": (1.5, 1.5), "h2": (4.0, 1.5), "a": (6.0, 6.0), "b": (9.0, 6.0)}
    robots = {"r1": ("cart", "h1"), "r2": ("truck", "h2")}
    world = read(small_world(places=places, robots=robots, more=more))
    trial = Trial(Fleet(world), Plant(world), step_s=1.0)
    trial.run(1.0)
    task = transport_task("t", "a", "b", package_type="pallet")
    trial.tell(ev.Submitted(task))
    trial.run(3.0)
    trial.tell(ev.Failed("r2", "does not answer"))
    assert (state_of(task), task.tried) == ("ready", ["r2"])
    trial.run(20.0)
    assert state_of(task) == "ready"
    trial.tell(ev.Recovered("r2"))
    trial.run(200.0, until=lambda: task.state.ended)
    assert (state_of(task), task.robot) == ("done", "r2")


def test_a_robot_that_was_never_heard_of_is_believed_at_its_rest_place() -> None:
    places = {"h1": (1.5, 4.0), "h2": (6.0, 4.0), "b": (10.5, 4.0)}
    robots = {"r1": ("cart", "h1"), "r2": ("cart", "h2")}
    world = read(small_world(places=places, robots=robots))
    trial = Trial(Fleet(world), Plant(world), step_s=0.5)
    trial.plant.robots["r2"].dead = True
    trial.run(1.0)
    task = Task("t", Kind.MOVE, [Leg("b")], intended="r1")
    trial.tell(ev.Submitted(task))
    trial.run(100.0, until=lambda: task.state.ended)
    assert state_of(task) == "done"
    assert trial.plant.contacts == []
    trial.tell(ev.LevelSet("r2", Level.IGNORED))
    closures = traffic_of(trial).closures
    assert closures.obstacles == {}
    trial.tell(ev.LevelSet("r2", Level.USED))
    assert list(closures.obstacles) == ["unseen/r2"]
    trial.tell(ev.Reported("r2", 6.0, 4.0, 0.0, 100.0))
    assert closures.obstacles == {}


@pytest.mark.covers("W49")
def test_one_package_is_promised_to_one_demand_only(trial: Trial) -> None:
    for robot in trial.fleet.vehicles:
        trial.tell(ev.RobotPaused(robot))
    trial.tell(ev.OutputWanted("out_1", "big_box"))
    for place in ("A4", "C3", "E5"):  # people take two of three
        if place != "E5":
            trial.tell(trial.plant.take(place)[1])
    trial.tell(ev.OutputWanted("out_2", "big_box"))
    retrieves = [t for t in trial.fleet.pool.open() if t.kind is Kind.RETRIEVE]
    assert [task.goal for task in retrieves] == ["out_1"]
    assert trial.fleet.storage.held == (("out_2", "big_box"),)


def test_a_robot_that_never_answers_is_told_again_what_to_do(trial: Trial) -> None:
    robot = until_acting(trial, Action.LOAD)
    trial.plant.robots[robot].acts = None
    trial.run(150.0)
    assert [(a.kind, a.about) for a in trial.alerts] == [("no answer", robot)]
    trial.run(200.0, until=lambda: trial.done.get("store", 0) == 1)
    assert trial.done["store"] == 1


def test_nobody_waits_where_only_one_robot_may_be() -> None:
    zone = "zones:\n  z: {corners: [[4, 0], [8, 0], [8, 8], [4, 8]], block: single}\n"
    places = {"h1": (1.5, 1.5), "h2": (10.5, 1.5), "in": (6.0, 4.0), "b": (10.5, 6.5)}
    robots = {"r1": ("cart", "h1"), "r2": ("cart", "h2")}
    world = read(small_world(places=places, robots=robots, more=zone))
    trial = Trial(Fleet(world), Plant(world), step_s=1.0)
    trial.run(1.0)
    stay = Task("stay", Kind.MOVE, [Leg("b", Action.LOAD)], intended="r2")
    trial.tell(ev.Submitted(stay))
    trial.run(60.0, until=lambda: trial.fleet.vehicles["r2"].place == "b")
    trial.tell(ev.RobotPaused("r2"))
    legs = [Leg("in"), Leg("b")]
    trial.tell(ev.Submitted(Task("there", Kind.MOVE, legs, intended="r1")))
    vehicle = trial.fleet.vehicles["r1"]
    trial.run(60.0, until=lambda: vehicle.place == "h1" and vehicle.waits_for == "b")
    assert vehicle.place == "h1"
    trial.tell(ev.RobotPaused("r2", False))
    trial.run(300.0, until=lambda: trial.done.get("there", 0) == 1)
    assert trial.done["there"] == 1
    assert trial.plant.contacts == []


def test_a_task_that_is_dispatched_anew_goes_to_whoever_is_best_now(
    trial: Trial,
) -> None:
    others = [robot for robot in trial.fleet.vehicles if robot != "tug3"]
    for robot in others:
        trial.tell(ev.LevelSet(robot, Level.RESPECTED))
    task = submit(trial, "one", "E1")
    trial.run(5.0)
    assert (task.robot, state_of(task)) == ("tug3", "running")
    for robot in others:
        trial.tell(ev.LevelSet(robot, Level.USED))
    trial.plant.robots["tug3"].percent = 16.0  # would have to charge before
    trial.run(1.0)
    trial.tell(ev.Redispatched("one"))
    assert (state_of(task), task.why, task.tried) == ("ready", "dispatched anew", [])
    trial.run(1.0)
    assert task.robot in others
    trial.run(300.0, until=lambda: task.state.ended)
    assert state_of(task) == "done"
    assert not trial.tell(ev.Redispatched("one"))
    assert trial.refused == ["Redispatched: task one is done and with no robot"]


def test_what_is_on_board_or_being_loaded_is_not_dispatched_anew(trial: Trial) -> None:
    robot = until_acting(trial, Action.LOAD)
    [task] = [t for t in trial.fleet.pool.open() if t.kind is Kind.STORE]
    assert not trial.tell(ev.Redispatched(task.id))
    trial.run(60.0, until=lambda: task.leg == 1)
    assert not trial.tell(ev.Redispatched(task.id))
    assert [line.partition(": ")[2] for line in trial.refused] == [
        f"{robot} is loading or unloading",
        f"{robot} has N-1 on board",
    ]
    trial.run(300.0, until=lambda: task.state.ended)
    assert state_of(task) == "done"


def test_the_nearer_deadline_goes_first_and_a_passed_one_is_told_once(
    trial: Trial,
) -> None:
    for robot in trial.fleet.vehicles:
        if robot != "tug3":
            trial.tell(ev.LevelSet(robot, Level.RESPECTED))
    old = submit(trial, "old")
    due = submit(trial, "due", deadline_at=trial.now + 20.0)
    trial.run(1.0)
    assert trial.fleet.vehicles["tug3"].queue == ["due", "old"]
    trial.run(400.0, until=lambda: old.state.ended)
    assert (state_of(due), state_of(old)) == ("done", "done")
    assert [(a.kind, a.about) for a in trial.alerts] == [("late", "due")]


def test_a_robot_that_finds_no_way_for_long_gives_its_task_back(trial: Trial) -> None:
    task = submit(trial, "one", "A1", intended="tug2")
    around = ((7.0, 2.0), (9.0, 2.0), (9.0, 4.5), (7.0, 4.5))
    trial.tell(ev.ZoneClosed("spill", around))
    trial.run(250.0)
    assert state_of(task) == "running"
    trial.run(100.0)
    assert task.why == "found no way to A1"
    assert [(a.kind, a.about) for a in trial.alerts][:1] == [("no way", "tug2")]
    trial.tell(ev.ZoneOpened("spill"))
    trial.run(300.0, until=lambda: task.state.ended)
    assert state_of(task) == "done"


def test_a_lost_package_ends_its_task_and_not_the_next_one(trial: Trial) -> None:
    robot = until_acting(trial, Action.UNLOAD)
    submit(trial, "next", "B1", intended=robot)
    trial.run(1.0)
    vehicle, body = trial.fleet.vehicles[robot], trial.plant.robots[robot]
    assert vehicle.queue[1:] == ["next"]
    body.acts, body.load = None, ""
    trial.tell(ev.Acted(robot, Action.UNLOAD))
    trial.run(20.0, until=lambda: bool(trial.alerts))
    assert [a.kind for a in trial.alerts] == ["package lost"]
    assert (vehicle.queue, vehicle.doing.value) == (["next"], "nothing")
    trial.run(200.0, until=lambda: "next" in trial.done)
    assert trial.done == {"next": 1}
