"""Which traffic a plant gets."""

from __future__ import annotations

from collections.abc import Mapping

from fleet.grid import can_be_used
from fleet.model.world import Moves, World
from fleet.roads.roadmap import Roadmap
from fleet.traffic.free import FreeTraffic
from fleet.traffic.port import Traffic


def traffic_for(world: World, roadmaps: Mapping[str, Roadmap]) -> Traffic:
    """By cells where all robots drive from cell to cell, else free.

    Free traffic drives grid robots too, along the same cells: in a mixed fleet, and
    where the libraries of grid traffic are not installed.
    """
    moves = {world.type_of(robot).moves for robot in world.robots}
    if moves == {Moves.GRID} and can_be_used():
        from fleet.traffic.cells import CellTraffic

        return CellTraffic(world)
    return FreeTraffic(world, roadmaps)
