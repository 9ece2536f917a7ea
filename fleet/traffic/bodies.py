"""Room on the floor: what a robot covers while it drives a short line or stands.

Two such pieces conflict when robots in them could touch, or when a zone lets only one
of them in. Each pair is looked at once and remembered.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from fleet.model.world import Block, Wall, World, Zone
from fleet.roads.geometry import between, touches

Token = tuple[str, int]  # group, and direction: 0 for one robot at a time


@dataclass(frozen=True)
class Piece:
    """A line that a disc of the radius covers, and the zones it holds."""

    number: int
    line: Wall
    radius_m: float
    tokens: tuple[Token, ...] = ()
    box: Wall = (0.0, 0.0, 0.0, 0.0)  # left, low, right, high


class Floor:
    """All pieces of a plant, for robots of every type."""

    def __init__(self, world: World) -> None:
        self._blocks = [
            zone
            for zone in world.zones.values()
            if zone.block in (Block.SINGLE, Block.SAME_DIRECTION)
        ]
        self.pieces: list[Piece] = []
        self._numbers: dict[tuple[Wall, float, tuple[Token, ...]], int] = {}
        self._conflicts: dict[int, bool] = {}
        self.widest_m = 0.0

    def piece(
        self, line: Wall, radius_m: float, tokens: tuple[Token, ...] = ()
    ) -> Piece:
        key = (line, radius_m, tokens)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.pieces)
            x1, y1, x2, y2 = line
            box = (
                min(x1, x2) - radius_m,
                min(y1, y2) - radius_m,
                max(x1, x2) + radius_m,
                max(y1, y2) + radius_m,
            )
            self.pieces.append(Piece(number, line, radius_m, tokens, box))
            self.widest_m = max(self.widest_m, radius_m)
        return self.pieces[number]

    def moving(self, line: Wall, radius_m: float) -> Piece:
        tokens = tuple(
            _token(zone, line)
            for zone in self._blocks
            if touches(line, zone.corners, radius_m)
        )
        return self.piece(line, radius_m, tokens)

    def standing(
        self, x_m: float, y_m: float, radius_m: float, tokens: tuple[Token, ...] = ()
    ) -> Piece:
        """At a point; ``tokens`` of the drive that led there."""
        line = (x_m, y_m, x_m, y_m)
        held = []
        for zone in self._blocks:
            if touches(line, zone.corners, radius_m):
                name = zone.group or zone.id
                came = [t for t in tokens if t[0] == name]
                if zone.block is Block.SINGLE:
                    held.append((name, 0))
                elif came:
                    held.append(came[0])
        return self.piece(line, radius_m, tuple(held))

    def touch(self, a: Piece, b: Piece) -> bool:
        """Could robots in them touch, whatever zones say?"""
        bare = (self.piece(p.line, p.radius_m) if p.tokens else p for p in (a, b))
        return self.conflict(*bare)

    def conflict(self, a: Piece, b: Piece) -> bool:
        if not a.tokens or not b.tokens:
            one, two = a.box, b.box
            if one[0] > two[2] or one[2] < two[0]:
                return False
            if one[1] > two[3] or one[3] < two[1]:
                return False
        low, high = (a, b) if a.number < b.number else (b, a)
        key = (low.number << 32) | high.number
        known = self._conflicts.get(key)
        if known is None:
            known = _clash(a.tokens, b.tokens) or (
                between(a.line, b.line) < a.radius_m + b.radius_m
            )
            self._conflicts[key] = known
        return known


def _clash(a: tuple[Token, ...], b: tuple[Token, ...]) -> bool:
    for group, direction in a:
        for other, against in b:
            if group == other and (direction == 0 or direction != against):
                return True
    return False


def _token(zone: Zone, line: Wall) -> Token:
    name = zone.group or zone.id
    if zone.block is Block.SINGLE:
        return name, 0
    corners = zone.corners
    sides = [
        (math.dist(a, b), b[0] - a[0], b[1] - a[1])
        for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]
    _, dx, dy = max(sides)
    along = (line[2] - line[0]) * dx + (line[3] - line[1]) * dy
    return name, 1 if along >= 0.0 else -1
