"""A timed elastic band as least squares: poses and the times between them.

C. Rösmann et al., "Trajectory modification considering dynamic constraints of
autonomous robots" (2012), and for car-like robots (2017). Every term sees three poses
at most, so the normal equations are a band: one step costs little more than a look at
all terms. Steps are Levenberg's; derivatives are differences.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.maneuvers.scene import gap_then, turned
from shopfloor.vehicles.motion import (
    ACCEL,
    BRAKING,
    FORWARD,
    LATERAL,
    LOCK,
    REVERSE,
    STEERING_RATE,
    WHEEL_BASE,
)

NODE = 4
"""x, y, yaw, seconds to the next pose."""
WIDTH = 3 * NODE
TERMS = 9
# Weights, by index.
ARC, RADIUS, SPEED, ACCELERATION, STEER, TIME, ROOM, PATH, END = range(9)
DIFFERENCE = 1e-5
LEAST_S = 0.02


@kernel
def _terms(
    band: NDArray[np.float64],
    i: int,
    last: int,
    direction: float,
    speed: float,
    steering: float,
    stands: bool,
    numbers: NDArray[np.float64],
    weights: NDArray[np.float64],
    out: NDArray[np.float64],
) -> None:
    """What the piece from pose ``i`` to the next and the one after is to obey."""
    dx, dy = band[i + 1, 0] - band[i, 0], band[i + 1, 1] - band[i, 1]
    yaw, turn = band[i, 2], band[i + 1, 2] - band[i, 2]
    seconds = max(band[i, 3], LEAST_S)
    middle = yaw + 0.5 * turn
    ahead = dx * math.cos(middle) + dy * math.sin(middle)
    base, lock = numbers[WHEEL_BASE], numbers[LOCK]
    bend = turn / (ahead if abs(ahead) > 1e-3 else math.copysign(1e-3, ahead))
    v = ahead / seconds
    # A chord of an arc lies along its middle heading.
    out[0] = weights[ARC] * (dy * math.cos(middle) - dx * math.sin(middle))
    out[1] = weights[RADIUS] * max(abs(turn) * base / math.tan(lock) - abs(ahead), 0.0)
    out[2] = weights[RADIUS] * max(0.02 - direction * ahead, 0.0)
    most, least = numbers[FORWARD], -numbers[REVERSE]
    out[3] = weights[SPEED] * (max(v - most, 0.0) + max(least - v, 0.0))
    out[4] = weights[SPEED] * max(abs(v * turn / seconds) - numbers[LATERAL], 0.0)
    out[5] = weights[TIME] * seconds
    out[6] = 0.0
    out[7] = 0.0
    out[8] = weights[SPEED] * max(LEAST_S * 2.0 - band[i, 3], 0.0)
    slower, faster = numbers[BRAKING], numbers[ACCEL]
    angle = math.atan(base * bend)
    if i == 0:
        gain = direction * (v - speed) / seconds
        out[6] = weights[ACCELERATION] * max(gain - faster, -gain - slower, 0.0)
        change = abs(angle - steering) / seconds - numbers[STEERING_RATE]
        out[7] = 0.3 * weights[STEER] * max(change, 0.0)
    if i + 1 < last:
        ex, ey = band[i + 2, 0] - band[i + 1, 0], band[i + 2, 1] - band[i + 1, 1]
        next_turn = band[i + 2, 2] - band[i + 1, 2]
        next_s = max(band[i + 1, 3], LEAST_S)
        heading = band[i + 1, 2] + 0.5 * next_turn
        next_ahead = ex * math.cos(heading) + ey * math.sin(heading)
        mean_s = 0.5 * (seconds + next_s)
        gain = direction * (next_ahead / next_s - v) / mean_s
        out[6] += weights[ACCELERATION] * max(gain - faster, -gain - slower, 0.0)
        next_bend = next_turn / (
            next_ahead if abs(next_ahead) > 1e-3 else math.copysign(1e-3, next_ahead)
        )
        change = abs(math.atan(base * next_bend) - angle) / mean_s
        out[7] += weights[STEER] * max(change - numbers[STEERING_RATE], 0.0)
    elif stands:
        out[6] += weights[ACCELERATION] * max(direction * v / seconds - slower, 0.0)


@kernel
def _room(
    pose: NDArray[np.float64],
    after_s: float,
    touching: bool,
    keep: float,
    outline: NDArray[np.float64],
    inner: NDArray[np.float64],
    shrunk: float,
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
) -> float:
    """How much room a pose lacks. Where the hull touches already, a smaller box in it
    says which way is out."""
    x, y, yaw = pose[0], pose[1], pose[2]
    if touching:
        most = keep + shrunk * 1.5
        gap = gap_then(x, y, yaw, after_s, inner, walls, discs, most)
        return max(keep - gap + shrunk * 1.4142, 0.0)
    gap = gap_then(x, y, yaw, after_s, outline, walls, discs, keep)
    return max(keep - gap, 0.0)


@kernel
def cost_of_band(
    band: NDArray[np.float64],
    wanted: NDArray[np.float64],
    direction: float,
    speed: float,
    steering: float,
    stands: bool,
    keep: float,
    numbers: NDArray[np.float64],
    outline: NDArray[np.float64],
    inner: NDArray[np.float64],
    shrunk: float,
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> float:
    last = band.shape[0] - 1
    out = np.empty(TERMS)
    total, at = 0.0, 0.0
    for i in range(last):
        _terms(band, i, last, direction, speed, steering, stands, numbers, weights, out)
        for k in range(TERMS):
            total += out[k] * out[k]
        at += band[i, 3]
        pose = band[i + 1]
        gap = gap_then(pose[0], pose[1], pose[2], at, outline, walls, discs, keep)
        lack = _room(pose, at, gap <= 0.0, keep, outline, inner, shrunk, walls, discs)
        total += (weights[ROOM] * lack) ** 2
        pull = weights[END] if i + 1 == last else weights[PATH]
        for k in range(2):
            total += (pull * (pose[k] - wanted[i + 1, k])) ** 2
        if i + 1 == last:
            total += (0.5 * pull * turned(pose[2] - wanted[last, 2])) ** 2
    return total


@kernel
def _solve(
    lower: NDArray[np.float64], right: NDArray[np.float64], unknowns: int
) -> bool:
    """In place by Cholesky; ``lower[i, j]`` is the entry of row i, column i - j."""
    for i in range(unknowns):
        for j in range(min(i, WIDTH - 1), -1, -1):
            column = i - j
            total = lower[i, j]
            for k in range(1, min(WIDTH - 1 - j, column) + 1):
                total -= lower[i, j + k] * lower[column, k]
            if j > 0:
                lower[i, j] = total / lower[column, 0]
            elif total <= 0.0:
                return False
            else:
                lower[i, 0] = math.sqrt(total)
        total = right[i]
        for k in range(1, min(WIDTH - 1, i) + 1):
            total -= lower[i, k] * right[i - k]
        right[i] = total / lower[i, 0]
    for i in range(unknowns - 1, -1, -1):
        total = right[i]
        for k in range(1, min(WIDTH - 1, unknowns - 1 - i) + 1):
            total -= lower[i + k, k] * right[i + k]
        right[i] = total / lower[i, 0]
    return True


@kernel
def _normal_equations(
    band: NDArray[np.float64],
    wanted: NDArray[np.float64],
    direction: float,
    speed: float,
    steering: float,
    stands: bool,
    keep: float,
    numbers: NDArray[np.float64],
    outline: NDArray[np.float64],
    inner: NDArray[np.float64],
    shrunk: float,
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    weights: NDArray[np.float64],
    lower: NDArray[np.float64],
    right: NDArray[np.float64],
) -> None:
    last = band.shape[0] - 1
    lower[:] = 0.0
    right[:] = 0.0
    base, moved = np.empty(TERMS), np.empty(TERMS)
    slope = np.empty((TERMS, WIDTH))
    at = 0.0
    for i in range(last):
        _terms(
            band, i, last, direction, speed, steering, stands, numbers, weights, base
        )
        count = min(WIDTH, (last + 1 - i) * NODE)
        for u in range(count):
            node, part = i + u // NODE, u % NODE
            kept = band[node, part]
            band[node, part] = kept + DIFFERENCE
            _terms(
                band,
                i,
                last,
                direction,
                speed,
                steering,
                stands,
                numbers,
                weights,
                moved,
            )
            band[node, part] = kept
            for k in range(TERMS):
                slope[k, u] = (moved[k] - base[k]) / DIFFERENCE
        first = i * NODE
        for u in range(count):
            for k in range(TERMS):
                if slope[k, u] == 0.0:
                    continue
                right[first + u] -= slope[k, u] * base[k]
                for w in range(u + 1):
                    lower[first + u, u - w] += slope[k, u] * slope[k, w]
        at += band[i, 3]
        pose = band[i + 1]
        row = first + NODE
        gap = gap_then(pose[0], pose[1], pose[2], at, outline, walls, discs, keep)
        if gap < keep:
            touching = gap <= 0.0
            lack = _room(pose, at, touching, keep, outline, inner, shrunk, walls, discs)
            for u in range(3):
                kept = pose[u]
                pose[u] = kept + DIFFERENCE
                more = _room(
                    pose, at, touching, keep, outline, inner, shrunk, walls, discs
                )
                pose[u] = kept
                slope[0, u] = weights[ROOM] * (more - lack) / DIFFERENCE
            for u in range(3):
                right[row + u] -= slope[0, u] * weights[ROOM] * lack
                for w in range(u + 1):
                    lower[row + u, u - w] += slope[0, u] * slope[0, w]
        pull = weights[END] if i + 1 == last else weights[PATH]
        for u in range(2):
            lower[row + u, 0] += pull * pull
            right[row + u] -= pull * pull * (pose[u] - wanted[i + 1, u])
        if i + 1 == last:
            off = turned(pose[2] - wanted[last, 2])
            lower[row + 2, 0] += 0.25 * pull * pull
            right[row + 2] -= 0.25 * pull * pull * off
    # The vehicle is where it is; no time passes after the last pose.
    for u in range(3):
        lower[u, 0] += 1e9
        right[u] = 0.0
    lower[last * NODE + 3, 0] += 1.0


@kernel
def optimise(
    band: NDArray[np.float64],
    wanted: NDArray[np.float64],
    direction: float,
    speed: float,
    steering: float,
    stands: bool,
    keep: float,
    numbers: NDArray[np.float64],
    outline: NDArray[np.float64],
    inner: NDArray[np.float64],
    shrunk: float,
    walls: NDArray[np.float64],
    discs: NDArray[np.float64],
    weights: NDArray[np.float64],
    rounds: int,
) -> float:
    """Improve the band in place; what it costs in the end."""
    nodes = band.shape[0]
    unknowns = nodes * NODE
    lower, right = np.empty((unknowns, WIDTH)), np.empty(unknowns)
    tried = np.empty_like(band)
    cost = cost_of_band(
        band, wanted, direction, speed, steering, stands, keep, numbers, outline,
        inner, shrunk, walls, discs, weights,
    )  # fmt: skip
    damping = 1e-2
    for _ in range(rounds):
        _normal_equations(
            band, wanted, direction, speed, steering, stands, keep, numbers, outline,
            inner, shrunk, walls, discs, weights, lower, right,
        )  # fmt: skip
        for i in range(unknowns):
            lower[i, 0] += damping * (lower[i, 0] + 1.0)
        better = False
        if _solve(lower, right, unknowns):
            longest = 0.0
            for i in range(nodes):
                for k in range(3):
                    longest = max(longest, abs(right[i * NODE + k]))
            share = min(1.0, 0.3 / longest) if longest > 0.0 else 0.0
            for i in range(nodes):
                for k in range(NODE):
                    tried[i, k] = band[i, k] + share * right[i * NODE + k]
                tried[i, 3] = min(max(tried[i, 3], LEAST_S), 5.0)
            now = cost_of_band(
                tried, wanted, direction, speed, steering, stands, keep, numbers,
                outline, inner, shrunk, walls, discs, weights,
            )  # fmt: skip
            if now < cost:
                band[:] = tried
                better = True
                done = cost - now < 1e-4 * cost
                cost, damping = now, max(0.3 * damping, 1e-6)
                if done:
                    break
        if not better:
            damping *= 5.0
            if damping > 1e4:
                break
    return cost
