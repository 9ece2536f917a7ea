"""``shopfloor mission``: a whole mission in closed loop, faster than real time.

For knowing before a robot drives: is the world drivable, how far is it, how near does
the robot come to things and people. Prints one JSON object and draws the plots of a
mission. The kernels are imported when the command is called.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

UNUSABLE = 2
FAILED = 1


def add_parser(subparsers: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = subparsers.add_parser(
        "mission",
        help="a whole mission in closed loop, as JSON, with plots",
        description="Ends with 0 if every leg was driven without contact, 1 if not, "
        "2 if the world or the recording cannot be used.",
    )
    parser.add_argument("world", help="a world's name, its directory or its file")
    parser.add_argument("--seed", type=_whole, default=1)
    parser.add_argument("--boxes", type=_whole, default=0, help="that no map knows")
    parser.add_argument(
        "--people", type=_whole, default=0, help="who walk and approach"
    )
    parser.add_argument("--payload", type=float, default=50.0, help="kg picked up")
    parser.add_argument(
        "--localisation",
        choices=("amcl", "known"),
        default="amcl",
        help="known: the true pose instead of lasers and map",
    )
    parser.add_argument(
        "--planner",
        choices=("auto", "lazy_theta"),
        help="of whole ways; auto is the corner graph where there is one",
    )
    parser.add_argument(
        "--tracking",
        choices=("straight", "holonomic"),
        help="how paths are followed; unless said, what the wheels can do",
    )
    parser.add_argument("--out", type=Path, help="folder for plots and recording")
    parser.add_argument(
        "--replay", type=Path, metavar="RUN", help="draw this recording, drive nothing"
    )
    return parser


def _whole(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of 0 or more")
    return int(text)


def run(options: argparse.Namespace) -> int:
    from shopfloor.cli import find_world
    from shopfloor.control.errors import ControlRefused, PayloadRefused
    from shopfloor.plant.boxes import NoRoomForBoxes
    from shopfloor.plant.recording import RecordingRefused
    from shopfloor.sim.world import WorldRefused
    from shopfloor.sim.world_file import load_world

    refused = (
        ControlRefused,
        NoRoomForBoxes,
        PayloadRefused,
        RecordingRefused,
        WorldRefused,
    )
    try:
        world = load_world(find_world(options.world))
        if options.out is not None:
            options.out.mkdir(parents=True, exist_ok=True)
        if options.replay is not None:
            return _replay(options, world)
        return _drive(options, world)
    except OSError as error:
        return _refuse(f"{options.out} cannot be written: {error.strerror or error}")
    except refused as error:
        return _refuse(str(error))


def _how(pilot: Any) -> dict[str, Any]:
    """How ways were found and followed; a robot that drives by cells says nothing."""
    from shopfloor.pilot import Pilot

    if not isinstance(pilot, Pilot):
        return {}
    return {"planner": sorted(pilot.routes.used), "tracking": pilot.tracker.mode}


def _as_asked(world: Any, options: argparse.Namespace) -> Any:
    """The world with another planner or tracker where the command names one."""
    from dataclasses import replace

    named = {"planner": options.planner, "tracking": options.tracking}
    named = {key: value for key, value in named.items() if value is not None}
    return replace(world, robots=tuple(replace(r, **named) for r in world.robots))


def _drive(options: argparse.Namespace, world: Any) -> int:
    import numpy as np

    from shopfloor.geometry import Pose
    from shopfloor.plant import (
        Plant,
        Recorder,
        drive_mission,
        grid_of,
        scatter_boxes,
        stops_of,
    )
    from shopfloor.plant.plots import write_plots

    stops = stops_of(world.places)
    grid = grid_of(world.map)
    places = [Pose(p.x_m, p.y_m, p.yaw_rad) for p in world.places.values()]
    random = np.random.default_rng((options.seed, 5))
    boxes = scatter_boxes(grid, options.boxes, random, places)
    plant = Plant(
        _as_asked(world.with_robots(1), options),
        options.seed,
        boxes=boxes,
        people=options.people,
        localisation=options.localisation,
        grid=grid,
    )
    file = options.out / "run.jsonl" if options.out is not None else None
    with Recorder(plant, file, {"localisation": options.localisation}) as recorder:
        report = drive_mission(
            plant, stops, payload_kg=options.payload, observe=recorder.note
        )
    facts: dict[str, Any] = {
        "world": world.name,
        "seed": options.seed,
        "stops": stops,
        "boxes": len(boxes),
        "people": options.people,
        **_how(plant.robots[0].pilot),
        **report.as_facts(),
    }
    if options.out is not None:
        robot = plant.robots[0].id
        drawn = write_plots(options.out, world, recorder.frames, robot, recorder.head)
        facts["files"] = ["run.jsonl", *(path.name for path in drawn)]
    print(json.dumps(facts))
    return 0 if report.ok else FAILED


def _replay(options: argparse.Namespace, world: Any) -> int:
    from shopfloor.plant.plots import write_plots
    from shopfloor.plant.recording import RecordingRefused, read_recording

    if options.out is None:
        return _refuse("--replay draws plots: name a folder with --out")
    recording = read_recording(options.replay)
    if not recording.frames:
        raise RecordingRefused(f"{options.replay} holds no frame")
    robot = next(iter(recording.frames[0]["robots"]))
    drawn = write_plots(options.out, world, recording.frames, robot, recording.head)
    facts = {
        "replayed": str(options.replay),
        "frames": len(recording.frames),
        "files": [path.name for path in drawn],
    }
    print(json.dumps(facts))
    return 0


def _refuse(reason: str) -> int:
    print(f"shopfloor: {reason}", file=sys.stderr)
    return UNUSABLE
