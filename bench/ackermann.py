"""How fast vehicles plan, and which alleys they pass.

``hybrid_astar_ms`` and the times of TEB and MPPI are medians: of ways between random
places in the town, and of single commands on the way through an alley. The narrowest
alley counts that TEB on a Hybrid A* way passes from five starts, with all wider ones.
``dwa_success_unseen`` is the share of alleys, drawn from seeds that nothing was tuned
on, that DWA passes on an A* way, as ordinary navigation stacks drive;
``policy_success_unseen`` is that of the learned policy in the same alleys and loop;
``policy_passes_where_dwa_fails`` counts those of them that DWA does not pass.
``env_steps_per_s`` is how fast 256 vehicles of AlleyPass step on one core.

The last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from fleet.bodies.file import load_vehicle  # noqa: E402
from fleet.bodies.model import Vehicle  # noqa: E402
from fleet.bodies.passability import Trial, as_csv, least_width_m  # noqa: E402
from shopfloor.learning.alleys import Alleys, Courses  # noqa: E402
from shopfloor.maneuvers.hybrid import find_way  # noqa: E402
from shopfloor.maneuvers.local import LocalPlanner, local_planner  # noqa: E402
from shopfloor.maneuvers.scene import (  # noqa: E402
    Command,
    DrivingState,
    Obstacles,
)
from shopfloor.streets.alley import Alley, alley_world, unseen_alley  # noqa: E402
from shopfloor.streets.drive import Driver  # noqa: E402
from shopfloor.streets.passability import guide_of, try_alley  # noqa: E402
from shopfloor.streets.world import load_streets  # noqa: E402

WIDTHS_M = (1.4, 1.3, 1.2, 1.15, 1.1, 1.05, 1.0, 0.95)
FIRST_UNSEEN = 10_000


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def hybrid_ms(vehicle: Vehicle, ways: int) -> float:
    town = load_streets(ROOT / "worlds" / "urban")
    obstacles, costs = Obstacles.of(town.known_walls), town.way_costs(vehicle.prefers)
    names = [n for n in town.world.places if n not in ("kerb", "car_park")]
    draw, took = np.random.default_rng(18), []
    for number in range(ways + 1):
        here, there = (town.place(n) for n in draw.choice(names, 2, replace=False))
        began = time.perf_counter()
        find_way(vehicle, town.grid, here, there, obstacles, costs)
        if number:  # the first one loads the kernels
            took.append(1000.0 * (time.perf_counter() - began))
    return statistics.median(took)


class Timed:
    """Measures the commands of a planner, whoever asks for them."""

    def __init__(self, planner: LocalPlanner) -> None:
        self.took_ms: list[float] = []
        self._command = planner.command
        planner.command = self.command  # type: ignore[method-assign]

    def command(self, state: DrivingState, obstacles: Obstacles) -> Command:
        began = time.perf_counter()
        found = self._command(state, obstacles)
        self.took_ms.append(1000.0 * (time.perf_counter() - began))
        return found


def command_ms(vehicle: Vehicle, name: str) -> float:
    world = alley_world(Alley(1.4, shortcut_m=0.0))
    planner = local_planner(name, vehicle, 1)
    timed = Timed(planner)
    driver = Driver(world, vehicle, planner, guide_of("hybrid", vehicle, world))
    driver.put(world.place("start"))
    driver.drive_to(world.place("goal"), 120.0)
    return statistics.median(timed.took_ms[5:])


def narrowest_m(vehicle: Vehicle, seeds: int) -> float:
    found: list[Trial] = []
    for width_m in WIDTHS_M:
        for seed in range(seeds):
            trial = try_alley(
                Alley(width_m, shortcut_m=0.0), vehicle, "hybrid+teb", seed
            )
            say(f"{width_m:g} m, seed {seed}: {trial.why or 'passed'}")
            found.append(trial)
            if not trial.passed:
                return least_width_m(found, "hybrid+teb", vehicle.name)
    return least_width_m(found, "hybrid+teb", vehicle.name)


def unseen(vehicle: Vehicle, planner: str, alleys: int) -> list[Trial]:
    found = []
    for seed in range(FIRST_UNSEEN, FIRST_UNSEEN + alleys):
        alley = unseen_alley(seed)
        trial = try_alley(alley, vehicle, planner, seed)
        say(f"{seed} {alley.width_m:.2f} m {planner}: {trial.why or 'passed'}")
        found.append(trial)
    return found


def share(found: list[Trial]) -> float:
    return sum(trial.passed for trial in found) / len(found)


def env_steps_per_s(vehicle: Vehicle, steps: int = 400) -> float:
    alleys = Alleys(vehicle, Courses.unseen(vehicle, range(100)), 256, midway=0.5)
    actions = np.random.default_rng(0).uniform(-1.0, 1.0, (256, 2)).astype(np.float32)
    actions[:, 0] = np.abs(actions[:, 0])
    alleys.step(actions)  # loads the kernels
    began = time.perf_counter()
    for _ in range(steps):
        alleys.step(actions)
    return steps * alleys.count / (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ways", type=int, default=20)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--alleys", type=int, default=100)
    parser.add_argument("--unseen", type=Path, help="write these drives as a table")
    options = parser.parse_args()
    vehicle = load_vehicle("zebrat")
    by = {
        planner: unseen(vehicle, planner, options.alleys)
        for planner in ("a_star+dwa", "a_star+policy", "hybrid+teb")
    }
    failed = {trial.seed for trial in by["a_star+dwa"] if not trial.passed}
    where_dwa_fails = [t for t in by["a_star+policy"] if t.seed in failed]
    if options.unseen is not None:
        drives = [trial for found in by.values() for trial in found]
        options.unseen.write_text(as_csv(drives), encoding="utf-8")
    facts = {
        "hybrid_astar_ms": round(hybrid_ms(vehicle, options.ways), 1),
        "teb_ms": round(command_ms(vehicle, "teb"), 2),
        "mppi_ms": round(command_ms(vehicle, "mppi"), 2),
        "dwa_ms": round(command_ms(vehicle, "dwa"), 2),
        "alley_min_width_m_teb": narrowest_m(vehicle, options.seeds),
        "dwa_success_unseen": share(by["a_star+dwa"]),
        "policy_success_unseen": share(by["a_star+policy"]),
        "alleys_where_dwa_fails": len(where_dwa_fails),
        "policy_passes_where_dwa_fails": sum(t.passed for t in where_dwa_fails),
        "env_steps_per_s": round(env_steps_per_s(vehicle)),
        "hybrid_teb_success_unseen": share(by["hybrid+teb"]),
    }
    print(json.dumps(facts))


if __name__ == "__main__":
    main()
