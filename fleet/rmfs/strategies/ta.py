"""Task allocation: for which stations a robot works."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from fleet.rmfs.orders import Station
from fleet.rmfs.strategies.base import NEVER, Strategy, too_few
from fleet.rmfs.warehouse import Robot, Warehouse


def has_work(station: Station) -> bool:
    """Is there anything that a robot could bring a pod for?"""
    if station.picks:
        return not station.broken and station.wanted_units > 0
    return station.open and bool(station.bundles)


def busy_stations(warehouse: Warehouse) -> list[Station]:
    return [station for station in warehouse.stations if has_work(station)]


class RandomStation(Strategy):
    """Any station with work, each time anew."""

    problem, name = "ta", "Random"
    reallocate_every_s = NEVER

    def reallocate(self, warehouse: Warehouse) -> None:
        return None

    def stations_for(self, warehouse: Warehouse, robot: Robot) -> list[Station]:
        stations = busy_stations(warehouse)
        self.chance.shuffle(stations)
        return stations


@dataclass(frozen=True)
class BalancedParameters:
    """Shares of the robots, and how often they are dealt anew."""

    weight_input: float = 1.0
    weight_output: float = 2.0
    weight_repositioning: float = 0.0
    reallocation_s: float = 30.0
    robots_per_station: int = 9
    prefer_same_tier: bool = True
    """Robots work on the floor where they are, as long as they are needed there."""

    def mistakes(self) -> list[str]:
        return too_few(self, "robots_per_station")


class _Dealt(Strategy):
    """Robots belong to stations in proportion to weights."""

    problem = "ta"

    def __init__(self, parameters: Any, chance: random.Random) -> None:
        super().__init__(parameters, chance)
        self.reallocate_every_s = float(parameters.reallocation_s)

    def weight(self, station: Station) -> float:
        raise NotImplementedError

    def wanted(self, warehouse: Warehouse) -> dict[int, int]:
        """How many robots each station is to have."""
        stations = [s for s in warehouse.stations if self.counts(s)]
        robots = sum(not robot.broken for robot in warehouse.robots)
        most = self.parameters.robots_per_station
        wanted = {station.number: 0 for station in stations}
        weights = {station.number: self.weight(station) for station in stations}
        lacking = [(1 / weight, n) for n, weight in weights.items() if weight > 0]
        heapq.heapify(lacking)
        while robots and lacking:
            _, chosen = lacking[0]
            wanted[chosen] += 1
            robots -= 1
            if wanted[chosen] < most:
                due = ((wanted[chosen] + 1) / weights[chosen], chosen)
                heapq.heapreplace(lacking, due)
            else:
                heapq.heappop(lacking)
        return wanted

    def counts(self, station: Station) -> bool:
        return station.open and (has_work(station) or bool(station.inbound))

    def reallocate(self, warehouse: Warehouse) -> None:
        wanted = self.wanted(warehouse)
        have = dict.fromkeys(wanted, 0)
        spare = []
        for robot in warehouse.robots:
            if robot.broken:
                robot.serves = -1
            elif have.get(robot.serves, 0) < wanted.get(robot.serves, 0):
                have[robot.serves] += 1
            else:
                spare.append(robot)
        lacking = [n for n in wanted for _ in range(wanted[n] - have[n])]
        if self.parameters.prefer_same_tier and warehouse.floor.tiers > 1:
            spare = self._give_on_tier(warehouse, spare, lacking)
        for robot in spare:
            robot.serves = lacking.pop(0) if lacking else -1

    @staticmethod
    def _give_on_tier(
        warehouse: Warehouse, spare: list[Robot], lacking: list[int]
    ) -> list[Robot]:
        """Stations of their floor to robots; those are left that find none."""
        left = []
        for robot in spare:
            tier = warehouse.tier(robot.cell)
            near = (
                n for n in lacking if warehouse.tier(warehouse.stations[n].cell) == tier
            )
            robot.serves = next(near, -1)
            if robot.serves >= 0:
                lacking.remove(robot.serves)
            else:
                left.append(robot)
        return left

    def stations_for(self, warehouse: Warehouse, robot: Robot) -> Iterator[Station]:
        """Its own; if there is nothing to do, those that have fewest robots."""
        mine = warehouse.stations[robot.serves] if robot.serves >= 0 else None
        if mine is not None and has_work(mine):
            yield mine
        others = [each for each in busy_stations(warehouse) if each is not mine]
        stay = self.parameters.prefer_same_tier and warehouse.floor.tiers > 1
        tier = warehouse.tier(robot.cell) if stay else -1

        def cost(station: Station) -> tuple[bool, float, int]:
            away = tier >= 0 and warehouse.tier(station.cell) != tier
            weight = max(self.weight(station), 1e-9)
            return away, (station.robots + 1) / weight, station.number

        yield from sorted(others, key=cost)


class Balanced(_Dealt):
    """Robots are divided among the stations that have work, pick stations twice."""

    name = "Balanced"
    Parameters = BalancedParameters

    def weight(self, station: Station) -> float:
        given = self.parameters
        return float(given.weight_output if station.picks else given.weight_input)


@dataclass(frozen=True)
class ConstantRatioParameters:
    """A fixed share of the robots picks."""

    pick_share: float = 0.6667
    reallocation_s: float = 30.0
    robots_per_station: int = 1000
    prefer_same_tier: bool = True
    """Robots work on the floor where they are, as long as they are needed there."""

    def mistakes(self) -> list[str]:
        return too_few(self, "robots_per_station")


class ConstantRatio(_Dealt):
    """A fixed share of the robots works for pick stations, whatever there is to do."""

    name = "ConstantRatio"
    Parameters = ConstantRatioParameters

    def counts(self, station: Station) -> bool:
        return station.open

    def wanted(self, warehouse: Warehouse) -> dict[int, int]:
        self._picks = max(1, sum(s.open for s in warehouse.pick_stations))
        self._others = max(1, sum(s.open for s in warehouse.replenishment_stations))
        return super().wanted(warehouse)

    def weight(self, station: Station) -> float:
        share = float(self.parameters.pick_share)
        picks = getattr(self, "_picks", 1)
        others = getattr(self, "_others", 1)
        return share / picks if station.picks else (1.0 - share) / others

    def stations_for(self, warehouse: Warehouse, robot: Robot) -> Iterator[Station]:
        served = warehouse.stations[robot.serves] if robot.serves >= 0 else None
        for station in super().stations_for(warehouse, robot):
            if served is None or station.kind == served.kind:
                yield station


@dataclass(frozen=True)
class BruteForceParameters:
    """How a robot weighs what it could do."""

    weight_input: float = 1.0
    weight_output: float = 2.0


class BruteForce(Strategy):
    """The station that lacks robots most, weighed by the way of the robot to it."""

    problem, name = "ta", "BruteForce"
    Parameters = BruteForceParameters
    reallocate_every_s = NEVER

    def reallocate(self, warehouse: Warehouse) -> None:
        return None

    def stations_for(self, warehouse: Warehouse, robot: Robot) -> list[Station]:
        spots = warehouse.floor.spots
        given = self.parameters

        def cost(station: Station) -> tuple[float, int]:
            away = abs(spots[station.cell] - spots[robot.cell])
            way = float(away[1] + away[2] + 50 * away[0])
            weight = given.weight_output if station.picks else given.weight_input
            return ((station.robots + 1) * 30.0 + way) / weight, station.number

        return sorted(busy_stations(warehouse), key=cost)


STRATEGIES = (RandomStation, Balanced, BruteForce, ConstantRatio)
