"""Strategies that wake by themselves and hear what happens; shares of robots' time."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fleet.rmfs.strategies.psa import Nearest
from fleet.rmfs.strategies.registry import Choice, Registry
from fleet.rmfs.warehouse import Warehouse
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.footprint import STATES, TASKS
from shopfloor.experiments.rmfs.simulation import Simulation

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


@pytest.mark.covers("RC17")
def test_robots_spend_all_their_time_in_a_known_state_and_task() -> None:
    record = running.run(running.prepare("1-1-1-4-40"), hours=0.5).record
    for kind, names in (("state", STATES), ("task", TASKS)):
        shares = [record[f"{kind}_share_{name}"] for name in names]
        assert sum(shares) == pytest.approx(1.0, abs=0.01)
