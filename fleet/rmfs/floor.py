"""The floor of a warehouse: cells, the ways between them, and what they are for.

Lanes are one-way or not, as the arrows say. Storage places are left and right of
lanes; a robot with a pod enters none but the one it drives to, a robot without one
may pass below pods. A queuing zone is a chain of cells that ends at its station, with
short cuts that are used while the cells they leave out are empty.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fleet.rmfs.errors import LayoutRefused

Spot = tuple[int, int, int]
"""Tier, column, row; rows grow to the north."""
STEPS = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""East, north, west, south: the four headings."""
NOWHERE = -1
LANE, STORAGE = 0, 1
LONGEST_TUNNEL = 8


@dataclass
class Zone:
    """A station and the cells before it, the farthest first; the last is its own."""

    kind: str
    """``pick`` or ``replenishment``."""
    cells: list[Spot]
    shortcuts: list[tuple[Spot, Spot]] = field(default_factory=list)
    item_s: float | None = None
    capacity: int | None = None


@dataclass
class Lift:
    """An elevator: for each tier where robots enter and where they leave it."""

    enters: list[Spot]
    leaves: list[Spot]
    tier_s: float = 10.0


@dataclass
class Sketch:
    """What a floor is made from."""

    cell_m: float = 1.0
    lanes: set[Spot] = field(default_factory=set)
    places: set[Spot] = field(default_factory=set)
    ways: set[tuple[Spot, Spot]] = field(default_factory=set)
    zones: list[Zone] = field(default_factory=list)
    lifts: list[Lift] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Floor:
    """Cells by number. Build with :func:`build`."""

    cell_m: float
    spots: NDArray[np.int32]
    """Tier, column and row of each cell."""
    kind: NDArray[np.int8]
    out: NDArray[np.int32]
    """``out[cell, heading]``, NOWHERE without a way."""
    into: NDArray[np.int32]
    """Cells with a way into this one, NOWHERE after the last."""
    lift: NDArray[np.int32]
    """``lift[cell, tier]``: where the elevator that one enters here leads to."""
    lift_of: NDArray[np.int32]
    lift_s: NDArray[np.float64]
    """Seconds for one tier, by elevator."""
    zone: NDArray[np.int32]
    """The station whose queuing zone a cell belongs to."""
    behind: NDArray[np.int32]
    """Cells of the zone that come before a cell's station; 0 is the station."""
    following: NDArray[np.int32]
    shortcut: NDArray[np.int32]
    chain: NDArray[np.int32]
    """``chain[station, behind]``."""
    tunnel: NDArray[np.int32]
    """``tunnel[cell, heading]``: the lane behind the storage places ahead."""
    tunnel_length: NDArray[np.int32]
    stations: tuple[Zone, ...]
    number: dict[Spot, int]

    @property
    def count(self) -> int:
        return len(self.kind)

    @property
    def tiers(self) -> int:
        return int(self.lift.shape[1])

    @property
    def places(self) -> NDArray[np.int32]:
        return np.flatnonzero(self.kind == STORAGE).astype(np.int32)

    def heading(self, start: int, end: int) -> int:
        """In which direction the next cell is."""
        return next(h for h in range(4) if self.out[start, h] == end)


def build(sketch: Sketch) -> Floor:
    """LayoutRefused, with every reason, where robots could not drive on it."""
    _check_names(sketch)
    queued = {spot for zone in sketch.zones for spot in zone.cells}
    lifted = {spot for lift in sketch.lifts for spot in (*lift.enters, *lift.leaves)}
    lanes = sketch.lanes | queued | lifted
    order = sorted(lanes | sketch.places)
    number = {spot: n for n, spot in enumerate(order)}
    count = len(order)
    kind = np.array([STORAGE if s in sketch.places else LANE for s in order], np.int8)
    out = np.full((count, 4), NOWHERE, np.int32)
    for start, end in _all_ways(sketch, lanes - queued - lifted):
        out[number[start], _heading(start, end)] = number[end]
    tiers = 1 + max(tier for tier, _, _ in order)
    lift = np.full((count, tiers), NOWHERE, np.int32)
    lift_of = np.full(count, NOWHERE, np.int32)
    for n, each in enumerate(sketch.lifts):
        for enter in each.enters:
            lift_of[number[enter]] = n
            for leave in each.leaves:
                if leave[0] != enter[0]:
                    lift[number[enter], leave[0]] = number[leave]
        for leave in each.leaves:
            lift_of[number[leave]] = n
    floor = Floor(
        cell_m=sketch.cell_m,
        spots=np.array(order, np.int32),
        kind=kind,
        out=out,
        into=_into(out, lift),
        lift=lift,
        lift_of=lift_of,
        lift_s=np.array([each.tier_s for each in sketch.lifts] or [0.0]),
        **_zones(sketch, number, count),
        **_tunnels(out, kind),
        stations=tuple(sketch.zones),
        number=number,
    )
    _check_ways(floor)
    return floor


def _all_ways(sketch: Sketch, open_lanes: set[Spot]) -> Iterable[tuple[Spot, Spot]]:
    yield from sketch.ways
    for zone in sketch.zones:
        yield from pairwise(zone.cells)
        yield from zone.shortcuts
    for tier, x, y in sketch.places:
        for dx, dy in STEPS:
            beside = (tier, x + dx, y + dy)
            if beside in open_lanes:
                yield (tier, x, y), beside
                yield beside, (tier, x, y)
            elif beside in sketch.places:
                yield (tier, x, y), beside


def _heading(start: Spot, end: Spot) -> int:
    step = (end[1] - start[1], end[2] - start[2])
    if start[0] != end[0] or step not in STEPS:
        raise LayoutRefused(f"the way from {start} to {end} is not one cell long")
    return STEPS.index(step)


def _into(out: NDArray[np.int32], lift: NDArray[np.int32]) -> NDArray[np.int32]:
    found: list[list[int]] = [[] for _ in range(len(out))]
    for table in (out, lift):
        for start, end in zip(*np.nonzero(table >= 0), strict=True):
            found[table[start, end]].append(int(start))
    widest = max(map(len, found)) + 1
    into = np.full((len(out), widest), NOWHERE, np.int32)
    for cell, starts in enumerate(found):
        into[cell, : len(starts)] = starts
    return into


def _zones(
    sketch: Sketch, number: dict[Spot, int], count: int
) -> dict[str, NDArray[np.int32]]:
    facts = {
        name: np.full(count, NOWHERE, np.int32)
        for name in ("zone", "behind", "following", "shortcut")
    }
    longest = max((len(zone.cells) for zone in sketch.zones), default=1)
    chain = np.full((len(sketch.zones), longest), NOWHERE, np.int32)
    for n, zone in enumerate(sketch.zones):
        cells = [number[spot] for spot in zone.cells]
        if len(cells) == 1:  # nobody queues: a lane like others
            chain[n, 0] = cells[0]
            continue
        for behind, cell in enumerate(reversed(cells)):
            facts["zone"][cell] = n
            facts["behind"][cell] = behind
            chain[n, behind] = cell
        for cell, after in pairwise(cells):
            facts["following"][cell] = after
        for start, end in zone.shortcuts:
            facts["shortcut"][number[start]] = number[end]
    return {**facts, "chain": chain}


def _tunnels(
    out: NDArray[np.int32], kind: NDArray[np.int8]
) -> dict[str, NDArray[np.int32]]:
    exits = np.full(out.shape, NOWHERE, np.int32)
    lengths = np.zeros(out.shape, np.int32)
    for start in range(len(out)):
        for heading in range(4):
            cell, length = out[start, heading], 1
            if cell < 0 or kind[cell] != STORAGE:
                continue
            while cell >= 0 and kind[cell] == STORAGE and length <= LONGEST_TUNNEL:
                cell = out[cell, heading]
                length += 1
            if cell >= 0 and kind[cell] == LANE:
                exits[start, heading], lengths[start, heading] = cell, length
    return {"tunnel": exits, "tunnel_length": lengths}


def _check_names(sketch: Sketch) -> None:
    wrong = []
    if not any(zone.kind == "pick" for zone in sketch.zones):
        wrong.append("the layout has no pick station")
    if not any(zone.kind == "replenishment" for zone in sketch.zones):
        wrong.append("the layout has no replenishment station")
    if not sketch.places:
        wrong.append("the layout has no storage places")
    both = sorted(sketch.places & sketch.lanes)
    wrong += [f"{spot} is both a lane and a storage place" for spot in both]
    if wrong:
        raise LayoutRefused(*wrong)


def _check_ways(floor: Floor) -> None:
    """From every cell every other can be reached, with a pod."""
    lanes = np.flatnonzero(floor.kind == LANE)
    wrong = []
    if len(lanes) == 0:
        raise LayoutRefused("the layout has no lanes")
    forth, back = _reached(floor, int(lanes[0]))
    for cell in lanes:
        tier, x, y = floor.spots[cell].tolist()
        if not forth[cell]:
            wrong.append(f"no way leads to tier {tier}, x {x}, y {y}")
        elif not back[cell]:
            wrong.append(f"no way leads on from tier {tier}, x {x}, y {y}")
    for place in floor.places:
        beside = [c for c in floor.out[place] if c >= 0 and floor.kind[c] == LANE]
        if not beside:
            tier, x, y = floor.spots[place].tolist()
            wrong.append(f"no lane is beside the place at tier {tier}, x {x}, y {y}")
    if wrong:
        raise LayoutRefused(*wrong[:20])


def _reached(floor: Floor, start: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    lane = floor.kind == LANE
    onward: list[list[int]] = [[] for _ in range(floor.count)]
    backward: list[list[int]] = [[] for _ in range(floor.count)]
    for table in (floor.out, floor.lift):
        for cell, way in zip(*np.nonzero(table >= 0), strict=True):
            end = int(table[cell, way])
            if lane[cell] and lane[end]:
                onward[cell].append(end)
                backward[end].append(int(cell))
    found = []
    for ways in (onward, backward):
        seen = np.zeros(floor.count, np.bool_)
        seen[start] = True
        waiting = [start]
        while waiting:
            for end in ways[waiting.pop()]:
                if not seen[end]:
                    seen[end] = True
                    waiting.append(end)
        found.append(seen)
    return found[0], found[1]
