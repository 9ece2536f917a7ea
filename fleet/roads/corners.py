"""Roads for robots that drive freely: straight lines between corners.

Nodes are the places, the corners of walls and points around each place, so that one
can drive past a robot that stands there. Lines keep away from places that they do not
lead to: a robot may stand there for long. From each node a line goes to the nearest
node in sight in every direction; a farther one in nearly the same direction is left
out, since the way leads past the nearer one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

from fleet.model.world import Point, Wall
from fleet.roads.geometry import Walls

SECTORS = 120
PER_RADIAN = SECTORS / math.tau
HALF = 6  # sectors on each side that a neighbour covers
TRIES = 2  # lines that hit a wall before a sector is given up
WIDE = 10  # sectors
REACHES_M = (6.0, 20.0)
AROUND = 8


def corners_of(walls: Iterable[Wall], away_m: float) -> list[Point]:
    """Points beside the outer corners of walls, this far from each wall."""
    ends: dict[Point, list[Point]] = {}
    for x1, y1, x2, y2 in walls:
        length_m = math.hypot(x2 - x1, y2 - y1)
        if length_m == 0.0:
            continue
        ux, uy = (x2 - x1) / length_m, (y2 - y1) / length_m
        ends.setdefault((round(x1, 3), round(y1, 3)), []).append((ux, uy))
        ends.setdefault((round(x2, 3), round(y2, 3)), []).append((-ux, -uy))
    found: list[Point] = []
    for (x, y), directions in ends.items():
        if len(directions) == 1:
            ux, uy = directions[0]
            found.append((x + away_m * (-ux - uy), y + away_m * (-uy + ux)))
            found.append((x + away_m * (-ux + uy), y + away_m * (-uy - ux)))
            continue
        sx = sum(u[0] for u in directions)
        sy = sum(u[1] for u in directions)
        length = math.hypot(sx, sy)
        if length < 1e-6:
            continue  # a straight wall in pieces
        bx, by = -sx / length, -sy / length
        half = min(1.0, max(-u[0] * bx - u[1] * by for u in directions))
        sine = max(0.5, math.sqrt(max(0.0, 1.0 - half * half)))
        found.append((x + bx * away_m / sine, y + by * away_m / sine))
    return found


def points_around(spots: Iterable[Point], away_m: float) -> list[Point]:
    """Where a robot passes another one that stands at a spot."""
    found = []
    for x, y in spots:
        for step in range(AROUND):
            angle = math.tau * step / AROUND
            stretch = 1.0 if step % 2 == 0 else math.sqrt(2.0)
            found.append(
                (
                    x + away_m * stretch * math.cos(angle),
                    y + away_m * stretch * math.sin(angle),
                )
            )
    return found


def corner_graph(
    spots: list[Point],
    extra: list[Point],
    walls: Walls,
    merge_m: float,
    passing_m: float = 0.0,
) -> tuple[list[Point], set[tuple[int, int]]]:
    """Nodes (the spots first) and pairs of nodes in sight of each other."""
    nodes = list(spots)
    standing = Walls([(x, y, x, y) for x, y in spots], passing_m)
    lookup = _Lookup(max(0.5, merge_m))
    for x, y in extra:
        free = walls.clear_at(x, y) and standing.clear_at(x, y)
        if free and not lookup.near(x, y, merge_m, nodes):
            nodes.append((x, y))
            lookup.add(len(nodes) - 1, x, y)
    wide = _Lookup(REACHES_M[0])
    for number, (x, y) in enumerate(nodes):
        wide.add(number, x, y)
    sight = _Sight(nodes, len(spots), wide, walls, standing)
    for number in range(len(nodes)):
        sight.look_around(number)
    sight.join(past_spots=True)
    sight.join(past_spots=False)
    return nodes, sight.pairs


class _Sight:
    """Who sees whom; both directions of a pair are looked at once."""

    def __init__(
        self,
        nodes: list[Point],
        spots: int,
        lookup: _Lookup,
        walls: Walls,
        standing: Walls,
    ) -> None:
        self._nodes = nodes
        self._spots = spots
        self._lookup = lookup
        self._walls = walls
        self._standing = standing
        self._known: dict[tuple[int, int], bool] = {}
        self._apart: set[int] = set()
        self.pairs: set[tuple[int, int]] = set()

    def look_around(self, number: int) -> None:
        """Keep the nearest in each direction, and look farther where there is none."""
        x, y = self._nodes[number]
        covered = bytearray(SECTORS)
        tries = [TRIES] * SECTORS
        done = {number}
        for reach_m in REACHES_M:
            near = []
            for other in self._lookup.within(x, y, reach_m, self._nodes):
                if other not in done:
                    done.add(other)
                    ox, oy = self._nodes[other]
                    near.append(((ox - x) ** 2 + (oy - y) ** 2, other))
            near.sort()
            for _, other in near:
                ox, oy = self._nodes[other]
                sector = int((math.atan2(oy - y, ox - x) + math.pi) * PER_RADIAN)
                sector %= SECTORS
                if covered[sector] or not tries[sector]:
                    continue
                pair = (number, other) if number < other else (other, number)
                if self._clear(pair):
                    for each in range(sector - HALF, sector + HALF + 1):
                        covered[each % SECTORS] = 1
                    self.pairs.add(pair)
                else:
                    tries[sector] -= 1
            if not self._opens(x, y, covered):
                break

    def _opens(self, x: float, y: float, covered: bytearray) -> bool:
        """Is there a wide direction without a neighbour and without a wall?"""
        reach_m = REACHES_M[0]
        for middle in range(WIDE // 2, SECTORS, WIDE):
            if any(covered[middle - WIDE // 2 : middle + WIDE // 2]):
                continue
            angle = middle / PER_RADIAN - math.pi
            end = (x + reach_m * math.cos(angle), y + reach_m * math.sin(angle))
            if self._walls.clear(x, y, *end):
                return True
        return False

    def join(self, *, past_spots: bool) -> None:
        """Parts without a way between them, where a longer line would do.

        ``past_spots``: also where the only way leads through a spot.
        """
        first = self._spots if past_spots else 0
        self._apart.clear()
        while len(parts := self._parts(first)) > 1:
            small, rest = parts[0], [n for part in parts[1:] for n in part]
            for a in small:
                ax, ay = self._nodes[a]
                rest.sort(key=lambda n: math.dist(self._nodes[n], (ax, ay)))
                b = next((b for b in rest if self._clear((min(a, b), max(a, b)))), None)
                if b is not None:
                    self.pairs.add((min(a, b), max(a, b)))
                    break
            else:
                self._apart.update(small)

    def _parts(self, first: int) -> list[list[int]]:
        """Connected nodes, the smallest part first; without those that stay apart."""
        links: dict[int, list[int]] = {}
        for a, b in self.pairs:
            if a < first:
                continue
            links.setdefault(a, []).append(b)
            links.setdefault(b, []).append(a)
        seen = set(self._apart)
        parts = []
        for start in range(first, len(self._nodes)):
            if start in seen:
                continue
            part, todo = [], [start]
            seen.add(start)
            while todo:
                node = todo.pop()
                part.append(node)
                for other in links.get(node, ()):
                    if other not in seen:
                        seen.add(other)
                        todo.append(other)
            parts.append(part)
        return sorted(parts, key=len)

    def _clear(self, pair: tuple[int, int]) -> bool:
        known = self._known.get(pair)
        if known is None:
            line = (*self._nodes[pair[0]], *self._nodes[pair[1]])
            known = self._walls.clear(*line)
            known = known and self._standing.clear(*line, but_ends=True)
            self._known[pair] = known
        return known


class _Lookup:
    """Points in buckets."""

    def __init__(self, size_m: float) -> None:
        self._size_m = size_m
        self._buckets: dict[tuple[int, int], list[int]] = {}

    def add(self, number: int, x: float, y: float) -> None:
        self._buckets.setdefault(self._key(x, y), []).append(number)

    def _key(self, x: float, y: float) -> tuple[int, int]:
        return math.floor(x / self._size_m), math.floor(y / self._size_m)

    def within(
        self, x: float, y: float, reach_m: float, nodes: list[Point]
    ) -> list[int]:
        column, row = self._key(x, y)
        span = math.ceil(reach_m / self._size_m)
        return [
            number
            for c in range(column - span, column + span + 1)
            for r in range(row - span, row + span + 1)
            for number in self._buckets.get((c, r), ())
            if abs(nodes[number][0] - x) <= reach_m
            and abs(nodes[number][1] - y) <= reach_m
        ]

    def near(self, x: float, y: float, reach_m: float, nodes: list[Point]) -> bool:
        return any(
            math.hypot(nodes[n][0] - x, nodes[n][1] - y) < reach_m
            for n in self.within(x, y, reach_m, nodes)
        )
