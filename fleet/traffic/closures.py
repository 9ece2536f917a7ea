"""What is shut for now: zones, lanes and doors, and things that stand in the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from fleet.model.world import Door, Point
from fleet.roads.geometry import between, touches
from fleet.traffic.bodies import Floor, Piece
from fleet.traffic.tracks import Move, Tracks


class Closures:
    """Moves that nobody may begin now. Who is in a closed zone may leave it."""

    def __init__(self, floor: Floor, tracks: Iterable[Tracks]) -> None:
        self._floor = floor
        self._tracks = list(tracks)
        self.zones: dict[str, tuple[Point, ...]] = {}
        self.lanes: set[str] = set()
        self.doors: dict[str, Door] = {}
        self.obstacles: dict[str, tuple[float, float, float]] = {}
        self._shut: dict[int, dict[int, bool]] = {}

    def close_zone(self, zone: str, corners: Sequence[Point]) -> None:
        self.zones[zone] = tuple((x, y) for x, y in corners)
        self._shut.clear()

    def open_zone(self, zone: str) -> None:
        self.zones.pop(zone, None)
        self._shut.clear()

    def lock_lane(self, lane: str) -> None:
        self.lanes.add(lane)
        self._shut.clear()

    def unlock_lane(self, lane: str) -> None:
        self.lanes.discard(lane)
        self._shut.clear()

    def close_door(self, door: Door) -> None:
        self.doors[door.id] = door
        self._shut.clear()

    def open_door(self, door: str) -> None:
        self.doors.pop(door, None)
        self._shut.clear()

    def pieces(self) -> list[Piece]:
        """Room of the things that stand in the way."""
        return [
            self._floor.piece((x, y, x, y), radius_m)
            for x, y, radius_m in self.obstacles.values()
        ]

    def allows(self, tracks: Tracks, move: Move) -> bool:
        if not self.zones and not self.lanes and not self.doors:
            return True
        known = self._shut.setdefault(id(tracks), {})
        shut = known.get(move.number)
        if shut is None:
            shut = known[move.number] = self._is_shut(tracks, move)
        return not shut

    def _is_shut(self, tracks: Tracks, move: Move) -> bool:
        if move.lane and move.lane in self.lanes:
            return True
        line, radius_m = move.piece.line, tracks.robot.radius_m
        here = (line[0], line[1], line[0], line[1])
        for corners in self.zones.values():
            if touches(line, corners, radius_m) and not touches(
                here, corners, radius_m
            ):
                return True
        for door in self.doors.values():
            leaf = (door.x1_m, door.y1_m, door.x2_m, door.y2_m)
            if between(line, leaf) < radius_m and between(here, leaf) >= radius_m:
                return True
        return False

    def contains(self, tracks: Tracks, node: int) -> str | None:
        """The closed zone that a node lies in."""
        x, y = tracks.nodes[node]
        for zone, corners in self.zones.items():
            if touches((x, y, x, y), corners, tracks.robot.radius_m):
                return zone
        return None

    def to_dict(self) -> dict[str, Any]:
        return {
            "zones": {name: [list(c) for c in cs] for name, cs in self.zones.items()},
            "lanes": sorted(self.lanes),
            "doors": sorted(self.doors),
            "obstacles": {name: list(o) for name, o in self.obstacles.items()},
        }

    def load(self, data: dict[str, Any], doors: dict[str, Door]) -> None:
        self.zones = {
            name: tuple((x, y) for x, y in cs) for name, cs in data["zones"].items()
        }
        self.lanes = set(data["lanes"])
        self.doors = {name: doors[name] for name in data["doors"] if name in doors}
        self.obstacles = {n: (x, y, r) for n, (x, y, r) in data["obstacles"].items()}
        self._shut.clear()
