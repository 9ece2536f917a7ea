"""Follows one tag from single ranges, whoever carries it.

The temporal constraint does the work: two ranges are enough to go on, a delayed range
is doubted, and when nothing fits any more the recent ranges are asked for a new place.
One tracker per tag; no clock, no I/O: time comes with the measurements.
"""

import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from shopfloor.tracking.anchors import Anchor, by_id
from shopfloor.tracking.bank import Bank
from shopfloor.tracking.calibration import Calibration
from shopfloor.tracking.errors import (
    TimeWentBackwards,
    UnknownAnchor,
    UnusableOdometry,
    UnusableRange,
    UnusableTime,
    WrongMotionModel,
)
from shopfloor.tracking.motion import (
    Driving,
    Walking,
    predict_driving,
    predict_walking,
)
from shopfloor.tracking.multilateration import Place, crossings, locate
from shopfloor.tracking.range_update import ROOT_2_PI, absorb_range

Floats = NDArray[np.float64]

FARTHEST_M = 10_000.0
HEADINGS = 8


@dataclass(frozen=True)
class Bounds:
    """Where a tag can be at all: the hall."""

    min_x_m: float
    min_y_m: float
    max_x_m: float
    max_y_m: float


@dataclass(frozen=True)
class Tuning:
    """What a plant may want to change; the defaults suit people indoors."""

    noise_m: float = 0.10
    usual_delayed_share: float = 0.10
    obstruction_s: float = 1.5
    window_s: float = 1.5
    window_ranges: int = 16
    start_after_s: float = 1.0
    lost_after_s: float = 5.0
    doubt_below: float = -1.6
    doubt_every: int = 6
    challenger_handicap: float = 4.0
    edge_m: float = 0.3


@dataclass(frozen=True)
class Estimate:
    """Where the tag is believed to be, and how surely.

    ``alternatives``: other places (x, y, probability) that explain the ranges too, such
    as the mirror image over the line of two anchors.
    """

    at_s: float
    x_m: float
    y_m: float
    covariance: tuple[tuple[float, float], tuple[float, float]]
    velocity_mps: tuple[float, float] | None
    heading_rad: float | None
    alternatives: tuple[tuple[float, float, float], ...] = ()

    @property
    def sigma_m(self) -> float:
        """Standard deviation along the worse axis."""
        (a, b), (_, d) = self.covariance
        return math.sqrt((a + d) / 2.0 + math.hypot((a - d) / 2.0, b))


@dataclass(frozen=True)
class _Heard:
    at_s: float
    slot: int
    range_m: float
    odometry: tuple[float, float, float]


class TagTracker:
    def __init__(
        self,
        anchors: Iterable[Anchor],
        motion: Walking | Driving | None = None,
        *,
        bounds: Bounds | None = None,
        calibration: Calibration | None = None,
        tag_height_m: float | None = None,
        tuning: Tuning | None = None,
    ) -> None:
        known = by_id(anchors, purpose="tracking a tag", needed=2)
        self.motion = motion or Walking()
        self.bounds = bounds
        self.tuning = tuning or Tuning()
        self._calibration = calibration or Calibration()
        self._slots = {name: slot for slot, name in enumerate(known)}
        self._geometry = np.array(
            [
                (a.x_m, a.y_m, self._calibration.rise_m(a, tag_height_m))
                for a in known.values()
            ]
        )
        noise = (self._calibration.noise_m(n, self.tuning.noise_m) for n in known)
        self._variances = np.array([sigma**2 for sigma in noise])
        self._heard_at = np.full(len(known), -math.inf)
        self._window: deque[_Heard] = deque(maxlen=self.tuning.window_ranges)
        self._odometry = (0.0, 0.0, 0.0)
        self._at_s: float | None = None
        self._range_at_s = -math.inf
        self.restarts = 0
        self._forget()

    def _forget(self) -> None:
        self._bank = Bank(self.motion.states)
        self._window.clear()
        self._listening_since: float | None = None
        self._fit = 0.0
        self._since_doubt = 0

    @property
    def located(self) -> bool:
        return self._bank.count > 0

    @property
    def estimate(self) -> Estimate | None:
        """What is believed at the time of the last measurement; None: not yet known."""
        if not self.located or self._at_s is None:
            return None
        best, *others = self._bank.clusters()
        (a, b), (c, d) = best.covariance[:2, :2].tolist()
        x, y, *rest = best.mean.tolist()
        walking = isinstance(self.motion, Walking)
        return Estimate(
            self._at_s,
            x,
            y,
            ((a, b), (c, d)),
            (rest[0], rest[1]) if walking else None,
            None if walking else math.remainder(rest[0], 2.0 * math.pi),
            tuple((float(o.mean[0]), float(o.mean[1]), o.share) for o in others),
        )

    def start_at(self, at_s: float, x_m: float, y_m: float, sigma_m: float) -> None:
        """Tell where the tag is, for one that starts at a known place."""
        self._advance(at_s)
        self._forget()
        self._range_at_s = at_s
        covariance = np.eye(2) * sigma_m**2
        place = Place(x_m, y_m, 0.0, covariance)
        for heading in self._headings():
            self._follow(place, heading, 0.0)

    def move(
        self, at_s: float, forward_m: float, left_m: float, turn_rad: float
    ) -> None:
        """A robot's odometry since its last call, in its own frame."""
        if not isinstance(self.motion, Driving):
            raise WrongMotionModel("odometry moves robots; this tag walks")
        step = (forward_m, left_m, turn_rad)
        if not all(map(math.isfinite, step)):
            raise UnusableOdometry(step)
        elapsed_s = self._elapse(at_s)
        motion = self.motion
        position = (
            motion.slip * math.hypot(forward_m, left_m) + motion.drift_mps * elapsed_s
        )
        turn = motion.turn_slip * abs(turn_rad) + motion.drift_radps * elapsed_s
        bank = self._bank
        predict_driving(
            bank.means[: bank.count],
            bank.covariances[: bank.count],
            forward_m,
            left_m,
            turn_rad,
            position**2,
            turn**2,
        )
        x, y, yaw = self._odometry
        middle = yaw + 0.5 * turn_rad
        self._odometry = (
            x + forward_m * math.cos(middle) - left_m * math.sin(middle),
            y + forward_m * math.sin(middle) + left_m * math.cos(middle),
            yaw + turn_rad,
        )

    def update(self, at_s: float, anchor: str, range_m: float) -> Estimate | None:
        """Take in one range; None as long as the tag is not located."""
        slot = self._slots.get(anchor)
        if slot is None:
            raise UnknownAnchor(anchor, sorted(self._slots))
        if not 0.0 <= range_m <= FARTHEST_M:
            raise UnusableRange(anchor, range_m)
        self._advance(at_s)
        if at_s - self._range_at_s > self.tuning.lost_after_s and self.located:
            self._forget()
            self.restarts += 1
        self._range_at_s = at_s
        corrected_m = self._calibration.correct(anchor, range_m)
        self._remember(_Heard(at_s, slot, corrected_m, self._odometry))
        if self.located:
            self._absorb(at_s, slot, corrected_m)
        else:
            self._try_to_start(at_s)
        self._heard_at[slot] = at_s
        return self.estimate

    def _elapse(self, at_s: float) -> float:
        if not math.isfinite(at_s):
            raise UnusableTime(at_s)
        if self._at_s is None:
            self._at_s = at_s
        if at_s < self._at_s:
            raise TimeWentBackwards(at_s, self._at_s)
        elapsed_s = at_s - self._at_s
        self._at_s = at_s
        return elapsed_s

    def _advance(self, at_s: float) -> None:
        if isinstance(self.motion, Driving):
            if not math.isfinite(at_s):
                raise UnusableTime(at_s)
            if self._at_s is not None and at_s < self._at_s:
                raise TimeWentBackwards(at_s, self._at_s)
            self._at_s = at_s if self._at_s is None else self._at_s
            return
        elapsed_s = self._elapse(at_s)
        if elapsed_s > 0.0 and self.located:
            motion = self.motion
            bank = self._bank
            predict_walking(
                bank.means[: bank.count],
                bank.covariances[: bank.count],
                elapsed_s,
                motion.restlessness_m2ps3,
                motion.memory_s,
                motion.max_speed_mps,
            )

    def _absorb(self, at_s: float, slot: int, range_m: float) -> None:
        bank, tuning = self._bank, self.tuning
        silent_s = at_s - float(self._heard_at[slot])
        bank.count, gained = absorb_range(
            bank.means,
            bank.covariances,
            bank.evidence,
            bank.obstructed,
            bank.count,
            1 << slot,
            self._geometry[slot, 0],
            self._geometry[slot, 1],
            self._geometry[slot, 2],
            range_m,
            self._variances[slot],
            tuning.usual_delayed_share,
            math.exp(-silent_s / tuning.obstruction_s),
        )
        gained += math.log(ROOT_2_PI * math.sqrt(self._variances[slot]))
        self._fit += (gained - self._fit) / 8.0
        if self.bounds is not None:
            self._keep_inside(self.bounds)
        self._since_doubt += 1
        if (
            self._fit < tuning.doubt_below
            and self._since_doubt >= tuning.doubt_every
            and len(self._window) >= 6
        ):
            self._since_doubt = 0
            self._challenge()

    def _keep_inside(self, bounds: Bounds) -> None:
        lows = (bounds.min_x_m, bounds.min_y_m)
        highs = (bounds.max_x_m, bounds.max_y_m)
        for row in range(self._bank.count):
            mean = self._bank.means[row]
            for axis in range(2):
                inside = min(max(mean[axis], lows[axis]), highs[axis])
                outside_m = abs(mean[axis] - inside)
                if outside_m == 0.0:
                    continue
                self._bank.evidence[row] -= min(
                    4.0, 0.5 * (outside_m / self.tuning.edge_m) ** 2
                )
                mean[axis] = inside
                if len(mean) == 4:
                    mean[axis + 2] = 0.0

    def _remember(self, heard: _Heard) -> None:
        self._window.append(heard)
        while self._window[0].at_s < heard.at_s - self.tuning.window_s:
            self._window.popleft()

    def _try_to_start(self, at_s: float) -> None:
        heard = {one.slot for one in self._window}
        if self._listening_since is None:
            self._listening_since = at_s
        waited = at_s - self._listening_since >= self.tuning.start_after_s
        if len(heard) < 2 or (len(heard) < len(self._slots) and not waited):
            return
        for heading in self._headings():
            for place in self._places(self._moved(heading, None), []):
                self._follow(place, heading, -place.cost)
        if self.located:
            self._fit = 0.0

    def _headings(self) -> list[float]:
        if isinstance(self.motion, Walking):
            return [0.0]
        return [2.0 * math.pi * i / HEADINGS for i in range(HEADINGS)]

    def _moved(self, heading: float, velocity: Floats | None) -> Floats:
        """Where the tag was at each range of the window, relative to now."""
        now_s = self._window[-1].at_s
        if isinstance(self.motion, Walking):
            ages = np.array([[one.at_s - now_s] for one in self._window])
            speed = np.zeros(2) if velocity is None else velocity
            return np.asarray(ages * speed[None], dtype=np.float64)
        x, y, yaw = self._odometry
        turn = heading - yaw
        cos, sin = math.cos(turn), math.sin(turn)
        steps = [(o.odometry[0] - x, o.odometry[1] - y) for o in self._window]
        return np.array([(cos * a - sin * b, sin * a + cos * b) for a, b in steps])

    def _places(
        self, moved: Floats, starts: list[tuple[float, float]]
    ) -> list[Place]:
        slots = [one.slot for one in self._window]
        ranges = np.array([one.range_m for one in self._window])
        latest = {one.slot: one.range_m for one in self._window}
        geometry = self._geometry[slots]
        tried = starts + crossings(
            self._geometry[list(latest)], np.array(list(latest.values()))
        )
        if not tried:
            return []
        variances = self._variances[slots]
        if isinstance(self.motion, Walking):
            ages = np.array([self._window[-1].at_s - o.at_s for o in self._window])
            variances = variances + (0.3 * ages) ** 2
        found = locate(tried, geometry, ranges, moved, variances, 0.3)
        return [p for p in found if self._allowed(p)]

    def _allowed(self, place: Place) -> bool:
        if self.bounds is None:
            return True
        edge, b = 2.0 * self.tuning.edge_m, self.bounds
        return (
            b.min_x_m - edge <= place.x_m <= b.max_x_m + edge
            and b.min_y_m - edge <= place.y_m <= b.max_y_m + edge
        )

    def _challenge(self) -> None:
        """Ask the recent ranges for other places; the evidence decides later."""
        best = self._bank.clusters()[0]
        walking = isinstance(self.motion, Walking)
        heading = 0.0 if walking else float(best.mean[2])
        velocity = best.mean[2:4].copy() if walking else None
        believed = (float(best.mean[0]), float(best.mean[1]))
        places = self._places(self._moved(heading, velocity), [believed])
        evidence = float(self._bank.evidence[: self._bank.count].max())
        alive = self._bank.means[: self._bank.count].copy()
        for place in places:
            near = np.hypot(alive[:, 0] - place.x_m, alive[:, 1] - place.y_m)
            if near.min() > 0.3:
                behind = place.cost - places[0].cost + self.tuning.challenger_handicap
                self._follow(place, heading, evidence - behind, velocity)

    def _follow(
        self,
        place: Place,
        heading: float,
        evidence: float,
        velocity: Floats | None = None,
    ) -> None:
        states = self.motion.states
        mean = np.zeros(states)
        mean[:2] = place.x_m, place.y_m
        covariance = np.zeros((states, states))
        covariance[:2, :2] = place.covariance + np.eye(2) * 0.1**2
        if isinstance(self.motion, Walking):
            covariance[2, 2] = covariance[3, 3] = 1.0
            if velocity is not None:
                mean[2:] = velocity
        else:
            mean[2] = heading
            covariance[2, 2] = (math.pi / HEADINGS) ** 2
        self._bank.add(mean, covariance, evidence)
