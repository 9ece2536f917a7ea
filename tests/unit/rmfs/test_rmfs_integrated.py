"""Orders and pods chosen together by a solver, against the rules."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.orders import PickOrder
from fleet.rmfs.strategies.integrated import Integrated
from shopfloor.experiments.rmfs import running


@pytest.mark.covers("R46", "R10")
def test_orders_planned_together_are_given_out_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    planned: list[list[PickOrder]] = []
    plan = Integrated._plan

    def noted(self: Integrated, *facts: Any) -> list[PickOrder]:
        planned.append(plan(self, *facts).copy())
        return planned[-1].copy()

    monkeypatch.setattr(Integrated, "_plan", noted)
    settings = ["poa=Integrated", "poa.orders_ahead=3"]
    outcome = running.run(running.prepare("1-1-1-4-40", settings=settings), hours=0.25)
    assert outcome.record["orders"] > 20
    assert max(len(orders) for orders in planned) == 3
    ahead = [order for orders in planned for order in orders]
    assert len({order.number for order in ahead}) > 0.9 * len(ahead)
    assert sum(order.station >= 0 for order in ahead) > 0.8 * len(ahead)


@pytest.mark.covers("R20")
def test_the_solver_gets_more_picks_for_a_pod_than_the_best_rule() -> None:
    pile_on = {}
    for name in ("PodMatch", "Integrated"):
        settings = [f"poa={name}", "robots=6"]
        records = [
            running.run(running.prepare(settings=settings), hours=0.5, seed=seed).record
            for seed in range(2)
        ]
        pile_on[name] = sum(record["pile_on"] for record in records)
    assert pile_on["Integrated"] > 1.05 * pile_on["PodMatch"]


def test_the_same_seed_gives_the_same_run_since_no_clock_limits_the_search() -> None:
    experiment = running.prepare("1-1-1-4-40", settings=["poa=Integrated"])
    first, second = (running.run(experiment, hours=0.1).record for _ in range(2))
    assert first["items"] == second["items"]
    assert first["distance_m"] == second["distance_m"]


def test_without_the_solver_its_strategy_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util,
        "find_spec",
        lambda name: None if name == "scipy" else find(name),
    )
    experiment = running.prepare("1-1-1-4-40", settings=["poa=Integrated"])
    with pytest.raises(RmfsRefused, match=r"pip install 'mpms\[experiments\]'"):
        running.run(experiment, hours=0.1)
