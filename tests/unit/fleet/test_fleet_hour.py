"""Random storing and retrieving with ten robots, and all that goes wrong."""

from __future__ import annotations

import json

import pytest

from fleet import events as ev
from fleet.fleet import Fleet
from tests.support.fleet_trials import (
    check_delivered,
    roads_of,
    run_disturbed,
    warehouse_trial,
)
from tests.support.warehouses import shipped


@pytest.mark.covers("W3", "W9", "W13", "W18", "W51", "W95")
def test_with_failures_everything_is_delivered_and_nobody_touched() -> None:
    trial = warehouse_trial(1)
    run_disturbed(trial, 1200.0)
    check_delivered(trial)
    assert trial.done["store"] >= 15
    assert trial.done["retrieve"] == trial.wanted >= 10
    kinds = {alert.kind for alert in trial.alerts}
    assert {"robot failed", "package lost", "path blocked"} <= kinds


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 22))
def test_an_hour_with_failures_and_charging(seed: int) -> None:
    trial = warehouse_trial(seed)
    run_disturbed(trial, 3600.0)
    check_delivered(trial)
    # A charge that gives way to a task is not done, and has charged all the same.
    enough = [robot for robot, percent in trial.plant.charged.items() if percent > 20.0]
    assert len(enough) >= 2


def test_a_fleet_rebuilt_from_its_state_goes_on_as_if_nothing_had_happened() -> None:
    trial, twin = warehouse_trial(7), warehouse_trial(7)
    for each in (trial, twin):
        each.keep_commands = True
        each.run(120.0)
    saved = json.loads(json.dumps(twin.fleet.to_dict()))
    rebuilt = Fleet(shipped("warehouse_small"), roadmaps=roads_of("warehouse_small"))
    rebuilt.load(saved)
    twin.fleet = rebuilt
    for each in (trial, twin):
        each.run(120.0)
    assert len(trial.commands) > 50
    assert twin.commands == trial.commands
    assert rebuilt.to_dict() == trial.fleet.to_dict()


@pytest.mark.covers("W22", "W23", "W30", "W31", "W35", "W36")
def test_the_generator_is_reproducible_and_wants_only_what_can_be() -> None:
    trials = [warehouse_trial(3, rate_per_s=0.3) for _ in range(2)]
    for trial in trials:
        trial.run(40.0)
        assert trial.refused == []
    assert [t.came for t in trials] == [trials[0].came] * 2
    assert trials[0].came >= 2
    assert trials[0].plant.packages() == trials[1].plant.packages()
    generator = trials[0].generator
    assert generator is not None
    assert generator.stop()
    came = trials[0].came
    trials[0].run(20.0)
    assert trials[0].came == came


def test_no_demands_are_taken_after_the_stop() -> None:
    trial = warehouse_trial(3)
    trial.tell(ev.Stopped())
    trial.demand(ev.OutputWanted("out_1", "pallet"))
    assert trial.refused == ["OutputWanted: no new demands are taken"]
    assert trial.wanted == 0
