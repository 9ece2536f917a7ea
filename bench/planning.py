"""Planners against yardsticks: skimage's route_through_array and our own plain A*.

Same maps, same pairs, one run: ratios say more than milliseconds. Times are those of
the processor, so a busy machine disturbs them little, and each method runs its pairs
equally often in a row, of which the quickest round counts. The true optimum is the
corner graph drawn a millionth of a cell outside the corners; the tests compare it with
an independent solver. Needs scikit-image. The last line is one JSON object.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from shopfloor.geometry import Pose  # noqa: E402
from shopfloor.grid import Grid, read_map  # noqa: E402
from shopfloor.grid.drawn import draw_clutter, draw_hall, draw_maze  # noqa: E402
from shopfloor.planning import (  # noqa: E402
    CornerGraph,
    Tuning,
    find_faults,
    plan,
    prepare,
)
from shopfloor.plant import Plant, drive_mission, grid_of, scatter_boxes  # noqa: E402
from shopfloor.sim.world_file import load_world  # noqa: E402

SEED = 20
MAPS = ROOT.parent / "shared" / "data" / "maps"
POOLED = (1, 2, 3, 4, 5, SEED)
"""Halls of 600 by 400 behind the ratios: a single one may be easy or hard."""
MARGIN_M = 0.30
PAIRS = 30
ROUNDS = 4
TIMED = ("lazy_theta", "corner_graph", "goal_field", "a_star")
IN_SEED = {
    "short_ms": 40,
    "long_ms": [100, 120],
    "maze_ms": 3000,
    "local_free_ms": 1.13,
    "local_boxes_ms": 3.78,
}
FAR_M = 10.0
"""From here on a trip is a long one in the seed's figures."""
Point = tuple[float, float]
Pair = tuple[Point, Point]
PLAIN = Tuning()
Work = TypeVar("Work")


@dataclass
class Figures:
    mean_ms: dict[str, float] = field(default_factory=dict)
    ratio: dict[str, float] = field(default_factory=dict)
    longer: dict[str, list[float]] = field(default_factory=dict)


def draw_pairs(grid: Grid, count: int, seed: int, stations: int = 0) -> list[Pair]:
    """Connected pairs of cell centres; with stations, as few different goals."""
    random = np.random.default_rng(seed)
    rows, columns = np.nonzero(grid.cells == 0)
    centres = np.stack([columns + 1.5, rows + 1.5], axis=1)
    parts = grid.part[(rows + 1) * grid.stride + columns + 1]
    largest = np.flatnonzero(parts == np.bincount(parts).argmax())
    metres = grid.to_metres(centres[largest])
    goals = random.integers(len(metres), size=stations or count)
    pairs = []
    for i, a in enumerate(random.integers(len(metres), size=count)):
        b = goals[i % len(goals)]
        pairs.append(
            (
                (float(metres[a, 0]), float(metres[a, 1])),
                (float(metres[b, 0]), float(metres[b, 1])),
            )
        )
    return pairs


def mean_ms(work: Callable[[Work], object], pairs: list[Work], rounds: int) -> float:
    quickest = math.inf
    for _ in range(rounds):
        began = time.thread_time()
        for pair in pairs:
            work(pair)
        quickest = min(quickest, time.thread_time() - began)
    return 1000.0 * quickest / len(pairs)


def cell_of(grid: Grid, point: Point) -> tuple[int, int]:
    x, y = grid.to_cells(*point)
    return int(y) - 1, int(x) - 1


def drive(grid: Grid, method: str, pair: Pair, tuning: Tuning = PLAIN) -> object:
    return plan(grid, *pair, method, tuning)


def measure(name: str, grid: Grid, pairs: list[Pair]) -> Figures:
    figures = Figures()
    prepare(grid, [goal for _, goal in pairs])
    fields = {goal: plan(grid, goal, goal, "goal_field") for _, goal in pairs}
    assert all(path.ok for path in fields.values())
    for method in TIMED:
        figures.mean_ms[method] = mean_ms(partial(drive, grid, method), pairs, ROUNDS)
    hurried = Tuning(goal_weight=1.5)
    figures.mean_ms["lazy_theta_1.5"] = mean_ms(
        partial(drive, grid, "lazy_theta", tuning=hurried), pairs, ROUNDS
    )
    costs = np.where(grid.cells != 0, -1.0, 1.0)
    ends = [(cell_of(grid, a), cell_of(grid, b)) for a, b in pairs]
    route: Any = import_module("skimage.graph").route_through_array
    figures.mean_ms["skimage"] = mean_ms(
        lambda pair: route(costs, *pair, geometric=True), ends, ROUNDS
    )
    for method, value in figures.mean_ms.items():
        figures.ratio[method] = value / figures.mean_ms["skimage"]
    bound = CornerGraph.of(grid, 1e-6)
    for name_of, method, tuning in (
        ("lazy_theta", "lazy_theta", PLAIN),
        ("lazy_as_published", "lazy_theta", Tuning(tighten=False)),
        ("corner_graph", "corner_graph", PLAIN),
        ("goal_field", "goal_field", PLAIN),
    ):
        figures.longer[name_of] = [
            plan(grid, *pair, method, tuning).length_m / optimum(grid, bound, pair)
            for pair in pairs
            if pair[0] != pair[1]
        ]
    shown = ", ".join(f"{m} {v:.4g} ms" for m, v in figures.mean_ms.items())
    print(f"{name}: {bound.node.shape[1]} corners; {shown}")
    print(
        "   of skimage's time: "
        + ", ".join(f"{m} {v:.5f}" for m, v in figures.ratio.items())
    )
    print(
        "   length by optimum, mean and worst: "
        + ", ".join(
            f"{m} {np.mean(v):.5f} {max(v):.5f}" for m, v in figures.longer.items()
        )
    )
    return figures


def optimum(grid: Grid, bound: CornerGraph, pair: Pair) -> float:
    (x0, y0), (x1, y1) = (grid.to_cells(*point) for point in pair)
    return bound.search(x0, y0, x1, y1)[1] * grid.resolution_m


def by_distance(grid: Grid, pairs: int = 120, rounds: int = 2) -> dict[str, float]:
    """The global planner on trips below and above 10 m, as the seed reports them."""
    short: list[Pair] = []
    far: list[Pair] = []
    for pair in draw_pairs(grid, pairs, SEED + 1):
        (short if plan(grid, *pair).length_m < FAR_M else far).append(pair)
    found = {}
    for name, trips in (("short", short), ("long", far)):
        for method, key in (("lazy_theta", "lazy"), ("corner_graph", "graph")):
            taken = mean_ms(partial(drive, grid, method), trips, rounds)
            found[f"{key}_{name}_ms"] = round(taken, 4)
    print(
        f"global planner: below 10 m {found['lazy_short_ms']} ms, "
        f"above {found['lazy_long_ms']} ms; "
        f"the seed {IN_SEED['short_ms']} ms and {IN_SEED['long_ms']} ms"
    )
    return found


def in_clutter(pairs: int = 20, rounds: int = 2) -> dict[str, float]:
    """Single cells blocked at random, where no graph of corners pays."""
    grid = draw_clutter(512, 512, 0.1, SEED)
    trips = draw_pairs(grid, pairs, SEED)
    drive(grid, "auto", trips[0])
    chosen = mean_ms(partial(drive, grid, "auto"), trips, rounds)
    plain = mean_ms(partial(drive, grid, "lazy_theta"), trips, rounds)
    costs = np.where(grid.cells != 0, -1.0, 1.0)
    ends = [(cell_of(grid, a), cell_of(grid, b)) for a, b in trips]
    route: Any = import_module("skimage.graph").route_through_array
    yardstick = mean_ms(lambda pair: route(costs, *pair, geometric=True), ends, rounds)
    longer = [
        plan(grid, *pair).length_m / plan(grid, *pair, "lazy_theta").length_m
        for pair in trips
    ]
    print(
        f"clutter 512x512: auto {chosen:.3f} ms, plain Lazy Theta* {plain:.3f} ms, "
        f"skimage {yardstick:.3f} ms; longer by {np.mean(longer) - 1.0:.5f}"
    )
    return {
        "clutter_ms": round(chosen, 4),
        "clutter_over_skimage": round(chosen / yardstick, 5),
        "clutter_over_lazy": round(chosen / plain, 5),
        "clutter_length_over_lazy": round(float(np.mean(longer)), 6),
    }


def local_cycles(stops: tuple[str, ...] = ("A", "tank", "B")) -> dict[str, float]:
    """Mean of a cycle of the local planner on a drive, free and among boxes."""
    world = load_world(ROOT / "worlds" / "arco_lab")
    grid = grid_of(world.map)
    places = [Pose(p.x_m, p.y_m, p.yaw_rad) for p in world.places.values()]
    boxes = scatter_boxes(grid, 4, np.random.default_rng(SEED), places)
    found = {}
    for name, standing in (("free", ()), ("boxes", boxes)):
        plant = Plant(world, SEED, boxes=standing, grid=grid)
        planner: Any = plant.robots[0].pilot.planner
        taken: list[float] = []
        planner.step = partial(_watched, planner.step, taken)
        drive_mission(plant, stops, dwell_s=0.1)
        found[f"local_{name}_ms"] = round(1000.0 * float(np.mean(taken[20:])), 4)
    print(
        f"local planner: free {found['local_free_ms']} ms, "
        f"among boxes {found['local_boxes_ms']} ms; "
        f"the seed {IN_SEED['local_free_ms']} ms and {IN_SEED['local_boxes_ms']} ms"
    )
    return found


def _watched(
    step: Callable[..., Any], taken: list[float], *args: Any, **named: Any
) -> Any:
    began = time.thread_time()
    found = step(*args, **named)
    taken.append(time.thread_time() - began)
    return found


def count_colliding(grids: list[tuple[str, Grid]], wanted: int) -> tuple[int, int]:
    """Paths by every method over every map, each looked at by the validator."""
    shares = (
        ("corner_graph", PLAIN, 0.40),
        ("lazy_theta", PLAIN, 0.25),
        ("lazy_theta", Tuning(goal_weight=1.5), 0.10),
        ("lazy_theta", Tuning(cost_weight=2.0, sight_limit_m=1.0), 0.05),
        ("goal_field", PLAIN, 0.15),
        ("a_star", PLAIN, 0.05),
    )
    tried = colliding = 0
    for number, (_, grid) in enumerate(grids):
        for method, tuning, share in shares:
            count = math.ceil(wanted * share / len(grids))
            stations = 4 if method == "goal_field" else 0
            drawn = draw_pairs(grid, count, SEED + 100 + number, stations)
            for start, goal in drawn:
                path = plan(grid, start, goal, method, tuning)
                faults = find_faults(grid, path, start, goal)
                tried += 1
                colliding += bool(faults) or not path.ok
    return tried, colliding


def main() -> None:
    sizes = ((200, 200), (600, 400), (1000, 1000))
    halls = [
        (f"hall {w}x{h}", draw_hall(w, h, SEED).inflated(MARGIN_M)) for w, h in sizes
    ]
    maze = ("maze 512, drawn", draw_maze(57, 8, SEED))
    scored = list(halls)
    mazes = [maze]
    for file in sorted(MAPS.glob("*.map")) if MAPS.is_dir() else []:
        (mazes if "maze" in file.name else scored).append((file.name, read_map(file)))
    all_maps = scored + mazes
    figures = {
        name: measure(name, grid, draw_pairs(grid, PAIRS, SEED))
        for name, grid in all_maps
    }
    scored = [
        figures[name].longer[method]
        for name, _ in scored
        if name.startswith("hall") or name == "AR0500SR.map"
        for method in ("lazy_theta", "corner_graph", "goal_field")
    ]
    published = [
        figures[name].longer["lazy_as_published"]
        for name, _ in scored
        if name.startswith("hall") or name == "AR0500SR.map"
    ]
    distances = by_distance(halls[1][1])
    cycles = local_cycles() | in_clutter()
    clutter = ("clutter", draw_clutter(96, 96, 0.2, SEED))
    tried, colliding = count_colliding([*all_maps, clutter], 10_000)
    pooled = [figures["hall 600x400"]]
    for seed in POOLED[:-1]:
        grid = draw_hall(600, 400, seed).inflated(MARGIN_M)
        name = f"hall 600x400, seed {seed}"
        figures[name] = measure(name, grid, draw_pairs(grid, PAIRS, seed))
        pooled.append(figures[name])
        scored += [pooled[-1].longer[m] for m in ("lazy_theta", "corner_graph")]
        published.append(pooled[-1].longer["lazy_as_published"])
    ms = {
        method: float(np.mean([each.mean_ms[method] for each in pooled]))
        for method in pooled[0].mean_ms
    }
    spread = {
        method: [
            round(pick(each.ratio[method] for each in pooled), 6) for pick in (min, max)
        ]
        for method in ("lazy_theta", "corner_graph")
    }
    print(f"{tried} paths validated, {colliding} at fault")
    print(
        json.dumps(
            {
                "lazy_over_skimage_600": round(ms["lazy_theta"] / ms["skimage"], 5),
                "graph_over_skimage_600": round(ms["corner_graph"] / ms["skimage"], 6),
                "lazy_over_a_star_600": round(ms["lazy_theta"] / ms["a_star"], 4),
                "length_over_optimum_mean": round(
                    max(float(np.mean(values)) for values in scored), 6
                ),
                "length_over_optimum_worst": round(max(map(max, scored)), 6),
                "published_over_optimum_mean": round(
                    max(float(np.mean(values)) for values in published), 6
                ),
                "published_over_optimum_worst": round(max(map(max, published)), 6),
                "validated": tried,
                "colliding_of_10000": colliding,
                "lazy_ms": round(ms["lazy_theta"], 4),
                "graph_ms": round(ms["corner_graph"], 5),
                "field_ms": round(ms["goal_field"], 5),
                **distances,
                **cycles,
                "maze_ms": round(
                    max(figures[name].mean_ms["lazy_theta"] for name, _ in mazes), 3
                ),
                "least_and_most_over_skimage_600": spread,
                "seed": IN_SEED,
                "mean_ms": {
                    name: {m: round(v, 5) for m, v in f.mean_ms.items()}
                    for name, f in figures.items()
                },
                "length_over_optimum": {
                    name: {
                        m: [round(float(np.mean(v)), 6), round(max(v), 6)]
                        for m, v in f.longer.items()
                    }
                    for name, f in figures.items()
                },
            }
        )
    )


if __name__ == "__main__":
    main()
