"""Everybody near who moves by their own will, people and robots, as rows of numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.control.watching import in_grid_frame
from shopfloor.geometry import Pose, TagSeen
from shopfloor.grid import Grid
from shopfloor.local import window_kernels
from shopfloor.local.peers import Peer
from shopfloor.local.people import WALKING_MPS, Courtesy
from shopfloor.local.window import NOBODY, LocalWindow

FALLOFF_M = 1.0
"""The cost of being near fades out over so much beyond the distance kept."""


@dataclass(frozen=True, slots=True, eq=False)
class Company:
    rows: NDArray[np.float64]
    """x, y, vx, vy, radius of their returns; in the frame of the cells."""
    keep_m: NDArray[np.float64]
    """From middle to middle."""
    first: NDArray[np.bool_]
    """Who goes first: people, and robots with the right of way."""

    @property
    def waited_for(self) -> bool:
        return bool(self.first.any())

    def is_crossed(self, right: tuple[float, float]) -> bool:
        """Somebody who goes first walks more across the robot's way than along it."""
        vx, vy = self.rows[:, 2], self.rows[:, 3]
        speed = np.hypot(vx, vy)
        across = np.abs(vx * right[0] + vy * right[1])
        crosses = (speed > WALKING_MPS) & (across > 0.7 * speed)
        return bool((crosses & self.first).any())


def returns_of(
    grid: Grid,
    people: Sequence[TagSeen],
    peers: Sequence[Peer],
    courtesy: Courtesy,
) -> NDArray[np.float64]:
    """Rows x, y, vx, vy, radius of their returns, in the frame of the cells."""
    if not people and not peers:
        return NOBODY
    reaches = [courtesy.returns_m + person.sigma_m for person in people]
    reaches += [peer.returns_m for peer in peers]
    tags = [*people, *(peer.tag for peer in peers)]
    rows = np.empty((len(tags), 5))
    cos, sin = math.cos(grid.origin[2]), math.sin(grid.origin[2])
    for i, tag in enumerate(tags):
        x, y, _ = in_grid_frame(grid, Pose(tag.x_m, tag.y_m))
        vx = cos * tag.vx_mps + sin * tag.vy_mps
        vy = cos * tag.vy_mps - sin * tag.vx_mps
        rows[i] = (x, y, vx, vy, reaches[i])
    return rows


def company_near(
    grid: Grid,
    pose: Pose,
    people: Sequence[TagSeen],
    peers: Sequence[Peer],
    courtesy: Courtesy,
    radius_m: float,
    reach_m: float,
) -> Company | None:
    """Those within reach of the robot, if any."""
    near_people = [p for p in people if _near(pose, p, reach_m)]
    near_peers = [p for p in peers if _near(pose, p.tag, reach_m)]
    if not near_people and not near_peers:
        return None
    keep = [radius_m + courtesy.distance_m + 0.05 + p.sigma_m for p in near_people]
    keep += [peer.keep_m(radius_m) for peer in near_peers]
    first = [True] * len(near_people) + [peer.goes_first for peer in near_peers]
    return Company(
        returns_of(grid, near_people, near_peers, courtesy),
        np.array(keep),
        np.array(first, np.bool_),
    )


def _near(pose: Pose, tag: TagSeen, reach_m: float) -> bool:
    return math.hypot(tag.x_m - pose.x_m, tag.y_m - pose.y_m) < reach_m


def cost_of(
    company: Company,
    window: LocalWindow,
    blocked: NDArray[np.uint8],
    right: tuple[float, float],
    courtesy: Courtesy,
) -> NDArray[np.float32]:
    """Block their room; what it costs to come near, more on their left than right."""
    return _cost(company, window, blocked, right, courtesy, company.keep_m)


def block_company(
    company: Company,
    window: LocalWindow,
    blocked: NDArray[np.uint8],
    less_m: float,
    courtesy: Courtesy,
) -> None:
    """Block the room of everybody, somewhat less of it."""
    _cost(company, window, blocked, (0.0, 0.0), courtesy, company.keep_m - less_m)


def _cost(
    company: Company,
    window: LocalWindow,
    blocked: NDArray[np.uint8],
    right: tuple[float, float],
    courtesy: Courtesy,
    keep_m: NDArray[np.float64],
) -> NDArray[np.float32]:
    cost = np.zeros((window.cells + 2) ** 2, np.float32)
    window_kernels.add_people(
        blocked,
        cost,
        window.left,
        window.low,
        window.resolution_m,
        company.rows,
        keep_m,
        courtesy.block_s,
        courtesy.foresee_s,
        FALLOFF_M,
        -right[0],
        -right[1],
        courtesy.left_m,
    )
    cost.flags.writeable = False
    return cost
