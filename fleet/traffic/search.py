"""The quickest way in space and time that touches nobody else's way.

States are nodes with the span of time in which it is safe to stand there (safe interval
path planning, Phillips and Likhachev 2011). A way ends where the robot can stay for
ever. When all robots rest at places and each place can be reached past the others,
there always is such a way: in the worst case the robot waits until all others have
arrived (Cap, Vokrinek and Kleiner 2015).
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_left
from collections.abc import Callable, Collection
from dataclasses import dataclass

from fleet.traffic.bodies import Floor, Piece
from fleet.traffic.tracks import Move, Tracks

BUCKET_M = 2.0
MOST_STATES = 30_000
Span = tuple[float, float]


@dataclass(frozen=True)
class Step:
    """A planned move, from the turn before it to its end."""

    move: Move
    start_at: float
    end_at: float


class Taken:
    """Room that others take, and when."""

    def __init__(self, floor: Floor, *, blocks: bool = True) -> None:
        """Without ``blocks`` zones do not keep robots apart."""
        self._floor = floor
        self._conflict = floor.conflict if blocks else floor.touch
        self._buckets: dict[tuple[int, int], list[tuple[Piece, float, float]]] = {}
        self._tokens: dict[str, list[tuple[Piece, float, float]]] = {}
        self._spans: dict[int, list[Span]] = {}

    def add(self, piece: Piece, start_at: float, end_at: float) -> None:
        if end_at <= start_at:
            return
        entry = (piece, start_at, end_at)
        for key in _buckets(piece, self._floor.widest_m):
            self._buckets.setdefault(key, []).append(entry)
        for group, _ in piece.tokens:
            self._tokens.setdefault(group, []).append(entry)

    def spans(self, piece: Piece) -> list[Span]:
        """When the room of a piece is taken, in order and without overlaps."""
        known = self._spans.get(piece.number)
        if known is not None:
            return known
        found = []
        seen = set()
        conflict = self._conflict
        entries = [e for k in _buckets(piece, 0.0) for e in self._buckets.get(k, ())]
        for group, _ in piece.tokens:
            entries += self._tokens.get(group, ())
        for entry in entries:
            if id(entry) in seen:
                continue
            seen.add(id(entry))
            if conflict(piece, entry[0]):
                found.append((entry[1], entry[2]))
        found.sort()
        merged: list[Span] = []
        for start_at, end_at in found:
            if merged and start_at <= merged[-1][1]:
                if end_at > merged[-1][1]:
                    merged[-1] = (merged[-1][0], end_at)
            else:
                merged.append((start_at, end_at))
        self._spans[piece.number] = merged
        return merged


def _buckets(piece: Piece, wider_m: float) -> list[tuple[int, int]]:
    x1, y1, x2, y2 = piece.line
    reach_m = piece.radius_m + wider_m
    left = math.floor((min(x1, x2) - reach_m) / BUCKET_M)
    right = math.floor((max(x1, x2) + reach_m) / BUCKET_M)
    low = math.floor((min(y1, y2) - reach_m) / BUCKET_M)
    high = math.floor((max(y1, y2) + reach_m) / BUCKET_M)
    return [(c, r) for c in range(left, right + 1) for r in range(low, high + 1)]


def _safe_until(spans: list[Span], at: float) -> tuple[int, float]:
    """Which gap between spans a time lies in, and when the gap ends.

    Where a span begins at that very time, the gap before it ends.
    """
    index = bisect_left(spans, (at, -math.inf))
    return index, spans[index][0] if index < len(spans) else math.inf


def find_way(
    tracks: Tracks,
    taken: Taken,
    *,
    start: int,
    came: Move | None,
    heading: float | None,
    at: float,
    goals: Collection[int],
    hints: Callable[[int], float],
    allowed: Callable[[Move], bool],
) -> list[Step] | None:
    """Steps to one of the goals; None: there is no way as things are."""
    here = tracks.standing(start, came)
    gap, until = _safe_until(taken.spans(here), at)
    best: dict[tuple[int, int], float] = {(here.number, gap): at}
    parents: list[tuple[int, Step | None]] = [(-1, None)]
    open_ = [(at + hints(start), 0, at, start, here, gap, until, heading)]
    tried = 0
    while open_:
        _, label, time_s, node, piece, gap, until, facing = heapq.heappop(open_)
        if time_s > best.get((piece.number, gap), math.inf):
            continue
        if until == math.inf and node in goals:
            return _steps(parents, label)
        tried += 1
        if tried > MOST_STATES:
            return None
        for move in tracks.out[node]:
            hint = hints(move.end)
            if hint == math.inf or not allowed(move):
                continue
            takes_s = tracks.duration_s(facing, move)
            spans = taken.spans(move.piece)
            there = tracks.standing(move.end, move)
            there_spans = taken.spans(there)
            index, _ = _safe_until(spans, time_s)
            if index and spans[index - 1][1] > time_s:
                start_at = spans[index - 1][1]
            else:
                start_at = time_s
            while start_at <= until:
                end_of_gap = spans[index][0] if index < len(spans) else math.inf
                end_at = start_at + takes_s
                if end_at <= end_of_gap:
                    new_gap, new_until = _safe_until(there_spans, end_at)
                    key = (there.number, new_gap)
                    if end_at < best.get(key, math.inf) - 1e-9:
                        best[key] = end_at
                        parents.append((label, Step(move, start_at, end_at)))
                        heapq.heappush(
                            open_,
                            (
                                end_at + hint,
                                len(parents) - 1,
                                end_at,
                                move.end,
                                there,
                                new_gap,
                                new_until,
                                move.heading,
                            ),
                        )
                if index >= len(spans):
                    break
                start_at = spans[index][1]
                index += 1
    return None


def _steps(parents: list[tuple[int, Step | None]], label: int) -> list[Step]:
    steps = []
    while label >= 0:
        label, step = parents[label]
        if step is not None:
            steps.append(step)
    return steps[::-1]
