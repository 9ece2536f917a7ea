"""Strategies that wake by themselves and hear what happens; shares of robots' time."""

from __future__ import annotations

import random
import time
from typing import Any

import pytest

from fleet.rmfs.strategies.base import NEVER, Thought
from fleet.rmfs.strategies.psa import Nearest
from fleet.rmfs.strategies.registry import Choice, Registry
from fleet.rmfs.warehouse import Warehouse
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.footprint import STATES, TASKS
from shopfloor.experiments.rmfs.simulation import Simulation
from shopfloor.experiments.rmfs.thinking import Thinking

EVERY_S = 60.0


class Attentive(Nearest):
    """The nearest place, and notes of what was heard and when it woke."""

    name = "Attentive"
    listens_to = ("pick order completed",)

    def __init__(self, parameters: Any, chance: random.Random) -> None:
        super().__init__(parameters, chance)
        self.woke: list[float] = []
        self.heard_of: list[str] = []
        self.next_at = EVERY_S

    def awake(self, warehouse: Warehouse) -> None:
        self.woke.append(warehouse.now)
        self.next_at = warehouse.now + EVERY_S

    def heard(self, warehouse: Warehouse, event: str, facts: dict[str, Any]) -> None:
        self.heard_of.append(event)


@pytest.mark.covers("R36", "R37")
def test_a_strategy_wakes_at_its_moments_and_hears_what_it_listens_to() -> None:
    given = running.prepare("1-1-1-4-40")
    simulation = Simulation(
        given.layout,
        given.floor,
        given.scenario,
        {"psa": Choice("Attentive")},
        registry=Registry([Attentive]),
    )
    simulation.run(601.0)
    strategy = simulation.deciders.by_problem["psa"]
    assert strategy.woke == [EVERY_S * n for n in range(1, 11)]
    assert strategy.heard_of == ["pick order completed"] * simulation.tally.orders_done
    assert strategy.heard_of


class Slow(Nearest):
    """Thinks for a while, once, and notes from when to when."""

    name = "Slow"
    thinks_s = 0.15

    def __init__(self, parameters: Any, chance: random.Random) -> None:
        super().__init__(parameters, chance)
        self.next_at = EVERY_S
        self.found: list[tuple[str, float]] = []

    def awake(self, warehouse: Warehouse) -> Thought:
        self.next_at = NEVER
        self.began, self.wall_s = warehouse.now, time.monotonic()

        def work() -> str:
            time.sleep(self.thinks_s)
            return "a better plan"

        def then(found: str) -> None:
            self.told_s = time.monotonic() - self.wall_s
            self.found.append((found, warehouse.now - self.began))

        return Thought(work, then, pace=20.0)


@pytest.mark.covers("R47")
def test_simulated_time_goes_no_faster_than_the_clock_while_a_strategy_thinks() -> None:
    given = running.prepare("1-1-1-4-40")
    simulation = Simulation(
        *(given.layout, given.floor, given.scenario, {"psa": Choice("Slow")}),
        registry=Registry([Slow]),
    )
    simulation.run(601.0)
    strategy = simulation.deciders.by_problem["psa"]
    ((found, later_s),) = strategy.found
    assert found == "a better plan"
    # It went on meanwhile, at 20 times the clock and no faster; then at full speed.
    assert 0.0 < later_s <= 20.0 * strategy.told_s
    assert strategy.told_s >= Slow.thinks_s
    assert simulation.warehouse.now == 601.0
    assert not simulation.thinking.busy
    assert simulation.tally.orders_done > 5


def test_what_a_thought_raises_ends_the_run() -> None:
    thinking = Thinking(nap=lambda seconds: None)

    def fail() -> None:
        raise ValueError("no plan")

    thinking.begin(Thought(fail, lambda found: None), 5.0)

    def wait() -> None:
        while thinking.busy:
            thinking.limit(5.0, 10.0)

    with pytest.raises(ValueError, match="no plan"):
        wait()
    assert thinking.limit(5.0, 10.0) == 10.0


@pytest.mark.covers("RC17")
def test_robots_spend_all_their_time_in_a_known_state_and_task() -> None:
    record = running.run(running.prepare("1-1-1-4-40"), hours=0.5).record
    for kind, names in (("state", STATES), ("task", TASKS)):
        shares = [record[f"{kind}_share_{name}"] for name in names]
        assert sum(shares) == pytest.approx(1.0, abs=0.01)
