"""The emergency stop, with its two thresholds.

Stop when something is nearer than the first, move again when it is farther than the
second. Taken for every return, robots never leave a rack again: they drive up to it
on purpose and it never goes away. So the rule counts what the map does not explain
(and people); mapped obstacles are kept away from by the honest speed. The literal
rule stays here to be compared with.
"""

from __future__ import annotations

import math

from shopfloor.control.errors import ThresholdsRefused
from shopfloor.control.watching import Near, Surroundings

STOP_M = 0.20
RESUME_M = 0.60


class EmergencyStop:
    """Counts returns that the map does not explain, and tagged people."""

    counts_all = False

    def __init__(self, stop_m: float = STOP_M, resume_m: float = RESUME_M) -> None:
        if not 0.0 < stop_m <= resume_m < math.inf:
            raise ThresholdsRefused(
                f"a robot stops nearer than it moves again: {stop_m} and {resume_m} m"
            )
        self.stop_m = stop_m
        self.resume_m = resume_m
        self.stopped = False
        self.for_person = False

    def step(self, around: Surroundings, person_m: float = math.inf) -> Near:
        """Once per cycle; returns the thing that counts.

        ``person_m`` is the room between the hull and the nearest tagged person.
        """
        thing = around.nearest(unexplained=not self.counts_all)
        nearest_m = min(thing.clearance_m, person_m)
        if math.isnan(nearest_m):
            nearest_m = 0.0
        threshold = self.resume_m if self.stopped else self.stop_m
        self.stopped = nearest_m < threshold
        self.for_person = self.stopped and person_m < threshold
        return thing


class LiteralStop(EmergencyStop):
    """Counts every return, racks and walls too."""

    counts_all = True


def literal_stop(
    nearest_m: float,
    stopped: bool,
    stop_m: float = STOP_M,
    resume_m: float = RESUME_M,
) -> bool:
    """The published rule in one line: stopped below the first, until the second."""
    return nearest_m < (resume_m if stopped else stop_m)
