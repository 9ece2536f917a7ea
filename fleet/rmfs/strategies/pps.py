"""Pick pod selection: which pod a robot brings to a pick station.

Each strategy is a row of scorers. Pods are compared by the first; where they are
equal, by the next, and at last by chance.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.orders import Station
from fleet.rmfs.scoring_kernels import AGE, COMPLETED, LATENESS, PICKS, demand_of_pods
from fleet.rmfs.strategies.base import Strategy
from fleet.rmfs.warehouse import Robot, Warehouse

Scores = NDArray[np.float64]


@dataclass(frozen=True)
class Pods:
    """What scorers compare."""

    warehouse: Warehouse
    robot: Robot
    station: Station
    pods: NDArray[np.int32]
    offers: Scores


def picks(of: Pods) -> Scores:
    return of.offers[:, PICKS]


WAY_OF_A_PICK = 30.0
"""Cells that a robot may drive farther for one pick more."""
PICK_FOR_THE_BACKLOG = 0.2
"""What a unit for an order that still waits for a station counts, in picks."""
COMPLETED_ORDER = 1.0
"""What an order that the pod completes counts, in picks, beside its units."""


def work(of: Pods) -> Scores:
    """Picks, now and for orders that wait, less what the way to the pod costs."""
    way = of.warehouse.manhattan(of.robot.cell, of.pods)
    gain = picks(of) + COMPLETED_ORDER * completable(of)
    return gain + PICK_FOR_THE_BACKLOG * demand(of) - way / WAY_OF_A_PICK


def completable(of: Pods) -> Scores:
    return of.offers[:, COMPLETED]


def age(of: Pods) -> Scores:
    return of.offers[:, AGE]


def lateness(of: Pods) -> Scores:
    return of.offers[:, LATENESS]


def nearest(of: Pods) -> Scores:
    """To the robot, and from there to the station."""
    to_robot = of.warehouse.manhattan(of.robot.cell, of.pods)
    to_station = of.warehouse.manhattan(of.station.cell, of.pods)
    return -(to_robot + to_station)


def demand(of: Pods) -> Scores:
    """Units of the pod that waiting orders ask for."""
    wanted = of.warehouse.backlog.demand
    found = np.empty(len(of.pods))
    skus = np.flatnonzero(wanted).astype(np.int32)
    demand_of_pods(of.warehouse.stock.free, of.pods, skus, wanted, found)
    return found


def fill(of: Pods) -> Scores:
    return of.warehouse.stock.used[of.pods]


SCORERS: dict[str, Callable[[Pods], Scores]] = {
    "Completeable": completable,
    "Picks": picks,
    "Work": work,
    "Age": age,
    "Lateness": lateness,
    "Nearest": nearest,
    "Demand": demand,
    "Fill": fill,
}


def select(of: Pods, scorers: Sequence[str], strategy: Strategy) -> int:
    """The best pod's place in the row."""
    best = np.arange(len(of.pods))
    for name in scorers:
        if name == "Random" or len(best) == 1:
            break
        part = Pods(of.warehouse, of.robot, of.station, of.pods[best], of.offers[best])
        scores = SCORERS[name](part)
        best = best[scores >= scores.max() - 1e-9]
    if len(best) == 1:
        return int(best[0])
    return int(best[strategy.chance.randrange(len(best))])


@dataclass(frozen=True)
class Scored:
    """What all rows of scorers have."""

    prefer_same_tier: bool = True
    """Pods of other floors only where none of the station's floor has anything."""

    def mistakes(self) -> list[str]:
        named = ("scorer", "tie_breaker", "second_tie_breaker")
        known = [*SCORERS, "Random"]
        return [
            f"{name} is {getattr(self, name)!r}; there are {', '.join(known)}"
            for name in named
            if getattr(self, name) not in known
        ]


class _Scored(Strategy):
    problem = "pps"

    def pod_for(
        self, warehouse: Warehouse, robot: Robot, station: Station
    ) -> int | None:
        pods = warehouse.stored_pods()
        found = warehouse.pod_offers(station, pods)
        if found is None:
            return None
        useful = np.flatnonzero(found[:, PICKS] > 0)
        if len(useful) == 0:
            return None
        if self.parameters.prefer_same_tier and warehouse.floor.tiers > 1:
            near = useful[warehouse.on_tier_of(station.cell, pods[useful])]
            useful = near if len(near) else useful
        of = Pods(warehouse, robot, station, pods[useful], found[useful])
        return int(of.pods[select(of, self.scorers(), self)])

    def scorers(self) -> tuple[str, ...]:
        given = self.parameters
        return (given.scorer, given.tie_breaker, given.second_tie_breaker)


@dataclass(frozen=True)
class DefaultParameters(Scored):
    """Scorer and tie breakers: Completeable, Picks, Work, Age, Lateness, Nearest,
    Demand, Fill or Random."""

    scorer: str = "Completeable"
    tie_breaker: str = "Work"
    second_tie_breaker: str = "Nearest"


class Default(_Scored):
    """The pod that completes most orders, then with most picks for the way to it."""

    name = "Default"
    Parameters = DefaultParameters


@dataclass(frozen=True)
class RandomParameters(Scored):
    """Any pod that has something for the station."""

    scorer: str = "Random"
    tie_breaker: str = "Random"
    second_tie_breaker: str = "Random"


class RandomPod(_Scored):
    """Any pod that has something for the station."""

    name = "Random"
    Parameters = RandomParameters


@dataclass(frozen=True)
class NearestParameters(Scored):
    """The nearest pod that has something for the station."""

    scorer: str = "Nearest"
    tie_breaker: str = "Picks"
    second_tie_breaker: str = "Random"


class NearestPod(_Scored):
    """The nearest pod that has something for the station."""

    name = "Nearest"
    Parameters = NearestParameters


@dataclass(frozen=True)
class PileOnParameters(Scored):
    """Most picks."""

    scorer: str = "Picks"
    tie_breaker: str = "Nearest"
    second_tie_breaker: str = "Random"


class PileOn(_Scored):
    """The pod with most picks for the station."""

    name = "PileOn"
    Parameters = PileOnParameters


@dataclass(frozen=True)
class AgeParameters(Scored):
    """Oldest orders."""

    scorer: str = "Age"
    tie_breaker: str = "Nearest"
    second_tie_breaker: str = "Random"


class Age(_Scored):
    """The pod whose picks have waited longest, added up."""

    name = "Age"
    Parameters = AgeParameters


@dataclass(frozen=True)
class LatenessParameters(Scored):
    """Latest orders."""

    scorer: str = "Lateness"
    tie_breaker: str = "Nearest"
    second_tie_breaker: str = "Random"


class Lateness(_Scored):
    """The pod whose picks are latest, added up."""

    name = "Lateness"
    Parameters = LatenessParameters


@dataclass(frozen=True)
class DemandParameters(Scored):
    """Most wanted by all orders that wait."""

    scorer: str = "Demand"
    tie_breaker: str = "Picks"
    second_tie_breaker: str = "Nearest"


class Demand(_Scored):
    """The pod that waiting orders want most of."""

    name = "Demand"
    Parameters = DemandParameters


STRATEGIES = (Default, RandomPod, NearestPod, PileOn, Age, Lateness, Demand)
