"""Shortest ways of a car that drives forwards and backwards, where nothing stands.

J. A. Reeds, L. A. Shepp, "Optimal paths for a car that goes both forwards and
backwards" (1990): nine families of words of arcs and straight pieces; time flip,
reflection and reading backwards give the rest. Every word is driven once before it is
believed, so a wrong branch of an arc tangent can cost a way and never the truth.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from kernel_store.compiled import kernel
from shopfloor.vehicles.motion import along_arc

PIECES = 5
FAMILIES = 9
QUARTER = 0.5 * math.pi
CLOSE = 1e-6


@kernel
def _turned(angle: float) -> float:
    turn = angle - math.tau * math.floor(angle / math.tau)
    return turn - math.tau if turn > math.pi else turn


@kernel
def _outer_angles(
    u: float, v: float, xi: float, eta: float, phi: float
) -> tuple[float, float]:
    """First and last angle of the words with four arcs."""
    delta = _turned(u - v)
    a, b = math.sin(u) - math.sin(delta), math.cos(u) - math.cos(delta) - 1.0
    first = math.atan2(eta * a - xi * b, xi * a + eta * b)
    if 2.0 * (math.cos(delta) - math.cos(v) - math.cos(u)) + 3.0 < 0.0:
        first += math.pi
    first = _turned(first)
    return first, _turned(first - u + v - phi)


@kernel
def _word(
    family: int,
    x: float,
    y: float,
    phi: float,
    lengths: NDArray[np.float64],
    bends: NDArray[np.float64],
) -> bool:
    """Fill in one word for a radius of 1; false where the family has none."""
    lengths[:] = 0.0
    bends[:] = 0.0
    same = family in (0, 2, 5)
    # The middle of the last turn, seen from the middle of the first one.
    xi = x - math.sin(phi) if same else x + math.sin(phi)
    eta = y - 1.0 + math.cos(phi) if same else y - 1.0 - math.cos(phi)
    far, bearing = math.hypot(xi, eta), math.atan2(eta, xi)
    if family == 0:  # left, straight, left
        t, u = bearing, far
        v = _turned(phi - t)
        lengths[0], lengths[1], lengths[2] = t, u, v
        bends[0], bends[2] = 1.0, 1.0
        return t >= 0.0 and v >= 0.0
    if family == 1:  # left, straight, right
        if far < 2.0:
            return False
        u = math.sqrt(far * far - 4.0)
        t = _turned(bearing + math.atan2(2.0, u))
        v = _turned(t - phi)
        lengths[0], lengths[1], lengths[2] = t, u, v
        bends[0], bends[2] = 1.0, -1.0
        return t >= 0.0 and v >= 0.0
    if family == 2:  # left, right backwards, left
        if far > 4.0:
            return False
        u = -2.0 * math.asin(0.25 * far)
        t = _turned(bearing + 0.5 * u + math.pi)
        v = _turned(phi - t + u)
        lengths[0], lengths[1], lengths[2] = t, u, v
        bends[0], bends[1], bends[2] = 1.0, -1.0, 1.0
        return t >= 0.0
    if family in (3, 4):  # four arcs, both in the middle alike
        rho = 0.25 * (2.0 + far) if family == 3 else (20.0 - far * far) / 16.0
        if not 0.0 <= rho <= 1.0:
            return False
        u = math.acos(rho) if family == 3 else -math.acos(rho)
        back = -u if family == 3 else u
        t, v = _outer_angles(u, back, xi, eta, phi)
        lengths[0], lengths[1], lengths[2], lengths[3] = t, u, back, v
        bends[0], bends[1], bends[2], bends[3] = 1.0, -1.0, 1.0, -1.0
        return t >= 0.0
    if far < 2.0:
        return False
    if family == 5:  # left, a quarter right, straight, left, these three backwards
        u = 2.0 - math.sqrt(far * far - 4.0)
        t = _turned(bearing + math.atan2(math.sqrt(far * far - 4.0), -2.0))
        v = _turned(phi - QUARTER - t)
        lengths[0], lengths[1], lengths[2], lengths[3] = t, -QUARTER, u, v
        bends[0], bends[1], bends[3] = 1.0, -1.0, 1.0
        return t >= 0.0 and u <= 0.0
    if family == 6:  # the same, and right at the end
        t = math.atan2(xi, -eta)
        u = 2.0 - far
        v = _turned(t + QUARTER - phi)
        lengths[0], lengths[1], lengths[2], lengths[3] = t, -QUARTER, u, v
        bends[0], bends[1], bends[3] = 1.0, -1.0, -1.0
        return t >= 0.0 and u <= 0.0
    if family == 7:  # a quarter on both sides of the straight piece
        u = 4.0 - math.sqrt(far * far - 4.0)
        t = _turned(math.atan2((4.0 - u) * xi - 2.0 * eta, -2.0 * xi + (u - 4.0) * eta))
        v = _turned(t - phi)
        lengths[0], lengths[1], lengths[2] = t, -QUARTER, u
        lengths[3], lengths[4] = -QUARTER, v
        bends[0], bends[1], bends[3], bends[4] = 1.0, -1.0, 1.0, -1.0
        return t >= 0.0 and u <= 0.0 and v >= 0.0
    return False


@kernel
def shortest_way(
    x: float,
    y: float,
    yaw: float,
    radius: float,
    reverse_cost: float,
    turn_cost: float,
    lengths: NDArray[np.float64],
    bends: NDArray[np.float64],
) -> float:
    """From the origin to a pose: signed lengths (m) and curvatures (1/m) of at most
    five pieces; the cost counts reverse metres dearer and each change of direction.
    Infinite if no word fits."""
    best = math.inf
    some, turns = np.empty(PIECES), np.empty(PIECES)
    px, py = x / radius, y / radius
    for variant in range(8):
        flip = 1.0 if variant & 1 == 0 else -1.0
        mirror = 1.0 if variant & 2 == 0 else -1.0
        backwards = variant & 4 != 0
        ax, ay, phi = flip * px, mirror * py, flip * mirror * yaw
        if backwards:
            ax, ay = (
                ax * math.cos(phi) + ay * math.sin(phi),
                ax * math.sin(phi) - ay * math.cos(phi),
            )
        for family in range(FAMILIES - 1):
            if not _word(family, ax, ay, phi, some, turns):
                continue
            cost, before = 0.0, 0.0
            for i in range(PIECES):
                j = PIECES - 1 - i if backwards else i
                length = flip * some[j]
                if abs(length) < 1e-9:
                    continue
                cost += abs(length) * (reverse_cost if length < 0.0 else 1.0) * radius
                if before * length < 0.0:
                    cost += turn_cost
                before = length
            if cost >= best - 1e-9:
                continue
            ex, ey, eyaw = 0.0, 0.0, 0.0
            for i in range(PIECES):
                j = PIECES - 1 - i if backwards else i
                ex, ey, eyaw = along_arc(
                    ex, ey, eyaw, flip * some[j], mirror * turns[j]
                )
            if abs(ex - px) + abs(ey - py) + abs(_turned(eyaw - yaw)) > CLOSE * (
                1.0 + abs(px) + abs(py)
            ):
                continue
            best = cost
            for i in range(PIECES):
                j = PIECES - 1 - i if backwards else i
                lengths[i] = flip * some[j] * radius
                bends[i] = mirror * turns[j] / radius
    return best
