"""Positions that explain a handful of recent ranges, without any earlier position.

Needed twice: at the start, and when the filter no longer explains what it hears. Two
anchors leave two positions, delayed ranges leave more, so the answer is a list: every
pair of circles offers its crossings, each is improved until it settles, and what is
left are the different places with their costs.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.tracking.compiled import kernel
from shopfloor.tracking.range_update import (
    NEAREST_M,
    delayed_density,
    direct_density,
)

Floats = NDArray[np.float64]

ROUNDS = 12
APART_M = 0.6
# Natural logarithm of how much less probable a place may be than the best one.
WORSE_BY = 9.0
# Circles of more anchors than this add work and no new crossing worth a try.
CIRCLES = 6


@dataclass(frozen=True)
class Place:
    x_m: float
    y_m: float
    cost: float
    covariance: Floats


@kernel
def settle(
    starts: Floats,
    anchors: Floats,
    ranges: Floats,
    moved: Floats,
    variances: Floats,
    delayed_share: float,
    places: Floats,
    information: Floats,
    costs: Floats,
) -> None:
    """Improve each start; ``moved``: tag at each range minus tag now; x, y, rise."""
    for row in range(starts.shape[0]):
        x, y = starts[row, 0], starts[row, 1]
        a = b = c = cost = 0.0
        for turn in range(ROUNDS + 1):
            a, b, c, gx, gy, cost = 1e-3, 0.0, 1e-3, 0.0, 0.0, 0.0
            for i in range(ranges.shape[0]):
                dx = x + moved[i, 0] - anchors[i, 0]
                dy = y + moved[i, 1] - anchors[i, 1]
                rise = anchors[i, 2]
                distance = max(NEAREST_M, math.sqrt(dx * dx + dy * dy + rise * rise))
                residual = ranges[i] - distance
                direct = (1.0 - delayed_share) * direct_density(residual, variances[i])
                late = delayed_share * delayed_density(
                    residual, math.sqrt(variances[i])
                )
                cost -= math.log(direct + late)
                # Early rounds follow every range a little, or a far start never moves.
                trust = max(direct / (direct + late), 0.1 if turn < 5 else 0.0)
                weight = trust / variances[i]
                hx, hy = dx / distance, dy / distance
                a += weight * hx * hx
                b += weight * hx * hy
                c += weight * hy * hy
                gx += weight * hx * residual
                gy += weight * hy * residual
            if turn == ROUNDS:
                break
            determinant = a * c - b * b
            x += (c * gx - b * gy) / determinant
            y += (a * gy - b * gx) / determinant
        places[row, 0] = x
        places[row, 1] = y
        costs[row] = cost
        information[row, 0, 0] = a
        information[row, 0, 1] = information[row, 1, 0] = b
        information[row, 1, 1] = c


def crossings(anchors: Floats, ranges: Floats) -> list[tuple[float, float]]:
    """Where the circles of each pair of anchors cross, or come nearest to it."""
    points: list[tuple[float, float]] = []
    count = min(len(ranges), CIRCLES)
    for i in range(count):
        for j in range(i + 1, count):
            points += _pair(anchors[i], float(ranges[i]), anchors[j], float(ranges[j]))
    return points


def _pair(
    one: Floats, one_m: float, other: Floats, other_m: float
) -> list[tuple[float, float]]:
    one_m = math.sqrt(max(0.0, one_m**2 - one[2] ** 2))
    other_m = math.sqrt(max(0.0, other_m**2 - other[2] ** 2))
    dx, dy = float(other[0] - one[0]), float(other[1] - one[1])
    base = math.hypot(dx, dy)
    if base < NEAREST_M:
        return []
    along = (one_m**2 - other_m**2 + base**2) / (2.0 * base)
    aside = math.sqrt(max(0.0, one_m**2 - along**2))
    if aside == 0.0:
        along = min(max(along, -one_m), one_m)
        # A start on the baseline never leaves it: both sides are worth a try.
        aside = 0.3
    ux, uy = dx / base, dy / base
    foot_x, foot_y = one[0] + along * ux, one[1] + along * uy
    return [
        (foot_x - side * aside * uy, foot_y + side * aside * ux) for side in (1.0, -1.0)
    ]


def locate(
    starts: list[tuple[float, float]],
    anchors: Floats,
    ranges: Floats,
    moved: Floats,
    variances: Floats,
    delayed_share: float,
) -> list[Place]:
    """The different places that explain the ranges, best first."""
    begin = np.asarray(starts, dtype=np.float64).reshape(-1, 2)
    places = np.empty_like(begin)
    information = np.empty((len(begin), 2, 2))
    costs = np.empty(len(begin))
    settle(
        begin,
        anchors,
        ranges,
        moved,
        variances,
        delayed_share,
        places,
        information,
        costs,
    )
    chosen: list[Place] = []
    for row in np.argsort(costs, kind="stable"):
        x, y, cost = float(places[row, 0]), float(places[row, 1]), float(costs[row])
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(cost)):
            continue
        if chosen and cost > chosen[0].cost + WORSE_BY:
            break
        if all(math.hypot(x - p.x_m, y - p.y_m) > APART_M for p in chosen):
            chosen.append(Place(x, y, cost, np.linalg.inv(information[row])))
    return chosen
