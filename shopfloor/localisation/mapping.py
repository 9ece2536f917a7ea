"""Building the map of a hall from what a robot's lasers saw along known poses.

For commissioning: somebody drives the robot round once, and planners get their grid.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from PIL import Image

from shopfloor.geometry import Pose, Scan
from shopfloor.grid import Grid
from shopfloor.grid.occupancy import check_size
from shopfloor.lasers import check_scan
from shopfloor.localisation.errors import UnusableMapFrame, UnusableStart
from shopfloor.localisation.mapping_kernels import mark_beams

HIT = 0.9
MISS = 0.4
MOST = 6.0
SURE = 0.5
"""Log-odds from which a cell counts as seen to be blocked, or free below minus it."""
FREE_GREY, UNKNOWN_GREY, BLOCKED_GREY = 254, 205, 0


class MapBuilder:
    """A rectangle of the map frame, ``width_m`` by ``height_m`` from its origin."""

    def __init__(
        self,
        width_m: float,
        height_m: float,
        resolution_m: float = 0.05,
        origin: tuple[float, float] = (0.0, 0.0),
        clear_to_m: float = 0.0,
    ) -> None:
        """Beams that saw nothing clear the way up to ``clear_to_m``: a laser may
        have lost such a beam on a wall, so by default they clear nothing."""
        sizes = (width_m, height_m, resolution_m)
        if not all(math.isfinite(s) and s > 0.0 for s in sizes):
            raise UnusableMapFrame(f"a map's sizes are above 0 m, not {sizes}")
        if not all(map(math.isfinite, origin)):
            raise UnusableMapFrame(f"a map's origin is finite, not {origin}")
        if not math.isfinite(clear_to_m) or clear_to_m < 0.0:
            raise UnusableMapFrame(f"beams clear 0 m or more, not {clear_to_m}")
        self.resolution_m = resolution_m
        self.origin = origin
        width = math.ceil(width_m / resolution_m - 1e-9)
        height = math.ceil(height_m / resolution_m - 1e-9)
        check_size(width, height)
        self._clear_to_m = clear_to_m
        self._odds = np.zeros((height, width), np.float32)
        self._stamp = np.zeros((height, width), np.int32)
        self._scans = 0

    def add(self, pose: Pose, scan: Scan) -> None:
        """One scan, taken by a robot at a pose of the map frame."""
        check_scan(scan)
        if not pose.is_finite:
            raise UnusableStart(f"a pose is three finite numbers, not {pose}")
        self._scans += 1
        eye = pose.plus(scan.mount)
        per_m = 1.0 / self.resolution_m
        ranges = np.where(scan.hits, scan.ranges_m, math.inf) * per_m
        mark_beams(
            self._odds,
            self._stamp,
            self._scans,
            (eye.x_m - self.origin[0]) * per_m,
            (eye.y_m - self.origin[1]) * per_m,
            eye.yaw_rad,
            scan.angles_rad,
            ranges,
            min(self._clear_to_m, scan.range_max_m) * per_m,
            # What comes back comes from a face; the blocked cell lies behind it.
            0.5,
            HIT,
            MISS,
            MOST,
        )

    @property
    def log_odds(self) -> NDArray[np.float32]:
        """Above 0 blocked, below 0 free, 0 never seen; row 0 is least y. A copy."""
        return self._odds.copy()

    @property
    def blocked(self) -> NDArray[np.bool_]:
        return np.asarray(self._odds >= SURE)

    @property
    def free(self) -> NDArray[np.bool_]:
        return np.asarray(self._odds <= -SURE)

    def to_grid(self) -> Grid:
        """Only what was seen to be free may be driven on."""
        return Grid.of(~self.free, self.resolution_m, (*self.origin, 0.0))

    def write(self, path: Path) -> None:
        """A ROS map: the YAML file given, and an image of the same name beside it."""
        pixels = np.full(self._odds.shape, UNKNOWN_GREY, np.uint8)
        pixels[self.free] = FREE_GREY
        pixels[self.blocked] = BLOCKED_GREY
        image = path.with_suffix(".pgm")
        Image.fromarray(np.ascontiguousarray(pixels[::-1])).save(image)
        document = {
            "image": image.name,
            "mode": "trinary",
            "resolution": self.resolution_m,
            "origin": [*self.origin, 0.0],
            "negate": 0,
            "occupied_thresh": 0.65,
            "free_thresh": 0.196,
        }
        path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
