"""A world out of doors: walls with heights, roads, sidewalks, crossings, obstacles.

``world.yaml`` is a world as any other, which pages and processes know. What only
vehicles need lies beside it in ``streets.yaml``. Walls stand straight up, so that a
laser with many lines sees what is high and misses what is low.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fleet.model.fields import Entry, Mistakes, parse
from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.plant.boxes import Box, with_boxes
from shopfloor.plant.floor_map import grid_of
from shopfloor.sim.world import World, WorldRefused
from shopfloor.sim.world_file import load_world

FILE = "streets.yaml"
AREAS = ("roads", "sidewalks", "crossings")
WALL_HEIGHT_M = 6.0
OFF_WAY = 3.0
"""What a metre costs beside the ways that a vehicle is made for."""


@dataclass(frozen=True, slots=True)
class Area:
    """A piece of ground, its sides along x and y."""

    kind: str
    x1_m: float
    y1_m: float
    x2_m: float
    y2_m: float

    def holds(self, x_m: float, y_m: float) -> bool:
        return self.x1_m <= x_m <= self.x2_m and self.y1_m <= y_m <= self.y2_m


@dataclass(frozen=True, slots=True)
class Obstacle:
    id: str
    box: Box
    height_m: float
    on_map: bool = True
    """Otherwise only those know it who see it."""


@dataclass(frozen=True)
class StreetWorld:
    world: World
    areas: tuple[Area, ...] = ()
    obstacles: tuple[Obstacle, ...] = ()
    wall_height_m: float = WALL_HEIGHT_M

    @property
    def name(self) -> str:
        return self.world.name

    @cached_property
    def known_walls(self) -> NDArray[np.float64]:
        """Rows x1, y1, x2, y2 of all that the map shows."""
        return _segments(self.world, [o for o in self.obstacles if o.on_map])

    @cached_property
    def walls(self) -> NDArray[np.float64]:
        """Everything that stands there."""
        return _segments(self.world, self.obstacles)

    @cached_property
    def heights_m(self) -> NDArray[np.float64]:
        """Of each of ``walls``."""
        low = [height for o in self.obstacles for height in [o.height_m] * 4]
        high = [self.wall_height_m] * len(self.world.map.walls)
        return np.array([*high, *low], np.float64)

    @cached_property
    def grid(self) -> Grid:
        """The map that planners and localisation know."""
        known = [o.box for o in self.obstacles if o.on_map]
        return with_boxes(grid_of(self.world.map), known)

    @cached_property
    def true_grid(self) -> Grid:
        return with_boxes(grid_of(self.world.map), [o.box for o in self.obstacles])

    def place(self, name: str) -> Pose:
        """WorldRefused lists the places there are."""
        at = self.world.places.get(name)
        if at is None:
            known = ", ".join(self.world.places)
            raise WorldRefused(f"{self.name} has no place {name!r}; there are {known}")
        return Pose(at.x_m, at.y_m, at.yaw_rad)

    def with_obstacles(self, obstacles: Iterable[Obstacle]) -> StreetWorld:
        return replace(self, obstacles=tuple(obstacles))

    def way_costs(self, prefers: Sequence[str]) -> NDArray[np.float32]:
        """By row and column of ``grid``: 1 on preferred ways, more beside them.

        Where the world has no areas, or the vehicle no preference, all ground is alike.
        """
        grid = self.grid
        costs = np.ones((grid.height, grid.width), np.float32)
        if not prefers or not self.areas:
            return costs
        costs[:] = OFF_WAY
        for area in sorted(self.areas, key=lambda one: AREAS.index(one.kind)):
            left, low, _ = grid.origin
            columns = slice(*_cells(area.x1_m - left, area.x2_m - left, grid))
            rows = slice(*_cells(area.y1_m - low, area.y2_m - low, grid))
            costs[rows, columns] = 1.0 if area.kind in prefers else OFF_WAY
        return costs


def _cells(low_m: float, high_m: float, grid: Grid) -> tuple[int, int]:
    per_m = 1.0 / grid.resolution_m
    return max(0, round(low_m * per_m)), max(0, round(high_m * per_m))


def _segments(world: World, obstacles: Sequence[Obstacle]) -> NDArray[np.float64]:
    walls = np.array(world.map.walls, np.float64).reshape(-1, 4)
    return np.vstack([walls, *(o.box.segments() for o in obstacles)])


def is_street_world(path: Path) -> bool:
    return (path if path.is_dir() else path.parent).joinpath(FILE).is_file()


def load_streets(path: Path) -> StreetWorld:
    """A directory with both files, or its ``world.yaml``. WorldRefused names each
    mistake of ``streets.yaml`` with its line."""
    world = load_world(path)
    file = (path if path.is_dir() else path.parent) / FILE
    if not file.is_file():
        return StreetWorld(world)
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise WorldRefused(f"{file} cannot be read: {error}") from None
    return read_streets(world, text)


def read_streets(world: World, text: str) -> StreetWorld:
    mistakes = Mistakes()
    top = parse(FILE, text, mistakes)
    found = StreetWorld(world)
    if top is not None:
        found = StreetWorld(
            world,
            tuple(area for kind in AREAS for area in _areas(top, kind)),
            tuple(_obstacles(top, world)),
            top.number("wall_height_m", WALL_HEIGHT_M, above=0.0),
        )
        top.finish()
    if mistakes.found:
        raise WorldRefused("\n".join(mistakes.lines()))
    return found


def _areas(top: Entry, kind: str) -> Iterable[Area]:
    section = top.get(kind)
    for entry in () if section is None else section.items():
        sides = entry.numbers(4)
        if sides is None:
            continue
        x1_m, y1_m, x2_m, y2_m = sides
        if x2_m <= x1_m or y2_m <= y1_m:
            entry.wrong("is not [x1, y1, x2, y2] with x1 < x2 and y1 < y2")
        yield Area(kind, x1_m, y1_m, x2_m, y2_m)


def _obstacles(top: Entry, world: World) -> Iterable[Obstacle]:
    section = top.get("obstacles")
    seen: set[str] = set()
    for entry in () if section is None else section.items():
        name = entry.text("id")
        if name in seen:
            entry.wrong(f"has the id of another obstacle: {name}")
        seen.add(name)
        x_m, y_m = entry.number("x_m"), entry.number("y_m")
        box = Box(
            x_m,
            y_m,
            entry.number("length_m", above=0.0),
            entry.number("width_m", above=0.0),
            np.radians(entry.number("yaw_deg", 0.0)),
        )
        height_m = entry.number("height_m", 1.0, above=0.0)
        hidden = entry.flag("unknown")
        entry.finish()
        if not world.map.contains(x_m, y_m):
            entry.wrong("lies outside the map")
        yield Obstacle(name, box, height_m, not hidden)
