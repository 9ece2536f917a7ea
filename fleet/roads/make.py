"""Make a roadmap for a type of robot; name the places that it cannot reach."""

from __future__ import annotations

from dataclasses import replace

from fleet.model.world import Block, Moves, Point, RobotType, Wall, World
from fleet.roads.cells import cell_graph
from fleet.roads.corners import corner_graph, corners_of, points_around
from fleet.roads.geometry import Walls, touches
from fleet.roads.lanes import lane_graph
from fleet.roads.roadmap import Edge, Roadmap, both_ways

KEEP_M = 0.05
"""How far a robot stays from walls, and from others, above its radius."""
WAITING = " (waiting)"


def make_roadmaps(world: World) -> dict[str, Roadmap]:
    """One for each type that some robot has."""
    types = sorted({robot.type for robot in world.robots.values()})
    return {name: make_roadmap(world, world.robot_types[name]) for name in types}


def make_roadmap(world: World, robot: RobotType) -> Roadmap:
    """Nodes are free of walls by the robot's radius; edges weigh the driving time."""
    spots: dict[str, Point] = {p.id: p.spot for p in world.places.values()}
    spots.update({p.id + WAITING: p.spot for p in world.waiting.values()})
    barriers = [*world.walls, *_forbidden(world)]
    walls = Walls(barriers, robot.radius_m)
    points = list(spots.values())
    if robot.moves is Moves.LANES:
        nodes, edges = lane_graph(world.lanes, robot, points, walls)
    else:
        if robot.moves is Moves.GRID:
            nodes, pairs = cell_graph(world, points, walls)
        else:
            others = (world.robot_types[r.type].radius_m for r in world.robots.values())
            widest_m = max(others, default=robot.radius_m)
            apart_m = robot.radius_m + widest_m + 2 * KEEP_M
            passing_m = apart_m + 0.01
            extra = corners_of(barriers, robot.radius_m + KEEP_M)
            extra += points_around(points, passing_m)
            nodes, pairs = corner_graph(points, extra, walls, robot.radius_m, apart_m)
        edges = both_ways(nodes, sorted(pairs), robot.speed_mps)
    edges = [_slowed(world, nodes, edge) for edge in edges]
    nodes, edges = _joined(nodes, edges, len(points))
    roadmap = Roadmap(robot, nodes, edges, {n: i for i, n in enumerate(spots)})
    roadmap.unreached = _unreached(world, robot, roadmap, walls)
    return roadmap


def _forbidden(world: World) -> list[Wall]:
    """The borders of forbidden zones, which are walls to the fleet."""
    return [
        (*a, *b)
        for zone in world.zones.values()
        if zone.block is Block.FORBIDDEN
        for a, b in zip(zone.corners, (*zone.corners[1:], zone.corners[0]), strict=True)
    ]


def _joined(
    nodes: list[Point], edges: list[Edge], spots: int
) -> tuple[list[Point], list[Edge]]:
    """Without nodes that have no way to any spot, inside racks for instance."""
    links: dict[int, list[int]] = {}
    for edge in edges:
        links.setdefault(edge.start, []).append(edge.end)
        links.setdefault(edge.end, []).append(edge.start)
    kept = set(range(spots))
    todo = list(kept)
    while todo:
        for other in links.get(todo.pop(), ()):
            if other not in kept:
                kept.add(other)
                todo.append(other)
    numbers = {node: number for number, node in enumerate(sorted(kept))}
    return [nodes[node] for node in sorted(kept)], [
        replace(edge, start=numbers[edge.start], end=numbers[edge.end])
        for edge in edges
        if edge.start in kept
    ]


def _slowed(world: World, nodes: list[Point], edge: Edge) -> Edge:
    line = (*nodes[edge.start], *nodes[edge.end])
    limits = [
        zone.speed_mps
        for zone in world.zones.values()
        if zone.speed_mps < edge.speed_mps and touches(line, zone.corners, 1e-9)
    ]
    return replace(edge, speed_mps=min(limits)) if limits else edge


def _unreached(
    world: World, robot: RobotType, roadmap: Roadmap, walls: Walls
) -> dict[str, str]:
    """Places without a way from the rest places of the type's robots and back."""
    homes = [r.home for r in world.robots.values() if r.type == robot.id]
    starts = [roadmap.place_nodes[home] for home in homes if home in world.places]
    starts = starts or list(roadmap.place_nodes.values())[:1]
    narrow = _too_narrow(world, robot)
    found: dict[str, str] = {}
    for start in starts[:1]:
        there = roadmap.reached_from(start)
        back = roadmap.reached_from(start, backwards=True)
        for name, node in roadmap.place_nodes.items():
            if not walls.clear_at(*roadmap.nodes[node]):
                found[name] = f"nearer to a wall than {robot.radius_m:g} m"
            elif node not in there:
                found[name] = "no way leads there" + narrow
            elif node not in back:
                found[name] = "no way leads back" + narrow
    return found


def _too_narrow(world: World, robot: RobotType) -> str:
    """Lanes that are left out, since they may be why there is no way."""
    if robot.moves is not Moves.LANES:
        return ""
    needed_m = 2 * robot.radius_m
    return "".join(
        f"; lane {lane.id} is {lane.width_m:.2f} m wide, it needs {needed_m:.2f} m"
        for lane in world.lanes
        if lane.width_m < needed_m
    )


def unreached_places(world: World, roadmaps: dict[str, Roadmap]) -> dict[str, str]:
    """Places that no type reaches, with the reason for each type."""
    found = {}
    for name in world.places:
        reasons = {t: r.unreached.get(name) for t, r in roadmaps.items()}
        if roadmaps and all(reasons.values()):
            found[name] = "; ".join(f"{t}: {why}" for t, why in reasons.items())
    return found
