"""Making way for a robot that goes first, where two do not fit side by side.

The one that yields backs out to the nearest place where it stands in nobody's way:
where the free floor stays in one piece around it. It waits there until the other one
has gone by.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shopfloor.geometry import Pose
from shopfloor.grid import Grid
from shopfloor.local.peers import Peer
from shopfloor.local.refuge_kernels import out_of_the_way

MEETS_WITHIN_M = 2.0
"""From hull to hull: robots farther away do not block each other."""
GONE_M = 1.2
THERE_M = 0.4
"""Only who waits aside sees the other one come and go."""
WAITS_FOR_S = 30.0
"""For a robot that does not come; then its own goal counts again."""
APART_M = 0.45
"""From hull to hull while the other one drives by."""
PASSES_M = 0.2
"""The same on the way aside."""
EVERY_CELLS = 4
WHOLE = 0.97
"""Of the floor that the other one can still reach: what is beyond is a dead end."""


class MakingWay:
    def __init__(self, floor: Grid, radius_m: float) -> None:
        """``floor`` is where the middle of a robot may be."""
        self._floor = floor
        self._radius_m = radius_m
        self.forget()

    def forget(self) -> None:
        self.place: Pose | None = None
        """Where to wait; None while nobody is yielded to."""
        self._for = ""
        self._since_s = 0.0
        self._nearest_m = math.inf

    def begin(self, now_s: float, pose: Pose, peers: Sequence[Peer]) -> bool:
        """Is there a robot to make way for, and a place to go."""
        near = [
            p
            for p in peers
            if p.goes_first and p.gap_m(pose, self._radius_m) < MEETS_WITHIN_M
        ]
        if not near:
            return False
        peer = min(near, key=lambda p: p.gap_m(pose, self._radius_m))
        place = self._refuge(pose, peer)
        if place is None:
            return False
        self.place, self._for, self._since_s = place, peer.tag.tag, now_s
        self._nearest_m = math.inf
        return True

    def is_over(self, now_s: float, pose: Pose, peers: Sequence[Peer]) -> bool:
        """The other one has gone by, or never came."""
        if now_s - self._since_s > WAITS_FOR_S:
            return True
        mine = [p for p in peers if p.tag.tag == self._for]
        if not mine:
            return True
        gap_m = mine[0].gap_m(pose, self._radius_m)
        if self.place is not None and pose.distance_to(self.place) < THERE_M:
            self._nearest_m = min(self._nearest_m, gap_m)
        return self._nearest_m < math.inf and gap_m > max(self._nearest_m + 0.8, GONE_M)

    def _refuge(self, pose: Pose, peer: Peer) -> Pose | None:
        floor = self._floor
        start = floor.nearest_free(pose.x_m, pose.y_m, 1.0)
        theirs = floor.nearest_free(peer.x_m, peer.y_m, 1.0)
        if start is None or theirs is None:
            return None
        x, y = floor.to_cells(*start)
        px, py = floor.to_cells(*theirs)
        hulls_m = self._radius_m + peer.radius_m
        column, row = out_of_the_way(
            floor.cells,
            int(x) - 1,
            int(y) - 1,
            int(px) - 1,
            int(py) - 1,
            (hulls_m + PASSES_M) / floor.resolution_m,
            (hulls_m + APART_M) / floor.resolution_m,
            EVERY_CELLS,
            WHOLE,
        )
        if column < 0:
            return None
        at = floor.to_metres(np.array([[column + 1.5, row + 1.5]]))[0]
        return Pose(float(at[0]), float(at[1]), pose.yaw_rad)
