"""A plant starts in order, answers from then on, and shows how its parts connect."""

from __future__ import annotations

import pytest

from fleet import events as ev
from fleet.commands import Decided, Record, Registered, StorageChanged
from fleet.dispatch import Decision
from fleet.fleet import Fleet
from fleet.tasks import State, TaskRefused, transport_task
from fleet.virtual.components import (
    AGENTS,
    CHARGING,
    GENERATOR,
    MANAGEMENT,
    PLANNER,
    ROADS,
    SIMULATION,
    STORAGE,
    TRAFFIC,
    observed,
)
from fleet.virtual.warehouse import Warehouse
from tests.support.fleet_trials import roads_of
from tests.support.warehouses import shipped

WORLD = shipped("warehouse_small")


def new_fleet() -> Fleet:
    return Fleet(WORLD, roadmaps=roads_of("warehouse_small"), running=())


def told(fleet: Fleet, event: ev.Event) -> list[Record]:
    return fleet.handle(0.0, event).records


@pytest.mark.covers("W2", "W21", "W22", "W26", "W32", "W73", "W93")
def test_a_plant_starts_in_order_and_its_graph_is_drawn_from_what_runs() -> None:
    plant = Warehouse(WORLD, seed=1, rate_per_s=0.5)
    with observed() as graph:
        trial = plant.start()
        trial.plant.robots["tug2"].percent = 14.0
        trial.run(75.0)
    assert plant.log == [
        "roadmap of tug generated",
        "roadmap of lifter generated",
        "storage information published",
        "storage management started",
        "task planner started",
        *(f"{robot} registered" for robot in WORLD.robots),
        "charging station management started",
        "package generator started",
        "storage information asked for",
    ]
    drawn = graph.edges()
    assert drawn >= {
        *((MANAGEMENT, each) for each in (ROADS, STORAGE, AGENTS, GENERATOR)),
        *(
            (GENERATOR, STORAGE),
            (STORAGE, PLANNER),
            (PLANNER, STORAGE),
            (PLANNER, AGENTS),
        ),
        *((AGENTS, STORAGE), (AGENTS, PLANNER), (AGENTS, TRAFFIC)),
        *((AGENTS, CHARGING), (AGENTS, SIMULATION), (SIMULATION, AGENTS)),
        (SIMULATION, STORAGE),
    }
    assert graph.services(GENERATOR, STORAGE) >= {"take"}
    assert graph.services(SIMULATION, AGENTS) >= {"report"}
    assert {"Drive", "Act"} <= graph.services(AGENTS, SIMULATION)
    text = graph.mermaid()
    assert text.startswith("graph LR\n")
    assert f'["{CHARGING}"]' in text
    assert plant.stop()
    assert not trial.tell(ev.OutputWanted("out_1", "small_box"))


def test_a_plant_that_never_started_cannot_be_stopped() -> None:
    assert not Warehouse(WORLD, seed=1, rate_per_s=0.2).stop()


@pytest.mark.covers("W24")
def test_storage_management_answers_and_publishes_when_it_starts() -> None:
    fleet = new_fleet()
    coming = ev.InputComing("in_1", "N-1", "small_box")
    [refused] = told(fleet, coming)
    assert "the storage management has not been started" in str(refused)
    [published] = told(fleet, ev.Started(ev.Part.STORAGE))
    assert isinstance(published, StorageChanged)
    assert published.information == fleet.storage.information()
    assert [type(r) for r in told(fleet, coming)] == [StorageChanged]
    [again] = told(fleet, ev.Started(ev.Part.STORAGE))
    assert "is running already" in str(again)


@pytest.mark.covers("W25", "W26", "W73")
def test_the_planner_answers_and_agents_register_when_they_start() -> None:
    fleet = new_fleet()
    submitted = ev.Submitted(transport_task("t", "A1", "A2"))
    [refused] = told(fleet, submitted)
    assert "the task planner has not been started" in str(refused)
    told(fleet, ev.Started(ev.Part.PLANNER))
    told(fleet, submitted)
    told(fleet, ev.Tick())
    assert fleet.pool["t"].state is State.READY  # nobody is registered
    report = ev.Reported("tug1", 4.0, 18.6, 0.0, 90.0)
    assert told(fleet, report) == [Registered("tug1", "tug")]
    assert told(fleet, report) == []
    decided = [r.decision for r in told(fleet, ev.Tick()) if isinstance(r, Decided)]
    assert [d.robot for d in decided] == ["tug1"]
    assert decided[0].refusals["tug2"] == "has not reported yet"


@pytest.mark.covers("W27")
def test_nobody_charges_before_charging_management_has_started() -> None:
    fleet = new_fleet()
    assert not fleet.stations.reserve("tug1", "west")
    told(fleet, ev.Started(ev.Part.CHARGING))
    assert fleet.stations.reserve("tug1", "west")


def test_what_has_started_is_kept_with_the_state() -> None:
    fleet, twin = new_fleet(), new_fleet()
    told(fleet, ev.Started(ev.Part.STORAGE))
    twin.load(fleet.to_dict())
    assert twin.running == {ev.Part.STORAGE}
    assert not twin.stations.running


@pytest.mark.covers("W75")
def test_a_task_is_not_given_to_a_robot_that_has_made_no_offer() -> None:
    fleet = Fleet(WORLD, roadmaps=roads_of("warehouse_small"))
    told(fleet, ev.Reported("tug1", 4.0, 18.6, 0.0, 90.0))
    told(fleet, ev.Submitted(transport_task("t", "A1", "A2")))
    before = fleet.to_dict()
    none = Decision("t", "tug1", "by hand", {}, {}, "because")
    with pytest.raises(TaskRefused, match="tug1 has made no offer for task t"):
        fleet.desk.give(none, 0.0)
    bidder = fleet.desk.bidder(fleet.vehicles["tug1"], 0.0)
    offer = fleet.desk.bids.ask(bidder, fleet.pool["t"])
    other = Decision("t", "tug2", "by hand", {}, {}, "because", offer)
    with pytest.raises(TaskRefused, match="tug2 has made no offer"):
        fleet.desk.give(other, 0.0)
    assert fleet.to_dict() == before
    given = Decision("t", "tug1", "by hand", {}, {}, "because", offer)
    fleet.desk.give(given, 0.0)
    assert fleet.vehicles["tug1"].queue == ["t"]
    with pytest.raises(TaskRefused, match="task t is assigned and not to be given"):
        fleet.desk.give(given, 0.0)
