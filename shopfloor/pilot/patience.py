"""The clocks of a drive: how long nothing went forward, and for whose sake."""

from __future__ import annotations

import math

from shopfloor.geometry import Pose, wrapped
from shopfloor.pilot.settings import PilotSettings

PROGRESS_M = 0.1
DETOUR_M = 0.6
"""A longer way around people is not driven before they were waited for."""
PLACE_M = 0.4
PLACE_RAD = 1.0
"""To and fro within that is no way forward."""
WAITED_LATELY_S = 0.5
"""The status does not flicker while a person is being waited for."""


class Patience:
    def __init__(self, settings: PilotSettings) -> None:
        self._settings = settings
        self._stands: Pose | None = None
        self.forget()

    def forget(self) -> None:
        """A new goal."""
        self.restart(-math.inf)
        self._turning_s = 0.0

    def restart(self, now_s: float) -> None:
        """The clock itself was set."""
        self._stands, self._stood_s = None, 0.0
        self._least_left_m = math.inf
        self._moved_s = now_s
        self._trouble_since_s: float | None = None
        self._waited_s = -math.inf
        self._person_s = 0.0
        self._worth_m = DETOUR_M
        self._worth_until_s = -math.inf

    def stood_s(self, dt_s: float, pose: Pose) -> float:
        """For how long the robot has been at one place, whatever excused it.

        Cycle by cycle: a clock that is set forward makes nobody impatient.
        """
        if self._stands is None or not _same_place(self._stands, pose):
            self._stands, self._stood_s = pose, 0.0
        self._stood_s += dt_s
        return self._stood_s

    def new_route(self, now_s: float) -> None:
        self._least_left_m = math.inf
        self._moved_s = now_s

    def excuse(self, now_s: float) -> None:
        """Standing still has a reason."""
        self._moved_s = now_s

    def note(self, now_s: float, dt_s: float, left_m: float, *, turning: bool) -> None:
        """So much of the way is left."""
        if left_m < self._least_left_m - PROGRESS_M:
            self._least_left_m = left_m
            self._moved_s = now_s
            self._trouble_since_s = None
            self._turning_s = 0.0
            self._person_s = max(self._person_s - 1.0, 0.0)
        if turning:
            # No way forward, but it ends by itself, usually.
            self._turning_s += dt_s
            if self._turning_s < 2.0 * self._settings.stuck_s:
                self._moved_s = now_s

    def is_stuck(self, now_s: float) -> bool:
        return now_s - self._moved_s > self._settings.stuck_s

    def trouble_s(self, now_s: float) -> float:
        """For how long there has been no way; starts to count with the first call."""
        if self._trouble_since_s is None:
            self._trouble_since_s = now_s
        return now_s - self._trouble_since_s

    def wait_for_somebody(self, now_s: float, dt_s: float) -> bool:
        """Was that long enough to look for a long way around."""
        self._waited_s = now_s
        self._person_s += dt_s
        longer_s = self._person_s - self._settings.wait_for_person_s
        if longer_s > 0.0:
            self._worth_m = DETOUR_M + longer_s * self._settings.detour_mps
            self._worth_until_s = now_s + self._settings.go_around_for_s
        return now_s < self._worth_until_s

    def detour_m(self, now_s: float) -> float:
        """How much longer a way around somebody may be to be driven now.

        People go away: who drives five metres to save three seconds of waiting is
        later at the goal, and meets them again on the other side.
        """
        return self._worth_m if now_s < self._worth_until_s else DETOUR_M

    def waited_lately(self, now_s: float) -> bool:
        return now_s - self._waited_s < WAITED_LATELY_S


def _same_place(one: Pose, other: Pose) -> bool:
    turned = abs(wrapped(one.yaw_rad - other.yaw_rad))
    return one.distance_to(other) < PLACE_M and turned < PLACE_RAD
