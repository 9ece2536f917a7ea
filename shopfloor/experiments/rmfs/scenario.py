"""What happens in a warehouse: how long, what is in stock, who orders what and when."""

from __future__ import annotations

import bisect
import itertools
import random
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.stock import Catalogue

POPULARITIES = ("constant", "uniform", "normal", "gamma")
MODES = ("fill", "poisson", "file")


@dataclass(frozen=True)
class Popularity:
    """How unevenly SKUs are asked for."""

    kind: str = "gamma"
    mean: float = 1.0
    sd: float = 3.0
    shape: float = 1.0
    scale: float = 2.0
    least: float = 1.0
    most: float = 10.0

    def draw(self, chance: random.Random) -> float:
        if self.kind == "constant":
            return self.mean
        if self.kind == "uniform":
            return chance.uniform(self.least, self.most)
        while True:
            value = (
                chance.gauss(self.mean, self.sd)
                if self.kind == "normal"
                else chance.gammavariate(self.shape, self.scale)
            )
            if value >= self.least:
                return value


@dataclass(frozen=True)
class Counted:
    """A whole number from a normal distribution that is cut off at two bounds.

    What is drawn is cut, then rounded; so with the mean at the lower bound orders of
    several lines are common.
    """

    mean: float
    sd: float
    least: int
    most: int

    def draw(self, chance: random.Random) -> int:
        while True:
            value = chance.gauss(self.mean, self.sd)
            if self.least <= value <= self.most:
                return round(value)


@dataclass(frozen=True)
class FileOrder:
    """A pick order of a file."""

    at_s: float
    lines: tuple[tuple[int, int], ...]
    """SKU and units."""
    due_s: float | None = None


@dataclass(frozen=True)
class Outage:
    """A robot or a station that is switched off for a while."""

    at_s: float
    until_s: float
    robot: int = -1
    station: int = -1
    told_at: str = ""
    """The file and line that says so, for whoever finds no such robot."""


@dataclass(frozen=True)
class Scenario:
    """Defaults are those of the public reference (rows RC13 and RC14)."""

    name: str = "default"
    duration_s: float = 48 * 3600.0
    skus: int = 1000
    popularity: Popularity = Popularity()
    space_least: float = 2.0
    space_most: float = 8.0
    bundle_least: int = 4
    bundle_most: int = 12
    lines: Counted = Counted(1.0, 1.0, 1, 4)
    units: Counted = Counted(1.0, 0.3, 1, 3)
    return_share: float = 0.0
    """Of replenishment orders: single units that come back."""
    initial_inventory: float = 0.7
    mode: str = "fill"
    orders: int = 200
    bundles: int = 200
    bundle_stop: float = 0.85
    bundle_restart: float = 0.65
    order_stop: float = 0.10
    order_restart: float = 0.60
    priority_share: float = 0.2
    priority_due_s: float = 1800.0
    due_s: float = 7200.0
    orders_per_h: float = 160.0
    """Per pick station, where they arrive by chance."""
    bundles_per_h: float = 45.0
    high_orders_per_h: float = 210.0
    high_bundles_per_h: float = 75.0
    high_start_h: float = 10.0
    high_end_h: float = 14.0
    batch_every_s: float = 0.0
    batch_orders: int = 0
    batch_bundles: int = 0
    delays_per_robot_h: float = 0.0
    """How often a robot is held up where it drives, by chance."""
    delay_s: float = 10.0
    """How long, on average."""
    file_orders: tuple[FileOrder, ...] = ()
    outages: tuple[Outage, ...] = field(default=())

    def high(self, now: float) -> bool:
        return self.high_start_h <= now / 3600.0 % 24.0 < self.high_end_h


class Demand:
    """Draws SKUs and orders. The same seed asks for the same, whoever serves it."""

    def __init__(self, scenario: Scenario, seed: int) -> None:
        self._scenario = scenario
        chance = random.Random(f"catalogue-{seed}")  # noqa: S311 (a simulation)
        count = scenario.skus
        weight = [scenario.popularity.draw(chance) for _ in range(count)]
        low, high = scenario.space_least, scenario.space_most
        least, most = scenario.bundle_least, scenario.bundle_most
        self.catalogue = Catalogue(
            weight=np.array(weight),
            space=np.array([chance.uniform(low, high) for _ in range(count)]),
            bundle_units=np.array(
                [chance.randint(least, most) for _ in range(count)], np.int32
            ),
        )
        self._cumulated = list(itertools.accumulate(weight))
        self._orders = random.Random(f"orders-{seed}")  # noqa: S311
        self._bundles = random.Random(f"bundles-{seed}")  # noqa: S311

    def _sku(self, chance: random.Random) -> int:
        point = chance.random() * self._cumulated[-1]
        return min(bisect.bisect(self._cumulated, point), len(self._cumulated) - 1)

    def order(self, unasked: NDArray[np.int64]) -> list[tuple[int, int]] | None:
        """Lines of SKUs that are in stock; None: there is nothing to ask for."""
        chance, scenario = self._orders, self._scenario
        lines: dict[int, int] = {}
        for _ in range(scenario.lines.draw(chance)):
            units = scenario.units.draw(chance)
            for _ in range(200):
                sku = self._sku(chance)
                if sku not in lines and unasked[sku] >= units:
                    lines[sku] = units
                    break
        return list(lines.items()) or None

    def urgent(self) -> bool:
        return self._orders.random() < self._scenario.priority_share

    def bundle(self) -> tuple[int, int]:
        """SKU and units of a replenishment order."""
        chance = self._bundles
        sku = self._sku(chance)
        share = self._scenario.return_share
        if share > 0.0 and chance.random() < share:
            return sku, 1
        return sku, int(self.catalogue.bundle_units[sku])

    def pause_s(self, chance_of: str, rate_per_h: float) -> float:
        """To the next arrival of a Poisson process."""
        chance = self._orders if chance_of == "orders" else self._bundles
        return chance.expovariate(rate_per_h / 3600.0)

    def kept(self, chance_of: str, share: float) -> bool:
        """Thinning: is an arrival at the highest rate one at the present rate?"""
        chance = self._orders if chance_of == "orders" else self._bundles
        return chance.random() < share
