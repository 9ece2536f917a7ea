"""The narrow alley: two yards, and between them houses with one bent way through.

The way turns twice by a right angle, so that its width decides which vehicle can pass
at all, and which planner still finds how. A gap beside it is a shorter way for whoever
is slim enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shopfloor.sim.vehicle import Limits, Pose
from shopfloor.sim.world import Map, RobotSpec, World, WorldRefused
from shopfloor.streets.world import StreetWorld

Wall = tuple[float, float, float, float]
Point = tuple[float, float]
SIZE_M = (24.0, 11.0)
LEFT_M, RIGHT_M = 8.0, 16.0
"""Between these x lie the houses."""
EDGE_M = 0.3
START, GOAL = Pose(4.0, 8.0), Pose(20.5, 8.0)


@dataclass(frozen=True, slots=True)
class Alley:
    width_m: float = 1.2
    enters_y_m: float = 3.0
    leaves_y_m: float = 6.5
    bend_x_m: float = 12.0
    """Middle of the part across."""
    shortcut_m: float = 0.5
    """Width of the gap; 0 for none."""
    shortcut_y_m: float = 9.5

    def __post_init__(self) -> None:
        half = self.width_m / 2.0
        if not (math.isfinite(half) and half > 0.0):
            raise WorldRefused(f"an alley is wider than 0 m, not {self.width_m:g} m")
        low = min(self.enters_y_m, self.leaves_y_m) - half
        high = max(self.enters_y_m, self.leaves_y_m) + half
        room = self.shortcut_y_m - self.shortcut_m / 2.0 if self.shortcut_m else 10.7
        across = self.bend_x_m - half > LEFT_M and self.bend_x_m + half < RIGHT_M
        if low <= EDGE_M or high >= room or not across:
            raise WorldRefused(
                f"an alley of {self.width_m:g} m does not fit between the houses"
            )

    def walls(self) -> tuple[Wall, ...]:
        """The houses as rings, then the fence around everything."""
        half, width, height = self.width_m / 2.0, *SIZE_M
        top = height - EDGE_M
        slit = self.shortcut_m / 2.0
        enters, leaves, bend = self.enters_y_m, self.leaves_y_m, self.bend_x_m
        # Going up, the bend's right side is the lower house's; going down, the left.
        lower_x = bend + math.copysign(half, leaves - enters)
        upper_x = bend - math.copysign(half, leaves - enters)
        roof = self.shortcut_y_m - slit if slit else top
        houses: list[list[Point]] = [
            [
                (LEFT_M, EDGE_M),
                (RIGHT_M, EDGE_M),
                (RIGHT_M, leaves - half),
                (lower_x, leaves - half),
                (lower_x, enters - half),
                (LEFT_M, enters - half),
            ],
            [
                (LEFT_M, enters + half),
                (upper_x, enters + half),
                (upper_x, leaves + half),
                (RIGHT_M, leaves + half),
                (RIGHT_M, roof),
                (LEFT_M, roof),
            ],
        ]
        if slit:
            above = self.shortcut_y_m + slit
            houses.append(
                [(LEFT_M, above), (RIGHT_M, above), (RIGHT_M, top), (LEFT_M, top)]
            )
        right = width - EDGE_M
        houses.append([(EDGE_M, EDGE_M), (right, EDGE_M), (right, top), (EDGE_M, top)])
        return tuple(side for ring in houses for side in _ring(ring))


def unseen_alley(seed: int, widths_m: tuple[float, float] = (0.95, 1.6)) -> Alley:
    """One alley a seed, the same for planners and for who learns: width, both ends
    and the bend are drawn; there is no gap beside it."""
    draw = np.random.default_rng(seed)
    width_m = float(draw.uniform(*widths_m))
    low = EDGE_M + width_m / 2.0 + 0.4
    high = SIZE_M[1] - EDGE_M - width_m / 2.0 - 0.4
    enters, leaves = (float(v) for v in draw.uniform(low, high, 2))
    if abs(enters - leaves) < 2.0 * width_m:
        # Two bends need room between them; otherwise it is one straight way.
        leaves = enters + math.copysign(2.0 * width_m, leaves - enters)
        leaves = leaves if low <= leaves <= high else 2.0 * enters - leaves
    bend = float(draw.uniform(LEFT_M + 2.0, RIGHT_M - 2.0))
    return Alley(width_m, enters, leaves, bend, shortcut_m=0.0)


def _ring(corners: list[Point]) -> list[Wall]:
    ends = [*corners[1:], corners[0]]
    return [(*a, *b) for a, b in zip(corners, ends, strict=True)]


def alley_world(alley: Alley | None = None, vehicle: str = "zebrat") -> StreetWorld:
    alley = alley or Alley()
    world = World(
        "Narrow alley",
        Map(0.05, *SIZE_M, walls=alley.walls()),
        {"start": START, "goal": GOAL},
        (
            RobotSpec(
                vehicle,
                START,
                kind="ackermann",
                profile="move_base_ackermann",
                limits=Limits(1.5),
                max_payload_kg=40.0,
                radius_m=0.6,
                tag=1,
                vehicle=vehicle,
            ),
        ),
    )
    return StreetWorld(world)
