"""``shopfloor map``: the map of a hall, built from what a robot's lasers saw.

For commissioning, and for knowing whether the places of a world are enough to see all
of it: the simulated robot drives from place to place, its scans become a ROS map, and
what was seen is compared with the map of the world.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

UNUSABLE = 2
FAILED = 1
EVERY_S = 0.2
"""Between two scans that are used."""


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "map",
        help="a map, built from lasers of a robot on a round",
        description="Writes NAME.yaml and NAME.pgm as ROS reads them and prints one "
        "JSON object. Ends with 0, with 1 if a place was not reached, with 2 if the "
        "world cannot be used.",
    )
    parser.add_argument("world", help="a world's name, its directory or its file")
    parser.add_argument("--out", type=Path, required=True, help="the YAML file")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--localisation",
        choices=("known", "amcl"),
        default="known",
        help="amcl: poses are those that localisation finds, with its errors",
    )
    return parser


def run(options: argparse.Namespace) -> int:
    from shopfloor.cli import find_world
    from shopfloor.sim.world import WorldRefused
    from shopfloor.sim.world_file import load_world

    if options.out.suffix != ".yaml":
        return _refuse(f"{options.out} is to be the YAML file of a map: name.yaml")
    try:
        world = load_world(find_world(options.world))
        facts = _build(options, world)
    except OSError as error:
        return _refuse(f"{options.out} cannot be written: {error.strerror or error}")
    except WorldRefused as error:
        return _refuse(str(error))
    print(json.dumps(facts))
    return FAILED if facts["not_reached"] else 0


def _refuse(reason: str) -> int:
    print(f"shopfloor: {reason}", file=sys.stderr)
    return UNUSABLE


def _build(options: argparse.Namespace, world: Any) -> dict[str, Any]:
    from shopfloor.localisation import MapBuilder
    from shopfloor.plant import STEP_S, Plant, drive_mission, grid_of
    from shopfloor.sim.world import WorldRefused

    if not world.robots or not world.places:
        raise WorldRefused("a map is built by a robot that drives from place to place")
    grid = grid_of(world.map)
    plant = Plant(
        world.with_robots(1),
        options.seed,
        localisation=options.localisation,
        grid=grid,
    )
    size = grid.width * grid.resolution_m, grid.height * grid.resolution_m
    builder = MapBuilder(*size, grid.resolution_m, grid.origin[:2])
    every = round(EVERY_S / STEP_S)
    steps = 0

    def look(driven: Plant) -> None:
        nonlocal steps
        steps += 1
        robot = driven.robots[0]
        if steps % every == 0 and robot.believed is not None:
            for scan in robot.scans:
                builder.add(robot.believed, scan)

    stops = list(world.places)
    report = drive_mission(plant, stops, dwell_s=0.2, observe=look)
    options.out.parent.mkdir(parents=True, exist_ok=True)
    builder.write(options.out)
    blocked = grid.cells != 0
    seen = builder.free | builder.blocked
    near = ~grid.inflated(grid.resolution_m).cells.astype(bool)
    wrong = (builder.blocked & near) | (builder.free & blocked)
    reachable = ~blocked
    seen_free = builder.free & reachable
    return {
        "map": str(options.out),
        "distance_m": round(report.distance_m, 1),
        "time_s": round(report.seconds, 1),
        "not_reached": [leg.goal for leg in report.legs if not leg.ok],
        "seen_share": round(float(seen_free.sum() / reachable.sum()), 4),
        "right_share": round(float(1.0 - wrong.sum() / max(int(seen.sum()), 1)), 4),
    }
