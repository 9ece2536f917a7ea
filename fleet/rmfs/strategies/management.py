"""Paths, station activation and method management: what frames the other decisions."""

from __future__ import annotations

from dataclasses import dataclass

from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.strategies.base import PROBLEMS, Strategy, too_few
from fleet.rmfs.warehouse import Warehouse


@dataclass(frozen=True)
class FarParameters:
    """How robots find their way along one-way lanes."""

    retry_s: float = 5.0
    """Who waits so long looks for another way."""
    tunnel_gain: int = 2
    """To save so many cells a robot without pod passes below others."""
    detour: int = 16
    """Where the best lane stays taken, a free one may be so many cells farther."""


class Far(Strategy):
    """One-way lanes; who waits longest drives first; waiting rings are cut."""

    problem, name = "pp", "FAR"
    Parameters = FarParameters
    rule = "far"


@dataclass(frozen=True)
class PibtParameters:
    """How robots give way by rank."""

    retry_s: float = 3.0
    """Who waits so long looks for another way."""
    tunnel_gain: int = 2
    """To save so many cells a robot without pod passes below others."""
    detour: int = 16
    """Where the best lane stays taken, a free one may be so many cells farther."""


class Pibt(Strategy):
    """Who is under way longest drives first, and robots in its way inherit that.

    Priority inheritance as in PIBT, in continuous time; a blocked robot goes around.
    """

    problem, name = "pp", "PIBT"
    Parameters = PibtParameters
    rule = "pibt"


@dataclass(frozen=True)
class WindowParameters:
    """How far ahead paths are planned, and how often."""

    window_s: float = 20.0
    every_s: float = 5.0
    """After so long the rest of the window is planned anew."""
    step_s: float = 1.0
    """A robot enters a cell, or waits, in each of these."""
    retry_s: float = 5.0
    """Who waits so long looks for another way."""
    tunnel_gain: int = 2
    """To save so many cells a robot without pod passes below others."""
    detour: int = 16
    """Where the planned lane stays taken, a free one may be so many cells farther."""


class Whca(Strategy):
    """WHCA*: paths in space and time for a window, one robot after the other.

    Robots then drive in continuous time and enter cells in the order of the plan.
    """

    problem, name = "pp", "WHCA"
    Parameters = WindowParameters
    rule = "whca"


@dataclass(frozen=True)
class LacamParameters(WindowParameters):
    """As for WHCA, and how long the search may be."""

    expansions: int = 60
    """Configurations of all robots that are looked at for a window."""

    def mistakes(self) -> list[str]:
        return too_few(self, "expansions")


class Lacam(Strategy):
    """LaCAM: configurations of all robots at once, searched for a window.

    Robots then drive in continuous time and enter cells in the order of the plan.
    """

    problem, name = "pp", "LaCAM"
    Parameters = LacamParameters
    rule = "lacam"


@dataclass(frozen=True)
class SimpleParameters:
    """Nothing but the shortest way."""

    retry_s: float = 5.0
    tunnel_gain: int = 1000
    """1000: robots do not pass below pods."""


class Simple(Strategy):
    """The shortest way along the lanes, whoever is there."""

    problem, name = "pp", "Simple"
    Parameters = SimpleParameters
    rule = "simple"


class ActivateAll(Strategy):
    """Every station works all the time."""

    problem, name = "sa", "ActivateAll"

    def active(self, warehouse: Warehouse) -> set[int]:
        return {station.number for station in warehouse.stations}


@dataclass(frozen=True)
class WorkShiftParameters:
    """Hours of the day in which the pick stations work."""

    start_h: float = 6.0
    end_h: float = 22.0
    check_every_s: float = 60.0
    jumper_stations: int = 0
    """So many pick stations work all day."""


class WorkShift(Strategy):
    """Pick stations work in a shift."""

    problem, name = "sa", "WorkShift"
    Parameters = WorkShiftParameters

    def active(self, warehouse: Warehouse) -> set[int]:
        given = self.parameters
        self.next_at = warehouse.now + given.check_every_s
        hour = warehouse.now / 3600.0 % 24.0
        at_work = given.start_h <= hour < given.end_h
        found = {station.number for station in warehouse.replenishment_stations}
        for n, station in enumerate(warehouse.pick_stations):
            if at_work or n < given.jumper_stations:
                found.add(station.number)
        return found


@dataclass(frozen=True)
class BacklogThresholdParameters:
    """From how many waiting orders on a station is switched on."""

    orders_per_station: int = 20
    check_every_s: float = 60.0


class BacklogThreshold(Strategy):
    """As many pick stations as the waiting orders need, at least one."""

    problem, name = "sa", "BacklogThreshold"
    Parameters = BacklogThresholdParameters

    def active(self, warehouse: Warehouse) -> set[int]:
        given = self.parameters
        self.next_at = warehouse.now + given.check_every_s
        needed = 1 + len(warehouse.backlog) // max(1, given.orders_per_station)
        found = {station.number for station in warehouse.replenishment_stations}
        found |= {station.number for station in warehouse.pick_stations[:needed]}
        return found


@dataclass(frozen=True)
class ConstantRatioParameters:
    """Which share of the stations works."""

    pick_share: float = 1.0
    replenishment_share: float = 1.0


class ConstantRatio(Strategy):
    """A fixed share of the stations works, at least one of each kind."""

    problem, name = "sa", "ConstantRatio"
    Parameters = ConstantRatioParameters

    def active(self, warehouse: Warehouse) -> set[int]:
        given = self.parameters
        found: set[int] = set()
        for stations, share in (
            (warehouse.pick_stations, given.pick_share),
            (warehouse.replenishment_stations, given.replenishment_share),
        ):
            count = max(1, round(len(stations) * share))
            found |= {station.number for station in stations[:count]}
        return found


class NoChange(Strategy):
    """The strategies stay as they are."""

    problem, name = "mm", "NoChange"

    def changes(self, duration_s: float) -> list[tuple[float, str, str]]:
        return []


@dataclass(frozen=True)
class ScheduledParameters:
    """What is exchanged when."""

    schedule: str = ""
    """As in ``0.5:psa=Nearest 0.75:poa=FCFS``: after which share of the run which
    problem is decided by which strategy."""


class Scheduled(Strategy):
    """Strategies are exchanged after given shares of the run."""

    problem, name = "mm", "Scheduled"
    Parameters = ScheduledParameters

    def changes(self, duration_s: float) -> list[tuple[float, str, str]]:
        found = []
        for part in self.parameters.schedule.split():
            share, _, setting = part.partition(":")
            problem, _, name = setting.partition("=")
            try:
                moment = float(share)
            except ValueError:
                moment = -1.0
            if not 0.0 <= moment <= 1.0 or not problem or not name:
                raise RmfsRefused(
                    f"mm: {part!r} is not like 0.5:psa=Nearest (share of the run, "
                    "problem, strategy)"
                )
            found.append((moment * duration_s, problem, name))
        return sorted(found)


@dataclass(frozen=True)
class RandomChangeParameters:
    """Which problem is decided anew by chance."""

    problem: str = "psa"
    every_h: float = 1.0

    def mistakes(self) -> list[str]:
        wrong = []
        if self.problem not in PROBLEMS:
            listed = ", ".join(PROBLEMS)
            wrong.append(f"problem is {self.problem!r}; there are {listed}")
        if not self.every_h > 0.0:
            wrong.append(f"every_h is more than 0, not {self.every_h:g}")
        return wrong


class RandomChange(Strategy):
    """Strategies of one problem take turns by chance."""

    problem, name = "mm", "Random"
    Parameters = RandomChangeParameters

    def changes(self, duration_s: float) -> list[tuple[float, str, str]]:
        step = self.parameters.every_h * 3600.0
        count = int(duration_s / step)
        return [
            ((n + 1) * step, self.parameters.problem, "?")
            for n in range(count)
            if (n + 1) * step < duration_s
        ]


STRATEGIES = (
    Far,
    Pibt,
    Whca,
    Lacam,
    Simple,
    ActivateAll,
    WorkShift,
    BacklogThreshold,
    ConstantRatio,
    NoChange,
    Scheduled,
    RandomChange,
)
