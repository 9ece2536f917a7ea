"""Which lot from which place, in which order."""

from __future__ import annotations

import itertools
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mpms.factory.domain.stock import Held, Lot, LotState
from mpms.factory.domain.stock.picking import (
    Floor,
    Missing,
    Plan,
    Wanted,
    plan_picks,
    tour_m,
)

TODAY = date(2030, 5, 1)
AT = {"home": 0, "tank": 50, "A": 10, "B": 20, "C": 30, "D": 40, "E": 60}


def distance_m(one: str, other: str) -> float:
    return abs(AT[one] - AT[other])


EACH = Floor(distance_m, "home", "tank", "home")
ROUND = Floor(distance_m, "home", "tank", "home", every_load=False)


def lot(
    name: str,
    place: str,
    grams: int,
    *,
    days: int = 90,
    code: str = "RM-001",
    **more: object,
) -> tuple[Lot, Held]:
    kept = {"state": LotState.RELEASED} | more
    made = Lot(name, code, expires_on=TODAY + timedelta(days=days), **kept)  # type: ignore[arg-type]
    return made, Held(name, place, grams)


def planned(
    *wanted: Wanted, stock: list[tuple[Lot, Held]], floor: Floor = EACH, **more: object
) -> Plan:
    codes = {held.material for held, _ in stock}
    return plan_picks(
        "MO-1",
        wanted,
        stock,
        floor,
        today=TODAY,
        with_lots=codes,
        **more,  # type: ignore[arg-type]
    )


def taken(plan: Plan) -> list[tuple[str | None, str, int]]:
    return [(pick.lot, pick.place, pick.grams) for pick in plan.picks]


def test_the_lot_that_expires_first_goes_first_wherever_it_lies() -> None:
    stock = [lot("L-1", "D", 100, days=90), lot("L-2", "A", 100, days=10)]
    assert taken(planned(Wanted(0, "RM-001", 60), stock=stock)) == [("L-2", "A", 60)]


def test_of_one_lot_a_place_that_has_enough_is_taken_then_the_nearest() -> None:
    stock = [lot("L-1", "D", 50), lot("L-1", "C", 100), lot("L-1", "A", 100)]
    assert taken(planned(Wanted(0, "RM-001", 60), stock=stock)) == [("L-1", "C", 60)]


@pytest.mark.parametrize(
    "bad",
    [
        {"state": LotState.QUARANTINE},
        {"state": LotState.BLOCKED},
        {"days": -1},
    ],
)
def test_what_may_not_be_used_is_not_planned(bad: dict[str, object]) -> None:
    stock = [lot("L-1", "A", 100, **bad), lot("L-2", "B", 100, days=99)]  # type: ignore[arg-type]
    assert taken(planned(Wanted(0, "RM-001", 60), stock=stock)) == [("L-2", "B", 60)]


def test_on_its_last_day_a_lot_may_be_used() -> None:
    stock = [lot("L-1", "A", 100, days=0)]
    assert taken(planned(Wanted(0, "RM-001", 60), stock=stock)) == [("L-1", "A", 60)]


def test_what_is_promised_is_not_there_and_what_is_missing_is_told() -> None:
    plan = planned(
        Wanted(0, "RM-001", 60),
        stock=[lot("L-1", "A", 100)],
        promised={("L-1", "A"): 70},
    )
    assert taken(plan) == [("L-1", "A", 30)]
    assert plan.missing == (Missing("RM-001", 30),)


def test_the_recipes_sequence_stays_and_within_a_step_the_tour_is_short() -> None:
    stock = [lot(f"L-{p}", p, 100, code=f"RM-{p}") for p in "ABCDE"]
    steps = {"E": 0, "D": 1, "B": 1, "A": 1, "C": 2}
    lines = [Wanted(n, f"RM-{p}", 5, steps[p]) for n, p in enumerate("CDBAE")]
    places = [pick.place for pick in planned(*lines, stock=stock, floor=ROUND).picks]
    assert (places[0], places[4]) == ("E", "C")
    assert sorted(places[1:4]) == ["A", "B", "D"]


def test_hazards_that_must_be_kept_apart_do_not_follow_one_another() -> None:
    stock = [lot(f"L-{p}", p, 100, code=f"RM-{p}") for p in "ABC"]
    burns, feeds = frozenset({"GHS02"}), frozenset({"GHS03"})
    lines = [
        Wanted(0, "RM-A", 5, hazards=burns),
        Wanted(1, "RM-B", 5, hazards=feeds),
        Wanted(2, "RM-C", 5),
    ]
    apart = frozenset({frozenset({"GHS02", "GHS03"})})
    floor = Floor(distance_m, "home", "tank", "home", False, apart)
    order = "".join(p.place for p in planned(*lines, stock=stock, floor=floor).picks)
    assert order[1] == "C"


@given(st.permutations("ABCDE"), st.booleans())
def test_no_turn_of_the_tour_is_shorter(order: list[str], every_load: bool) -> None:
    stock = [lot(f"L-{p}", p, 100, code=f"RM-{p}") for p in order]
    lines = [Wanted(n, f"RM-{p}", 5) for n, p in enumerate(order)]
    floor = EACH if every_load else ROUND
    plan = planned(*lines, stock=stock, floor=floor)
    best = min(tour_m(each, floor) for each in itertools.permutations(order))
    assert plan.tour_m == pytest.approx(best, rel=0.15)
