"""The pick process through BPMN in virtual time, and the fleet asked directly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from fleet import events as ev
from fleet.commands import Record, TaskChanged
from fleet.fleet import Fleet
from fleet.tasks import Action, Kind, Leg, State, Task
from fleet.virtual.plant import Plant
from fleet.virtual.trial import Trial
from mpms import assets
from mpms.domain.testdrive.scenario import Arrival, Learnt
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.services.catalogue.current import FILE, InForce
from mpms.factory.testdrive.hooks import DrivenHooks
from mpms.factory.testdrive.stand import FactoryStand
from tests.support.virtual_plant import drivable, run_of
from tests.support.warehouse_factory import warehouse_files

GAP_S = 400.0
CHOOSE_S, PICK_S = 20.0, 30.0
PICKS = 4
ASKED = {"shelf": "S-1", "from_place": "shelf_1", "station": "station_1"}
Did = tuple[str, str, str, tuple[tuple[str, str], ...]]


def through_bpmn() -> list[Did]:
    files = warehouse_files()
    world = factory_bootstrap.world_named("warehouse_small")
    stand = FactoryStand(world, InForce(FILE, None), files.world, None)
    learnt = Learnt(
        {"choose_item": [CHOOSE_S] * 5, "pick": [PICK_S] * 5},
        answers={"choose_item": [{"item": "screws", "amount": 3, **ASKED}]},
    )
    models = assets.shipped_models()
    run = run_of(
        drivable("pick_at_station", {"pick.bpmn": models["pick_at_station.bpmn"]}),
        [Arrival(f"P-{n}", n * GAP_S) for n in range(PICKS)],
        learnt=learnt,
        stand=stand,
        hooks=DrivenHooks(),
    )
    assert len(run.drive().lead_times_s) == PICKS
    assert stand.fleet is not None
    return stand.fleet.log


@dataclass
class Direct:
    """Calls the fleet as an experiment does: no process, no request, no form."""

    trial: Trial
    did: list[Did]

    def shelf(self, name: str, start: str, end: str) -> None:
        legs = [Leg(start, Action.LIFT), Leg(end, Action.DROP)]
        task = Task(name, Kind.FETCH_SHELF, legs, package=ASKED["shelf"])
        self.trial.tell(ev.Submitted(task))
        self.until(lambda: task.state is State.DONE)

    def until(self, there: Callable[[], bool]) -> None:
        self.trial.run(3600.0, there)
        assert there()

    def until_s(self, at_s: float) -> None:
        self.until(lambda: self.trial.now >= at_s)


def called_directly() -> list[Did]:
    fleet = Fleet(warehouse_files().world)
    did: list[Did] = []

    def watch(record: Record) -> None:
        task = fleet.pool.get(record.task) if isinstance(record, TaskChanged) else None
        if task is not None and isinstance(record, TaskChanged):
            legs = tuple((leg.place, leg.action.value) for leg in task.legs)
            did.append((task.kind.value, record.state, record.robot, legs))

    direct = Direct(Trial(fleet, Plant(fleet.world), watch=watch), did)
    for robot in direct.trial.plant.robots.values():
        direct.trial.tell(robot.report())
    for number in range(PICKS):
        direct.until_s(number * GAP_S + CHOOSE_S)
        direct.shelf(f"fetch {number}", ASKED["from_place"], ASKED["station"])
        direct.until_s(direct.trial.now + PICK_S)
        direct.shelf(f"return {number}", ASKED["station"], ASKED["from_place"])
    return did


@pytest.mark.long
def test_a_process_and_a_direct_call_give_the_fleet_the_same_tasks() -> None:
    def shelves(did: list[Did]) -> list[Did]:
        return [one for one in did if one[0] == Kind.FETCH_SHELF.value]

    bpmn, direct = shelves(through_bpmn()), shelves(called_directly())
    done = [one for one in bpmn if one[1] == State.DONE.value]
    assert len(done) == 2 * PICKS, "each shelf is fetched and brought back"
    assert bpmn == direct
