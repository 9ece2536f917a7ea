"""Roads for robots that keep to lanes: the lanes, their crossings, and a spur to each
place.
"""

from __future__ import annotations

import itertools
import math

from fleet.model.world import Lane, Point, RobotType, Wall
from fleet.roads.geometry import Walls
from fleet.roads.roadmap import Edge, edge_between

SAME_M = 0.01


def lane_graph(
    lanes: tuple[Lane, ...], robot: RobotType, spots: list[Point], walls: Walls
) -> tuple[list[Point], list[Edge]]:
    """Nodes (the spots first) and edges along lanes that are wide enough."""
    graph = _Graph(spots, robot)
    pieces: list[tuple[Lane, Wall, list[float]]] = [
        (lane, (*a, *b), [0.0, 1.0])
        for lane in lanes
        if lane.width_m >= 2 * robot.radius_m
        for a, b in zip(lane.points, lane.points[1:], strict=False)
        if a != b
    ]
    for number, (_, line, cuts) in enumerate(pieces):
        for _, other, other_cuts in pieces[number + 1 :]:
            for t, u in _meetings(line, other):
                cuts.append(t)
                other_cuts.append(u)
    spurs: list[tuple[int, Point]] = []
    for number, spot in enumerate(spots):
        feet = sorted(
            (math.dist(spot, foot), index, t, foot)
            for index, (_, line, _) in enumerate(pieces)
            for t, foot in [_foot(spot, line)]
        )
        for distance_m, index, t, foot in feet:
            if walls.clear(*spot, *foot):
                pieces[index][2].append(t)
                if distance_m > SAME_M:
                    spurs.append((number, foot))
                break
    for lane, line, cuts in pieces:
        if walls.clear(*line):
            graph.add_lane(lane, line, cuts)
    for number, foot in spurs:
        graph.add_spur(number, foot)
    return graph.nodes, graph.edges


class _Graph:
    def __init__(self, spots: list[Point], robot: RobotType) -> None:
        self.nodes = list(spots)
        self.edges: list[Edge] = []
        self._robot = robot
        self._numbers = {_key(spot): n for n, spot in reversed([*enumerate(spots)])}

    def _node(self, point: Point) -> int:
        key = _key(point)
        if key not in self._numbers:
            self._numbers[key] = len(self.nodes)
            self.nodes.append(point)
        return self._numbers[key]

    def add_lane(self, lane: Lane, line: Wall, cuts: list[float]) -> None:
        x1, y1, x2, y2 = line
        points = [(x1 + (x2 - x1) * t, y1 + (y2 - y1) * t) for t in sorted(cuts)]
        numbers = [self._node(point) for point in points]
        speed_mps = min(lane.speed_mps, self._robot.speed_mps)
        for a, b in itertools.pairwise(numbers):
            if a == b:
                continue
            self.edges.append(edge_between(self.nodes, a, b, speed_mps, lane.id))
            if not lane.one_way:
                self.edges.append(edge_between(self.nodes, b, a, speed_mps, lane.id))

    def add_spur(self, number: int, foot: Point) -> None:
        other = self._node(foot)
        for a, b in ((number, other), (other, number)):
            if a != b:
                speed_mps = self._robot.speed_mps
                self.edges.append(edge_between(self.nodes, a, b, speed_mps))


def _key(point: Point) -> tuple[int, int]:
    return round(point[0] / SAME_M), round(point[1] / SAME_M)


def _meetings(a: Wall, b: Wall) -> list[tuple[float, float]]:
    """Where two segments meet, as shares of each."""
    ax, ay = a[2] - a[0], a[3] - a[1]
    bx, by = b[2] - b[0], b[3] - b[1]
    turn = ax * by - ay * bx
    if abs(turn) < 1e-9:
        return []
    cx, cy = b[0] - a[0], b[1] - a[1]
    t = (cx * by - cy * bx) / turn
    u = (cx * ay - cy * ax) / turn
    near = 1e-6
    if -near <= t <= 1 + near and -near <= u <= 1 + near:
        return [(min(1.0, max(0.0, t)), min(1.0, max(0.0, u)))]
    return []


def _foot(spot: Point, line: Wall) -> tuple[float, Point]:
    x1, y1, x2, y2 = line
    dx, dy = x2 - x1, y2 - y1
    t = ((spot[0] - x1) * dx + (spot[1] - y1) * dy) / (dx * dx + dy * dy)
    t = min(1.0, max(0.0, t))
    return t, (x1 + t * dx, y1 + t * dy)
