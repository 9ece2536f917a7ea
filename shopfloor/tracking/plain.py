"""The textbook filter, kept as the measure of what robustness is worth.

Same motion model, same noise, same first position as the tracker gets; every range is
believed and nothing is ever doubted.
"""

import math
from collections.abc import Iterable

import numpy as np

from shopfloor.tracking.anchors import Anchor, by_id
from shopfloor.tracking.calibration import Calibration
from shopfloor.tracking.errors import UnknownAnchor
from shopfloor.tracking.motion import Walking, predict_walking
from shopfloor.tracking.range_update import absorb_plainly


class PlainEkf:
    def __init__(
        self,
        anchors: Iterable[Anchor],
        motion: Walking | None = None,
        *,
        start: tuple[float, float],
        calibration: Calibration | None = None,
        tag_height_m: float | None = None,
        noise_m: float = 0.10,
    ) -> None:
        self._anchors = by_id(anchors, purpose="tracking a tag", needed=2)
        self._motion = motion or Walking()
        self._calibration = calibration or Calibration()
        self._tag_height_m = tag_height_m
        self._noise_m = noise_m
        self._means = np.array([[start[0], start[1], 0.0, 0.0]])
        self._covariances = np.diag([1.0, 1.0, 1.0, 1.0])[None].copy()
        self._at_s = -math.inf

    def update(self, at_s: float, anchor: str, range_m: float) -> tuple[float, float]:
        place = self._anchors.get(anchor)
        if place is None:
            raise UnknownAnchor(anchor, sorted(self._anchors))
        if self._at_s > -math.inf:
            predict_walking(
                self._means,
                self._covariances,
                at_s - self._at_s,
                self._motion.restlessness_m2ps3,
                self._motion.memory_s,
                math.inf,
            )
        self._at_s = at_s
        absorb_plainly(
            self._means[0],
            self._covariances[0],
            place.x_m,
            place.y_m,
            self._calibration.rise_m(place, self._tag_height_m),
            self._calibration.correct(anchor, range_m),
            self._calibration.noise_m(anchor, self._noise_m) ** 2,
        )
        return float(self._means[0, 0]), float(self._means[0, 1])
