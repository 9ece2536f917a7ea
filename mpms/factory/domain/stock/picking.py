"""Which lot from which place, and in which order: the picking plan of one order.

The recipe's sequence comes first. Within a step that leaves the order open, materials
whose hazards must be kept apart do not follow one another where that can be avoided,
and the tour is short. Of the lots that may be used the one that expires first is taken;
of its places the nearest. What is promised to other orders is not there.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from mpms.factory.domain.stock.lots import Lot
from mpms.factory.domain.stock.moves import Held
from mpms.factory.domain.stock.picks import Pick

Distance = Callable[[str, str], float]  # metres from place to place
CLASH_M = 1e6  # rather a long way than two hazards one after the other
SWAPS = 40  # rounds of improving a tour; more never helped at 30 lines


@dataclass(frozen=True)
class Wanted:
    """One line of an order. Lines of the same ``step`` may be fetched in any order."""

    line: int
    material: str
    grams: int
    step: int = 0
    lot: str | None = None  # the customer asks for this one
    hazards: frozenset[str] = frozenset()
    place: str | None = None  # of a material without lots


@dataclass(frozen=True)
class Missing:
    """What no usable lot has."""

    material: str
    grams: int


@dataclass(frozen=True)
class Plan:
    picks: tuple[Pick, ...]
    missing: tuple[Missing, ...] = ()
    tour_m: float = 0.0


@dataclass(frozen=True)
class Floor:
    """How far it is, and where the robot begins, unloads and ends."""

    distance_m: Distance
    start: str
    tank: str
    end: str
    every_load: bool = True  # to the tank; else all are collected in one round
    apart: frozenset[frozenset[str]] = field(default_factory=frozenset)


def plan_picks(
    order_number: str,
    wanted: Sequence[Wanted],
    stock: Iterable[tuple[Lot, Held]],
    floor: Floor,
    *,
    today: date,
    with_lots: frozenset[str] | set[str],
    promised: Mapping[tuple[str, str], int] | None = None,
) -> Plan:
    """The whole plan; what cannot be had is told, the rest is planned all the same."""
    free = _Free(stock, promised or {}, today, floor)
    drafts: list[Pick] = []
    missing: list[Missing] = []
    steps: dict[int, list[tuple[Pick, frozenset[str]]]] = {}
    for each in wanted:
        if each.material in with_lots:
            taken = list(free.take(each))
        else:
            taken = [(None, each.place or "", each.grams)]
        short = each.grams - sum(grams for _, _, grams in taken)
        if short > 0:
            missing.append(Missing(each.material, short))
        for lot, place, grams in taken:
            pick = Pick(order_number, 0, each.line, each.material, place, grams, lot)
            steps.setdefault(each.step, []).append((pick, each.hazards))
    at = floor.start
    before: frozenset[str] = frozenset()
    for step in sorted(steps):
        ordered = _ordered(steps[step], floor, at, before)
        drafts += [pick for pick, _ in ordered]
        at = floor.tank if floor.every_load else ordered[-1][0].place
        before = ordered[-1][1]
    numbered = tuple(_numbered(pick, number) for number, pick in enumerate(drafts))
    tour = tour_m([pick.place for pick in numbered], floor)
    return Plan(numbered, tuple(missing), tour)


def tour_m(places: Sequence[str], floor: Floor) -> float:
    """How far the robot drives for these places, from its start to its end."""
    if not places:
        return 0.0
    stops = [floor.start]
    for place in places:
        stops += [place, floor.tank] if floor.every_load else [place]
    stops += [floor.end] if floor.every_load else [floor.tank, floor.end]
    return sum(floor.distance_m(a, b) for a, b in itertools.pairwise(stops))


def kept_apart(
    one: frozenset[str], other: frozenset[str], apart: frozenset[frozenset[str]]
) -> bool:
    """Whether two materials must not follow one another."""
    return any(frozenset((a, b)) in apart for a in one for b in other if a != b)


class _Free:
    """What is left of each lot at each place while a plan is made."""

    def __init__(
        self,
        stock: Iterable[tuple[Lot, Held]],
        promised: Mapping[tuple[str, str], int],
        today: date,
        floor: Floor,
    ) -> None:
        self._floor = floor
        self._of: dict[str, list[tuple[Lot, str]]] = {}
        self._grams: dict[tuple[str, str], int] = {}
        for lot, held in stock:
            key = held.lot, held.place
            left = held.grams - promised.get(key, 0)
            if left > 0 and lot.usable(today):
                self._of.setdefault(lot.material, []).append((lot, held.place))
                self._grams[key] = left

    def take(self, wanted: Wanted) -> Iterable[tuple[str | None, str, int]]:
        """(Lot, place, grams), the lot that expires first first."""
        left = wanted.grams
        for lot, place in sorted(
            self._of.get(wanted.material, ()),
            key=lambda each: self._rank(each[0], each[1], wanted),
        ):
            there = self._grams[lot.lot, place]
            if (wanted.lot is not None and lot.lot != wanted.lot) or not there:
                continue
            grams = min(left, there)
            self._grams[lot.lot, place] = there - grams
            left -= grams
            yield lot.lot, place, grams
            if not left:
                return

    def _rank(self, lot: Lot, place: str, wanted: Wanted) -> tuple[object, ...]:
        expires = date.max if lot.expires_on is None else lot.expires_on
        enough = self._grams[lot.lot, place] >= wanted.grams
        near_m = self._floor.distance_m(place, self._floor.tank)
        return expires, str(lot.received_at or ""), lot.lot, not enough, near_m, place


_Step = list[tuple[Pick, frozenset[str]]]


def _ordered(step: _Step, floor: Floor, at: str, before: frozenset[str]) -> _Step:
    """Nearest first, then improved by taking pieces out and putting them elsewhere."""
    if len(step) == 1:
        return step
    left, done = list(step), []
    here, last = at, before
    while left:
        chosen = min(
            left,
            key=lambda each: (
                kept_apart(last, each[1], floor.apart),
                floor.distance_m(here, each[0].place),
            ),
        )
        left.remove(chosen)
        done.append(chosen)
        here = floor.tank if floor.every_load else chosen[0].place
        last = chosen[1]
    return _improved(done, floor, at, before)


def _improved(step: _Step, floor: Floor, at: str, before: frozenset[str]) -> _Step:
    """2-opt: turn a piece round as long as that makes the tour shorter.

    What must be kept apart is a very long way. If every load goes to the tank at once,
    only the first drive and the neighbours that must be kept apart can differ.
    """
    count = len(step)
    places = [pick.place for pick, _ in step]
    hazards = [each for _, each in step]

    def way(i: int, j: int) -> float:
        clash = CLASH_M if kept_apart(hazards[i], hazards[j], floor.apart) else 0.0
        return clash + (
            0 if floor.every_load else floor.distance_m(places[i], places[j])
        )

    ways = [[way(i, j) for j in range(count)] for i in range(count)]
    first = [
        floor.distance_m(at, places[i])
        + (CLASH_M if kept_apart(before, hazards[i], floor.apart) else 0.0)
        for i in range(count)
    ]
    last = [
        0.0 if floor.every_load else floor.distance_m(places[i], floor.tank)
        for i in range(count)
    ]
    tour = list(range(count))
    for _ in range(SWAPS):
        better = False
        for i in range(count - 1):
            for j in range(i + 1, count):
                a, b = tour[i], tour[j]
                old = first[a] if i == 0 else ways[tour[i - 1]][a]
                new = first[b] if i == 0 else ways[tour[i - 1]][b]
                old += last[b] if j == count - 1 else ways[b][tour[j + 1]]
                new += last[a] if j == count - 1 else ways[a][tour[j + 1]]
                if new < old - 1e-9:
                    tour[i : j + 1] = tour[i : j + 1][::-1]
                    better = True
        if not better:
            break
    return [step[number] for number in tour]


def _numbered(pick: Pick, number: int) -> Pick:
    return Pick(
        pick.order_number,
        number,
        pick.line,
        pick.material,
        pick.place,
        pick.grams,
        pick.lot,
    )
