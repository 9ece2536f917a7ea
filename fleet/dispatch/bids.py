"""Bids: when would a robot have finished a task, its queue and battery included?

A bid starts where the robot's queue ends, with the battery it will have there. When
that does not last for the task and a way to a charger, the visit to a charger is part
of the bid. For storing and retrieving, the bid says which storage place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from fleet.charging.energy import Energy
from fleet.model.world import RobotType, World
from fleet.roads.roadmap import Roadmap
from fleet.storage.storage import Storage
from fleet.tasks.task import Action, Kind, Task


@dataclass
class Bidder:
    """A robot as the dispatch sees it: where and when its queue ends."""

    id: str
    type: RobotType
    place: str
    ready_at: float
    percent: float
    room: int = 1  # how many more tasks it takes
    turn: int = 0  # how many tasks it has had, for taking turns


@dataclass(frozen=True)
class Bid:
    """An offer. ``why_not`` set: the robot does not offer."""

    robot: str
    finish_at: float = math.inf
    storage: str = ""
    drive_s: float = 0.0
    first_s: float = 0.0  # until it is where the task begins
    percent: float = 0.0  # of the battery at the end
    place: str = ""  # where it will be
    zone: str = ""  # where it charges before
    why_not: str = ""


class Bids:
    """Answers of all robots of a plant."""

    def __init__(
        self,
        world: World,
        roadmaps: Mapping[str, Roadmap],
        storage: Storage,
        energy: Energy,
    ) -> None:
        self.world = world
        self.roadmaps = roadmaps
        self.storage = storage
        self.energy = energy
        self._ranked: dict[tuple[str, str], list[str]] = {}

    def why_not(self, robot: RobotType, task: Task) -> str | None:
        """What no waiting changes: load and reach of the type."""
        if task.package_type:
            package = self.world.packages[task.package_type]
            refusal = robot.carries(package)
            if refusal:
                return refusal
        unreached = self.roadmaps[robot.id].unreached
        for leg in task.legs:
            if leg.place in unreached:
                return f"does not reach {leg.place}: {unreached[leg.place]}"
        return None

    def ask(self, bidder: Bidder, task: Task) -> Bid:
        """The whole answer of one robot."""
        robot = bidder.type
        refusal = self.why_not(robot, task) or task.kept_out(self.world, bidder.id)
        if refusal:
            return Bid(bidder.id, why_not=refusal)
        places, why = self.places_of(robot, bidder.place, task)
        if why:
            return Bid(bidder.id, why_not=why)
        roadmap = self.roadmaps[robot.id]
        first_s = roadmap.time_s(bidder.place, places[0])
        rest_s, handling_s = self.rest_of(robot, task, places)
        drive_s = first_s + rest_s
        if drive_s == math.inf:
            return Bid(bidder.id, why_not=f"finds no way to {places[0]}")
        end = places[-1]
        percent, start_at, zone = bidder.percent, bidder.ready_at, ""
        if task.kind is not Kind.CHARGE and not self.energy.lasts(
            robot, percent, drive_s, end
        ):
            stop = self.energy.best_stop(
                bidder.id, robot, bidder.place, percent, places[0]
            )
            if stop is None:
                return Bid(bidder.id, why_not=f"battery at {percent:.0f} %")
            first_s = roadmap.time_s(stop.place, places[0])
            drive_s = first_s + rest_s
            if not self.energy.lasts(robot, stop.percent, drive_s, end):
                return Bid(bidder.id, why_not="a full battery does not last for it")
            percent, zone = stop.percent, stop.zone
            start_at += stop.takes_s
        used = drive_s * robot.discharging_pps + handling_s * robot.idle_discharging_pps
        return Bid(
            robot=bidder.id,
            finish_at=start_at + drive_s + handling_s,
            storage=self._chosen(task, places),
            drive_s=drive_s,
            first_s=start_at - bidder.ready_at + first_s,
            percent=max(0.0, percent - used),
            place=end,
            zone=zone,
        )

    @staticmethod
    def _chosen(task: Task, places: list[str]) -> str:
        for leg, place in zip(task.legs, places, strict=True):
            if not leg.place:
                return place
        return ""

    def rest_of(
        self, robot: RobotType, task: Task, places: list[str]
    ) -> tuple[float, float]:
        """Driving after the first place, and handling."""
        roadmap = self.roadmaps[robot.id]
        drive_s = 0.0
        for index in range(len(places) - 1):
            drive_s += roadmap.time_s(places[index], places[index + 1])
        acts = sum(1 for leg in task.legs if leg.action is not Action.NONE)
        return drive_s, acts * robot.load_s

    def places_of(
        self, robot: RobotType, start: str, task: Task
    ) -> tuple[list[str], str]:
        """The legs' places, storage chosen where it is open; or why there is none."""
        places = [leg.place for leg in task.legs]
        if "" not in places:
            return places, ""
        if task.reserved:
            return [place or task.reserved for place in places], ""
        if task.kind is Kind.RETRIEVE:
            found = self.best_stock(robot, start, task.package_type, places[-1])
            why = f"no {task.package_type} is free"
        else:
            found = self.best_free(robot, places[0])
            why = "no storage place is free"
        if found is None:
            return places, why
        return [place or found for place in places], ""

    def best_free(self, robot: RobotType, start: str) -> str | None:
        """The free storage place that is the quickest to reach."""
        key = (robot.id, start)
        ranked = self._ranked.get(key)
        if ranked is None:
            roadmap = self.roadmaps[robot.id]
            row = roadmap.times_from(start)
            places = [p for p in self.world.storage if p not in roadmap.unreached]
            ranked = sorted(places, key=lambda p: row[roadmap.index[p]])
            self._ranked[key] = ranked
        free = set(self.storage.free_storage())
        return next((place for place in ranked if place in free), None)

    def best_stock(
        self, robot: RobotType, start: str, package_type: str, end: str
    ) -> str | None:
        """Where to load a package of the type for the quickest way to the end."""
        roadmap = self.roadmaps[robot.id]
        row = roadmap.times_from(start)
        best, found = math.inf, None
        for place in self.storage.stock().get(package_type, ()):
            if place in roadmap.unreached:
                continue
            time_s = row[roadmap.index[place]] + roadmap.time_s(place, end)
            if time_s < best:
                best, found = time_s, place
        return found
