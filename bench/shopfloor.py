"""The robot side in figures: local planner, whole loop, rays, localisation, tags.

    python bench/shopfloor.py [--data DIR] [--quick]

Times are those of the processor, so that a busy machine disturbs them little; the
quickest of several rounds counts. Accuracy comes from fixed seeds. With DIR (default:
the recordings beside the project, if there) both tag filters are measured on them
too. The last line is one JSON object; bars that are missed are listed in it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
sys.path.insert(0, str(ROOT / "bench"))

import uwb  # noqa: E402

from shopfloor.geometry import Pose  # noqa: E402
from shopfloor.grid import Grid  # noqa: E402
from shopfloor.grid.drawn import draw_hall  # noqa: E402
from shopfloor.lasers import FRONT, Laser, cast_many, simulate_scan  # noqa: E402
from shopfloor.localisation import Amcl  # noqa: E402
from shopfloor.pilot import PilotStatus  # noqa: E402
from shopfloor.plant import (  # noqa: E402
    STEP_S,
    Box,
    Plant,
    PlantRobot,
    drive_mission,
    grid_of,
    stops_of,
)
from shopfloor.plant.laser_faults import LaserFault  # noqa: E402
from shopfloor.plant.walkers import TEMPERS  # noqa: E402
from shopfloor.sim.world import World  # noqa: E402
from shopfloor.sim.world_file import load_world  # noqa: E402
from shopfloor.tracking import RangeNoise  # noqa: E402

SEED = 20
RECORDINGS = ROOT.parent / "shared" / "data" / "uwb"
IN_SEED: dict[str, Any] = {
    "local_ms_free": [1.13, 1.18, 10.0],
    "local_ms_obstacles": [3.78, 4.43, 42.0],
    "local_hz": 23,
    "emergency_stop_hz": 40,
    "mission_m": 62.7,
    "uwb_error_m": 0.2,
}
BARS: dict[str, tuple[str, float]] = {
    "robots_per_core": (">=", 50.0),
    "uwb_error_4_30": ("<=", 0.13),
    "uwb_plain_over_ours_4_30": (">=", 2.3),
    "local_ms_mean": ("<=", 1.13),
    "local_ms_obstacles_mean": ("<=", 3.78),
    "local_worst_over_mean": ("<=", 10.0),
    "local_obstacles_worst_over_mean": ("<=", 10.0),
    "amcl_error_m": ("<=", 0.1),
    "mission_contacts": ("<=", 0.0),
    "mission_failed_legs": ("<=", 0.0),
    "contacts_moving_per_100h": ("<=", 0.0),
    "sensor_fault_stop_m": ("<=", 0.9),
    "uwb_causal_error_m": ("<=", 0.11),
    "uwb_within_3_sigma": (">=", 0.9),
}


def timed(work: Callable[[], Any]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def in_the_way(world: World, grid: Grid) -> Plant:
    boxes = (
        Box(9.0, 2.9, 0.5, 0.5, 0.4),
        Box(12.0, 2.6, 0.4, 0.6, 0.1),
        Box(16.3, 6.0, 0.5, 0.4, 1.0),
        Box(15.6, 11.0, 0.5, 0.5, 0.7),
    )
    return Plant(world, SEED, boxes=boxes, grid=grid)


def local_planner(plant: Plant) -> list[float]:
    """Milliseconds of every cycle of the local planner during a mission."""
    planner: Any = plant.robots[0].pilot.planner
    plan, taken = planner.step, []

    def watched(*args: Any, **kwargs: Any) -> Any:
        began = time.process_time()
        found = plan(*args, **kwargs)
        taken.append(1000.0 * (time.process_time() - began))
        return found

    planner.step = watched
    report = drive_mission(plant, stops_of(plant.world.places), dwell_s=0.5)
    assert report.legs
    return taken[20:]


def pilot_cycles(world: World, grid: Grid) -> dict[str, float]:
    free = local_planner(Plant(world, SEED, grid=grid))
    boxes = local_planner(in_the_way(world, grid))
    for name, taken in (("free", free), ("obstacles", boxes)):
        mean, sd, most = np.mean(taken), np.std(taken), max(taken)
        print(
            f"local planner, {name}: {mean:.2f} ms, sd {sd:.2f}, max {most:.2f}; "
            f"the seed: {IN_SEED[f'local_ms_{name}']}"
        )
    return {
        "local_ms_mean": round(float(np.mean(free)), 4),
        "local_ms_sd": round(float(np.std(free)), 4),
        "local_ms_p999": round(float(np.quantile(free, 0.999)), 4),
        "local_ms_worst": round(max(free), 4),
        "local_ms_obstacles_mean": round(float(np.mean(boxes)), 4),
        "local_ms_obstacles_sd": round(float(np.std(boxes)), 4),
        "local_ms_obstacles_worst": round(max(boxes), 4),
        "local_worst_over_mean": round(max(free) / float(np.mean(free)), 2),
        "local_obstacles_worst_over_mean": round(max(boxes) / float(np.mean(boxes)), 2),
    }


def whole_loop(world: World, grid: Grid, robots: int, seconds: float) -> float:
    """Robots that one core simulates in real time, each driving a mission alone.

    Lasers, wheels, localisation, tags, planners and control of every robot run; they
    do not see each other, so that none of them ever stands still for another.
    """
    world = world.with_robots(1)
    plants = [Plant(world, SEED + i, grid=grid) for i in range(robots)]
    stops = stops_of(world.places)
    reached = [i % len(stops) for i in range(robots)]

    def aim(robot: PlantRobot, name: str) -> None:
        place = world.places[name]
        robot.drive_to(Pose(place.x_m, place.y_m, place.yaw_rad))

    def drive(for_s: float) -> None:
        for _ in range(round(for_s / STEP_S)):
            for i, plant in enumerate(plants):
                robot = plant.robots[0]
                if robot.command.status in (PilotStatus.ARRIVED, PilotStatus.IDLE):
                    reached[i] += 1
                    aim(robot, stops[reached[i] % len(stops)])
                plant.step()

    drive(2.0)
    taken = timed(lambda: drive(seconds))
    assert all(plant.robots[0].body.travelled_m > 0.0 for plant in plants)
    return robots * seconds / taken


def sensor_fault_stop_m(world: World, grid: Grid) -> float:
    """How far the robot goes on at full speed after its front laser died; the worst.

    Half a second for one that flickers, a tenth for the others.
    """
    worst_m = 0.0
    for fault in LaserFault:
        plant = Plant(world, SEED, grid=grid)
        robot = plant.robots[0]
        robot.drive_to(Pose(12.0, 1.8, 0.0))
        while robot.body.speed_mps < 0.98 * robot.limits.speed_mps:
            plant.step()
        robot.laser_faults.set({FRONT: fault})
        travelled_m = robot.body.travelled_m
        for _ in range(round(10.0 / STEP_S)):
            plant.step()
            if robot.body.speed_mps < 1e-3:
                break
        gone_m = robot.body.travelled_m - travelled_m
        print(f"front laser {fault.value}: stands after {gone_m:.3f} m", flush=True)
        worst_m = max(worst_m, gone_m)
    return worst_m


def contacts_moving(world: World, grid: Grid, hours: float) -> dict[str, float]:
    """Missions among eight walkers of every temper, who may walk into the robot."""
    seconds, moving, all_touches, shift = 0.0, 0, 0, 0
    while seconds < hours * 3600.0:
        plant = Plant(
            world, SEED + shift, people=8, manners=list(TEMPERS.values()), grid=grid
        )
        shift += 1
        seconds += drive_mission(plant, stops_of(world.places)).seconds
        moving += plant.watches[0].contacts_by_robot
        all_touches += len(plant.watches[0].touches)
        print(f"{seconds / 3600.0:.2f} of {hours:g} h among people", flush=True)
    return {
        "contacts_moving_per_100h": round(moving * 360000.0 / seconds, 2),
        "contacts_of_people_per_100h": round(
            (all_touches - moving) * 360000.0 / seconds, 2
        ),
        "contacts_hours": round(seconds / 3600.0, 2),
    }


def rays_per_s(grid: Grid, count: int = 2000) -> float:
    random = np.random.default_rng(SEED)
    free = np.argwhere(grid.distance_m > 0.3)
    chosen = free[random.integers(0, len(free), count)]
    poses = np.zeros((count, 3))
    poses[:, :2] = grid.to_metres(chosen[:, ::-1].astype(np.float64) + 1.5)
    poses[:, 2] = random.uniform(-math.pi, math.pi, count)
    angles = np.linspace(-math.pi, math.pi, 360, endpoint=False)
    cast_many(grid, poses[:10], angles, 20.0)
    best = min(timed(lambda: cast_many(grid, poses, angles, 20.0)) for _ in range(5))
    return count * len(angles) / best


def amcl_updates_per_s(grid: Grid, world: World) -> float:
    """Updates on a robot that moves with every one of them."""
    from shopfloor.geometry import Odometry

    random = np.random.default_rng(SEED)
    home = world.places["home"]
    start = Pose(home.x_m, home.y_m, 0.0)
    amcl = Amcl(grid, random, start)
    laser = Laser(beams=271)
    readings = []
    for i in range(200):
        moved = Pose(0.06 * i, 0.0)
        scan = simulate_scan(grid, start.plus(moved), laser, random)
        readings.append((0.1 * i, Odometry(moved), [scan]))

    def update() -> None:
        for reading in readings[20:]:
            amcl.update(*reading)

    for reading in readings[:20]:
        amcl.update(*reading)
    return (len(readings) - 20) / timed(update)


def tags(quick: bool) -> dict[str, float]:
    found: dict[str, float] = {"ekf_updates_per_s": round(uwb.updates_per_s())}
    counts = (4,) if quick else (4, 3, 2)
    for count in counts:
        for percent, share in uwb.SHARES.items():
            noise = RangeNoise(delayed_share=share, spread=0.0)
            row = uwb.summary(uwb.trials(count, noise))
            found[f"uwb_error_{count}_{percent}"] = row["mean"]
            if percent == 30:
                key = f"uwb_plain_over_ours_{count}_30"
                found[key] = row["plain_over_ours"]
    return found


def without_calibration(recorded: dict[str, Any]) -> dict[str, float]:
    """Each position from the ranges before it, offset and height unknown.

    The recordings with a surveyed truth count where they are, the worst of them; the
    simulated ones stand beside them and count where there are none.
    """
    simulated = uwb.summary(uwb.offset_and_rise())
    errors = [r["ours_raw"] for n, r in recorded.items() if n.startswith("bielefeld")]
    within = [r["ours_raw_within_three_sigma"] for r in recorded.values()]
    return {
        "uwb_causal_error_m": max(errors, default=simulated["mean"]),
        "uwb_within_3_sigma": min([*within, simulated["within_three_sigma"]]),
        "uwb_causal_error_simulated_m": simulated["mean"],
    }


def mission(world: World, grid: Grid) -> dict[str, Any]:
    plant = Plant(
        world,
        SEED,
        boxes=(Box(9.0, 2.9, 0.5, 0.5, 0.4), Box(15.6, 11.0, 0.5, 0.5, 0.7)),
        people=1,
        grid=grid,
    )
    began = time.process_time()
    facts = drive_mission(plant, stops_of(world.places), payload_kg=50.0).as_facts()
    taken = time.process_time() - began
    return {
        "mission_m": facts["distance_m"],
        "mission_contacts": facts["contacts"],
        "mission_failed_legs": facts["failed_legs"],
        "mission_nearest_person_m": facts["nearest_person_m"],
        "mission_times_real_time": round(plant.now_s / taken, 1),
        "amcl_error_m": facts["amcl_error_m"],
        "amcl_worst_m": facts["amcl_worst_m"],
        "amcl_worst_deg": facts["amcl_worst_deg"],
        "odometry_worst_m": facts["odometry_worst_m"],
        "mission_uwb_error_m": facts["uwb_error_m"],
    }


def missed(facts: dict[str, Any]) -> list[str]:
    found = []
    for key, (sense, bar) in BARS.items():
        value = facts.get(key)
        kept = value is not None and (value >= bar if sense == ">=" else value <= bar)
        if not kept:
            found.append(f"{key} {value}, bar {sense} {bar:g}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=RECORDINGS)
    parser.add_argument("--quick", action="store_true", help="four anchors only")
    parser.add_argument("--hours", type=float, default=1.0, help="among people")
    options = parser.parse_args()
    world = load_world(ROOT / "worlds" / "arco_lab")
    grid = grid_of(world.map)
    print(f"seed {SEED}", flush=True)
    facts: dict[str, Any] = {}

    def note(part: dict[str, Any]) -> None:
        facts.update(part)
        print(part, flush=True)

    note(mission(world, grid))
    note({"sensor_fault_stop_m": round(sensor_fault_stop_m(world, grid), 3)})
    note(contacts_moving(world, grid, options.hours))
    note(pilot_cycles(world, grid))
    rounds = [whole_loop(world, grid, 10, 6.0) for _ in range(3)]
    note(
        {
            "robots_per_core": round(max(rounds), 1),
            "robots_per_core_rounds": [round(one, 1) for one in rounds],
            "loop": "2 lasers of 271 beams and stop 40 Hz, "
            "local planner and tag 20 Hz, AMCL 10 Hz",
        }
    )
    hall = draw_hall(600, 400, SEED)
    note(
        {
            "rays_per_s": round(rays_per_s(hall)),
            "rays_per_s_arco_lab": round(rays_per_s(grid)),
            "amcl_updates_per_s": round(amcl_updates_per_s(grid, world)),
        }
    )
    note(tags(options.quick))
    recorded = uwb.recordings(options.data) if options.data.is_dir() else {}
    note({"recordings": recorded})
    note(without_calibration(recorded))
    facts["in_seed"] = IN_SEED
    facts["missed"] = missed(facts)
    print(json.dumps(facts))
    return 0


if __name__ == "__main__":
    sys.exit(main())
