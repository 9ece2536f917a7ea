"""Tracks: the roads of a robot type in short moves, each with the room it covers.

A robot can stop after each move, so that a long road is not blocked by one robot.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from fleet.model.world import Point, RobotType, World
from fleet.roads.driving import STRAIGHT, angle_between, start_s
from fleet.roads.geometry import Walls
from fleet.roads.make import KEEP_M
from fleet.roads.roadmap import Roadmap
from fleet.traffic.bodies import Floor, Piece

NEAR_M = 0.12
"""A robot so near to a node stands at it."""
LINKS = 6


@dataclass(frozen=True)
class Move:
    number: int
    start: int
    end: int
    length_m: float
    speed_mps: float
    heading: float
    piece: Piece
    lane: str = ""


class Tracks:
    """Nodes of the roadmap first, then those between."""

    def __init__(self, world: World, roadmap: Roadmap, floor: Floor) -> None:
        self.robot: RobotType = roadmap.robot_type
        self.roadmap = roadmap
        self._floor = floor
        self._walls = Walls(world.walls, roadmap.robot_type.radius_m)
        self.nodes: list[Point] = list(roadmap.nodes)
        self.moves: list[Move] = []
        self.out: list[list[Move]] = [[] for _ in self.nodes]
        self._between: dict[tuple[int, int], list[int]] = {}
        self._ends: dict[int, tuple[int, int]] = {}  # node between: ends of its road
        self._standing: dict[tuple[int, tuple[tuple[str, int], ...]], Piece] = {}
        self._hints: dict[int, list[float]] = {}
        self.radius_m = self.robot.radius_m + KEEP_M
        self.step_m = max(0.8, 2.0 * self.robot.radius_m)
        for edge in roadmap.edges:
            chain = self._chain(edge.start, edge.end)
            for a, b in itertools.pairwise(chain):
                self._add_move(a, b, edge.speed_mps, edge.heading, edge.lane)

    def _chain(self, start: int, end: int) -> list[int]:
        low, high = min(start, end), max(start, end)
        inner = self._between.get((low, high))
        if inner is None:
            (x1, y1), (x2, y2) = self.nodes[low], self.nodes[high]
            count = math.ceil(math.hypot(x2 - x1, y2 - y1) / self.step_m)
            inner = []
            for step in range(1, count):
                share = step / count
                inner.append(
                    self._add_node(x1 + (x2 - x1) * share, y1 + (y2 - y1) * share)
                )
                self._ends[inner[-1]] = (low, high)
            self._between[low, high] = inner
        return [start, *(inner if start == low else reversed(inner)), end]

    def _add_node(self, x_m: float, y_m: float) -> int:
        self.nodes.append((x_m, y_m))
        self.out.append([])
        return len(self.nodes) - 1

    def _add_move(
        self, a: int, b: int, speed_mps: float, heading: float, lane: str = ""
    ) -> None:
        line = (*self.nodes[a], *self.nodes[b])
        piece = self._floor.moving(line, self.radius_m)
        length_m = math.dist(self.nodes[a], self.nodes[b])
        move = Move(len(self.moves), a, b, length_m, speed_mps, heading, piece, lane)
        self.moves.append(move)
        self.out[a].append(move)

    def standing(self, node: int, came: Move | None = None) -> Piece:
        tokens = () if came is None else came.piece.tokens
        key = (node, tokens)
        piece = self._standing.get(key)
        if piece is None:
            x_m, y_m = self.nodes[node]
            piece = self._floor.standing(x_m, y_m, self.radius_m, tokens)
            self._standing[key] = piece
        return piece

    def duration_s(self, heading: float | None, move: Move) -> float:
        """With the turn before it; a start from standstill where it turns."""
        time_s = move.length_m / move.speed_mps
        if heading is not None:
            angle = angle_between(heading, move.heading)
            if angle < STRAIGHT:
                return time_s
            time_s += angle / self.robot.turning_radps
        return time_s + start_s(self.robot, move.speed_mps)

    def node_at(self, x_m: float, y_m: float) -> int:
        """The node where a robot stands; a new one, linked to roads in sight."""
        near = sorted(
            (math.hypot(x - x_m, y - y_m), node)
            for node, (x, y) in enumerate(self.nodes)
        )
        if near and near[0][0] <= NEAR_M:
            return near[0][1]
        node = self._add_node(x_m, y_m)
        links = 0
        for _, other in near:
            if self._walls.clear(x_m, y_m, *self.nodes[other]):
                self._link(node, other)
                links += 1
                if links == LINKS:
                    break
        return node

    def _link(self, a: int, b: int) -> None:
        (x1, y1), (x2, y2) = self.nodes[a], self.nodes[b]
        heading = math.atan2(y2 - y1, x2 - x1)
        self._add_move(a, b, self.robot.speed_mps, heading)
        self._add_move(b, a, self.robot.speed_mps, heading + math.pi)

    def hints(self, goal: str) -> list[float]:
        """Driving times to a place from each node, others not considered."""
        node = self.roadmap.place_nodes[goal]
        known = self._hints.get(node)
        if known is None:
            known = self._hints[node] = list(self.roadmap.times_to([goal]))
        for between in range(len(known), len(self.nodes)):
            ends = self._ends.get(between)
            if ends is None:
                links = [m.end for m in self.out[between] if m.end < between]
                ends = (links[0], links[-1]) if links else (node, node)
            x, y = self.nodes[between]
            known.append(
                min(
                    known[end]
                    + math.dist((x, y), self.nodes[end]) / self.robot.speed_mps
                    for end in ends
                )
            )
        return known
