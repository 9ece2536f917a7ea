"""One round of dispatch: some tasks, some robots, and a table of finishing times.

The table is filled row by row with C-speed lookups, because a hundred robots and a
thousand tasks are a hundred thousand bids. A row is exact where the battery lasts for
everything; where it may not, the full bid of the robot is asked for.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import add, itemgetter

from fleet.dispatch.bids import Bid, Bidder, Bids
from fleet.roads.roadmap import Roadmap
from fleet.tasks.task import Kind, Task


@dataclass(frozen=True)
class Decision:
    """Who got a task, what everybody offered, and why."""

    task: str
    robot: str  # empty: nobody
    strategy: str
    bids: dict[str, float]  # robot to finish; without those that do not offer
    refusals: dict[str, str]
    reason: str
    bid: Bid | None = None

    def told(self) -> tuple[str, ...]:
        """Sentences for a supervisor."""
        others = sorted((at, name) for name, at in self.bids.items())
        lines = [self.reason]
        lines += [f"{name}: would finish at {at:.0f} s" for at, name in others]
        lines += [f"{name}: {why}" for name, why in sorted(self.refusals.items())]
        return tuple(lines)


@dataclass
class _Fleet:
    """Tasks as one type of robot sees them."""

    roadmap: Roadmap
    firsts: list[int] = field(default_factory=list)  # index of the first place
    rest_s: list[float] = field(default_factory=list)  # after it; inf: refused
    needs_s: list[float] = field(default_factory=list)  # driving, up to a charger
    most_s: float = 0.0  # the largest of them
    why_not: list[str] = field(default_factory=list)
    loose: list[int] = field(default_factory=list)  # retrievals: no fixed first place


class Round:
    """What a strategy decides about. Tasks and robots stay in their order."""

    def __init__(
        self, bids: Bids, bidders: Sequence[Bidder], tasks: Sequence[Task]
    ) -> None:
        self.bids = bids
        self.bidders = list(bidders)
        self.tasks = list(tasks)
        self._fleets: dict[str, _Fleet] = {}
        rests = bids.world.rests
        self._picky = [
            n
            for n, task in enumerate(self.tasks)
            if task.intended or task.tried or any(e.place in rests for e in task.legs)
        ]
        self._types: list[Bidder] | None = None
        self._ids = [bidder.id for bidder in self.bidders]

    def row(self, bidder: Bidder) -> list[float]:
        """When the robot would finish each task; inf where it does not offer."""
        fleet = self._fleet(bidder)
        times = fleet.roadmap.times_from(bidder.place)
        if len(fleet.firsts) > 1:
            firsts = itemgetter(*fleet.firsts)(times)
        else:
            firsts = tuple(times[n] for n in fleet.firsts)
        ready_at = bidder.ready_at
        row = [ready_at + s for s in map(add, firsts, fleet.rest_s)]
        range_s = self.bids.energy.range_s(bidder.type, bidder.percent)
        if range_s < max(firsts, default=0.0) + fleet.most_s:
            for index, first_s in enumerate(firsts):
                if first_s + fleet.needs_s[index] > range_s and row[index] < math.inf:
                    row[index] = self.bids.ask(bidder, self.tasks[index]).finish_at
        for index in fleet.loose:
            row[index] = self.bids.ask(bidder, self.tasks[index]).finish_at
        for index in self._picky:
            task = self.tasks[index]
            gave_back = bidder.id in task.tried and self._others_can(index)
            for_another = task.intended not in ("", bidder.id)
            kept_out = task.kept_out(self.bids.world, bidder.id)
            if gave_back or for_another or kept_out:
                row[index] = math.inf
        return row

    def _others_can(self, index: int) -> bool:
        """Is there a robot that can do the task and has not given it back yet?"""
        tried = self.tasks[index].tried
        return any(
            b.id not in tried and not self._fleet(b).why_not[index]
            for b in self.bidders
        )

    def _fleet(self, bidder: Bidder) -> _Fleet:
        known = self._fleets.get(bidder.type.id)
        if known is not None:
            return known
        fleet = _Fleet(self.bids.roadmaps[bidder.type.id])
        for index, task in enumerate(self.tasks):
            why = self.bids.why_not(bidder.type, task) or ""
            first, rest_s, needs_s = 0, math.inf, 0.0
            if not why and task.kind is Kind.RETRIEVE and not task.reserved:
                fleet.loose.append(index)
            elif not why:
                places, why = self.bids.places_of(bidder.type, bidder.place, task)
                if not why:
                    drive_s, acts_s = self.bids.rest_of(bidder.type, task, places)
                    first, rest_s = fleet.roadmap.index[places[0]], drive_s + acts_s
                    needs_s = drive_s + self.bids.energy.to_charger_s(
                        bidder.type.id, places[-1]
                    )
            fleet.firsts.append(first)
            fleet.rest_s.append(rest_s)
            fleet.needs_s.append(needs_s)
            fleet.most_s = max(fleet.most_s, needs_s)
            fleet.why_not.append(why)
        self._fleets[bidder.type.id] = fleet
        return fleet

    def table(self) -> list[list[float]]:
        return [
            self.row(b) if b.room > 0 else [math.inf] * len(self.tasks)
            for b in self.bidders
        ]

    def refusals(self, index: int) -> dict[str, str]:
        """Why robots do not offer for a task."""
        whys = {b.type.id: self._fleet(b).why_not[index] for b in self._one_each()}
        if not any(whys.values()):
            return {}
        return {b.id: why for b in self.bidders if (why := whys[b.type.id])}

    def _one_each(self) -> list[Bidder]:
        """One robot of each type."""
        if self._types is None:
            self._types = list({b.type.id: b for b in self.bidders}.values())
        return self._types

    def decide(
        self, index: int, bidder: Bidder, column: Sequence[float], strategy: str
    ) -> Decision | None:
        """Give a task to a robot, whose queue then ends where the task does.

        None: its full bid shows that it cannot after all, since another task of this
        round has taken the storage place.
        """
        task = self.tasks[index]
        bid = self.bids.ask(bidder, task)
        if bid.why_not:
            return None
        if bid.storage and not task.reserved:
            if not self.bids.storage.reserve(bid.storage):
                return None
            task.reserved = bid.storage
            self._fleets.clear()
        bidder.ready_at, bidder.place = bid.finish_at, bid.place
        bidder.percent = bid.percent
        bidder.room -= 1
        bidder.turn += 1
        offers = dict(zip(self._ids, column, strict=True))
        if math.inf in column:
            offers = {robot: at for robot, at in offers.items() if at < math.inf}
        offers[bidder.id] = bid.finish_at
        charging = f", after charging in {bid.zone}" if bid.zone else ""
        return Decision(
            task=task.id,
            robot=bidder.id,
            strategy=strategy,
            bids=offers,
            refusals=self.refusals(index),
            reason=f"{bidder.id}: finishes in {bid.drive_s:.0f} s of driving{charging}",
            bid=bid,
        )
