"""A roadmap: nodes, straight edges between them, and driving times.

One for each type of robot, because speed, turning and radius differ. Times from a place
to all others are found when somebody first asks (Dijkstra) and kept.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from fleet.model.world import Point, RobotType
from fleet.roads.driving import angle_between, start_s, turn_s

UNREACHED = math.inf


@dataclass(frozen=True)
class Edge:
    """A straight line that a robot may drive from one node to another."""

    start: int
    end: int
    length_m: float
    speed_mps: float
    heading: float
    lane: str = ""

    @property
    def drive_s(self) -> float:
        return self.length_m / self.speed_mps


@dataclass
class Roadmap:
    """Where robots of a type drive. ``unreached``: places that they do not reach."""

    robot_type: RobotType
    nodes: list[Point]
    edges: list[Edge]
    place_nodes: Mapping[str, int]
    unreached: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.out: list[list[Edge]] = [[] for _ in self.nodes]
        self.into: list[list[Edge]] = [[] for _ in self.nodes]
        for edge in self.edges:
            self.out[edge.start].append(edge)
            self.into[edge.end].append(edge)
        self.names = list(self.place_nodes)
        self.index = {name: number for number, name in enumerate(self.names)}
        self._rows: dict[int, list[float]] = {}
        self._paths: dict[int, list[Edge | None]] = {}

    def times_from(self, place: str) -> list[float]:
        """Driving times to all places, in the order of ``names``."""
        start = self.place_nodes[place]
        row = self._rows.get(start)
        if row is None:
            times = self.times_from_node(start)
            row = [times[node] for node in self.place_nodes.values()]
            self._rows[start] = row
        return row

    def time_s(self, start: str, end: str) -> float:
        """From standstill to standstill."""
        return self.times_from(start)[self.index[end]]

    def times_from_node(self, start: int) -> list[float]:
        return self._search(start)[0]

    def path(self, start: str, end: str) -> list[int]:
        """Nodes of the quickest way; empty where there is none."""
        return self.path_of_nodes(self.place_nodes[start], self.place_nodes[end])

    def path_of_nodes(self, start: int, end: int) -> list[int]:
        if start == end:
            return [start]
        before = self._paths.get(start)
        if before is None:
            before = self._paths[start] = self._search(start)[1]
        nodes = [end]
        while nodes[-1] != start:
            edge = before[nodes[-1]]
            if edge is None:
                return []
            nodes.append(edge.start)
        return nodes[::-1]

    def _search(self, start: int) -> tuple[list[float], list[Edge | None]]:
        robot = self.robot_type
        best = [UNREACHED] * len(self.nodes)
        before: list[Edge | None] = [None] * len(self.nodes)
        best[start] = 0.0
        open_ = [(0.0, start)]
        while open_:
            time_s, node = heapq.heappop(open_)
            if time_s > best[node]:
                continue
            came = before[node]
            for edge in self.out[node]:
                later = time_s + edge.length_m / edge.speed_mps
                if came is None:
                    later += start_s(robot, edge.speed_mps)
                else:
                    turn = angle_between(came.heading, edge.heading)
                    later += turn_s(turn, robot, edge.speed_mps)
                if later < best[edge.end]:
                    best[edge.end] = later
                    before[edge.end] = edge
                    heapq.heappush(open_, (later, edge.end))
        return best, before

    def times_to(self, places: Iterable[str]) -> list[float]:
        """From each node to the nearest of the places."""
        robot = self.robot_type
        best = [UNREACHED] * len(self.nodes)
        after: list[Edge | None] = [None] * len(self.nodes)
        open_ = []
        for place in places:
            best[self.place_nodes[place]] = 0.0
            open_.append((0.0, self.place_nodes[place]))
        heapq.heapify(open_)
        while open_:
            time_s, node = heapq.heappop(open_)
            if time_s > best[node]:
                continue
            next_ = after[node]
            for edge in self.into[node]:
                sooner = time_s + edge.length_m / edge.speed_mps
                if next_ is None:
                    sooner += start_s(robot, edge.speed_mps)
                else:
                    turn = angle_between(edge.heading, next_.heading)
                    sooner += turn_s(turn, robot, edge.speed_mps)
                if sooner < best[edge.start]:
                    best[edge.start] = sooner
                    after[edge.start] = edge
                    heapq.heappush(open_, (sooner, edge.start))
        return best

    def reached_from(self, start: int, *, backwards: bool = False) -> set[int]:
        links = self.into if backwards else self.out
        found = {start}
        todo = [start]
        while todo:
            for edge in links[todo.pop()]:
                node = edge.start if backwards else edge.end
                if node not in found:
                    found.add(node)
                    todo.append(node)
        return found


def both_ways(
    nodes: list[Point],
    pairs: Iterable[tuple[int, int]],
    speed_mps: float,
) -> list[Edge]:
    edges = []
    for a, b in pairs:
        edges.append(edge_between(nodes, a, b, speed_mps))
        edges.append(edge_between(nodes, b, a, speed_mps))
    return edges


def edge_between(
    nodes: list[Point], a: int, b: int, speed_mps: float, lane: str = ""
) -> Edge:
    (x1, y1), (x2, y2) = nodes[a], nodes[b]
    heading = math.atan2(y2 - y1, x2 - x1)
    return Edge(a, b, math.hypot(x2 - x1, y2 - y1), speed_mps, heading, lane)
