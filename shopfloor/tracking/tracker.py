"""Follows one tag from single ranges, whoever carries it.

The temporal constraint does the work: two ranges are enough to go on, a delayed range
is doubted, and when nothing fits any more the recent ranges are asked for a new place.
One tracker per tag; no clock, no I/O: time comes with the measurements.
"""

import math
from collections.abc import Iterable

import numpy as np

from shopfloor.tracking.anchors import Anchor, by_id
from shopfloor.tracking.bank import Bank
from shopfloor.tracking.calibration import Calibration
from shopfloor.tracking.errors import (
    TimeWentBackwards,
    TrackingRefused,
    UnknownAnchor,
    UnusableOdometry,
    UnusableRange,
    UnusableTime,
    WrongMotionModel,
)
from shopfloor.tracking.estimate import Bounds, Estimate, Tuning
from shopfloor.tracking.motion import (
    Driving,
    Walking,
    predict_driving,
    predict_walking,
)
from shopfloor.tracking.multilateration import Place
from shopfloor.tracking.range_update import ROOT_2_PI, absorb_range
from shopfloor.tracking.recent_ranges import Heard, RecentRanges
from shopfloor.tracking.systematic import (
    SHARED,
    USUAL_TAG_HEIGHT_M,
    Learnt,
    Systematic,
    first_guesses,
)

FARTHEST_M = 10_000.0
# So many headings are tried for a robot that does not know its own.
HEADINGS = 8
# Only so many links carry a delay at a time; a new one replaces the most silent.
MOST_LINKS = 8
# The fit is an average over about so many ranges.
FIT_RANGES = 8
FEWEST_FOR_A_CHALLENGE = 6
NEW_PLACE_M = 0.3
START_SIGMA_M = 0.1
START_SPEED_SIGMA_MPS = 1.0


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
        self.restarts = 0
        self.log_likelihood = 0.0
        self._walking = isinstance(self.motion, Walking)
        self._calibration = calibration or Calibration()
        self._slots = {name: slot for slot, name in enumerate(known)}
        self._names = tuple(known)
        height_m = USUAL_TAG_HEIGHT_M if tag_height_m is None else tag_height_m
        self._geometry = np.array(
            [
                (a.x_m, a.y_m, self._calibration.rise_m(a, height_m))
                for a in known.values()
            ]
        )
        self._most_links = min(MOST_LINKS, len(known))
        self._systematic = first_guesses(
            known.values(), self._most_links, self._calibration, tag_height_m
        )
        noise = (self._calibration.noise_m(n, self.tuning.noise_m) for n in known)
        self._variances = np.array([sigma**2 for sigma in noise])
        self._recent = RecentRanges(self.tuning.window_ranges, self.tuning.window_s)
        self._links: dict[int, int] = {}
        self._heard_at: dict[int, float] = {}
        self._odometry = (0.0, 0.0, 0.0)
        self._at_s: float | None = None
        self._range_at_s = -math.inf
        self._forget()

    def _forget(self) -> None:
        """Where the tag is; what was learnt of the ranges stays."""
        self._bank = Bank(self.motion.states, self._most_links)
        self._recent.clear()
        self._heard_at.clear()
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
        return Estimate(
            self._at_s,
            x,
            y,
            ((a, b), (c, d)),
            (rest[0], rest[1]) if self._walking else None,
            None if self._walking else math.remainder(rest[0], 2.0 * math.pi),
            tuple((float(o.mean[0]), float(o.mean[1]), o.share) for o in others),
        )

    @property
    def learnt(self) -> Learnt | None:
        """What the ranges have revealed of the anchors; None: not yet located."""
        if not self.located:
            return None
        found = self._learnt()
        biases = {
            self._names[slot]: float(found.mean[SHARED + link])
            for slot, link in sorted(self._links.items())
        }
        offset_sigma_m, rise_sigma_m = np.sqrt(np.diag(found.covariance)[:SHARED])
        best_rises = [
            self._geometry[slot, 2] + found.rise_m for slot in sorted(self._links)
        ]
        return Learnt(
            found.offset_m,
            float(offset_sigma_m),
            float(np.mean(best_rises)) if best_rises else found.rise_m,
            float(rise_sigma_m),
            biases,
        )

    def start_at(
        self,
        at_s: float,
        x_m: float,
        y_m: float,
        sigma_m: float,
        heading_rad: float | None = None,
    ) -> None:
        """Tell where the tag is, for one that starts at a known place."""
        if not all(map(math.isfinite, (x_m, y_m, sigma_m, heading_rad or 0.0))):
            raise TrackingRefused(f"the start ({x_m}, {y_m}) is not finite")
        self._pass_time(at_s)
        self._forget()
        self._range_at_s = at_s
        place = Place(x_m, y_m, 0.0, np.eye(2) * sigma_m**2)
        headings = self._headings() if heading_rad is None else [heading_rad]
        for heading in headings:
            for guess in self._systematic:
                evidence = guess.weight - math.log(len(headings))
                self._follow(place, heading, evidence, guess)

    def move(
        self, at_s: float, forward_m: float, left_m: float, turn_rad: float
    ) -> None:
        """A robot's odometry since its last call, in its own frame."""
        motion, bank = self.motion, self._bank
        if not isinstance(motion, Driving):
            raise WrongMotionModel("odometry moves robots; this tag walks")
        step = (forward_m, left_m, turn_rad)
        if not all(map(math.isfinite, step)):
            raise UnusableOdometry(step)
        elapsed_s = self._pass_time(at_s)
        distance_m = math.hypot(forward_m, left_m)
        predict_driving(
            bank.means[: bank.count],
            bank.covariances[: bank.count],
            forward_m,
            left_m,
            turn_rad,
            motion.position_variance(distance_m, elapsed_s),
            motion.turn_variance(turn_rad, elapsed_s),
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
        self.absorb(at_s, anchor, range_m)
        return self.estimate

    def absorb(self, at_s: float, anchor: str, range_m: float) -> None:
        """The same for those who do not need the answer to every range."""
        slot = self._slots.get(anchor)
        if slot is None:
            raise UnknownAnchor(anchor, sorted(self._slots))
        if not 0.0 <= range_m <= FARTHEST_M:
            raise UnusableRange(anchor, range_m)
        elapsed_s = self._pass_time(at_s)
        if self.located and at_s - self._range_at_s > self.tuning.lost_after_s:
            self._systematic = [self._learnt()]
            self._forget()
            self.restarts += 1
        self._range_at_s = at_s
        corrected_m = self._calibration.correct(anchor, range_m)
        self._recent.add(Heard(at_s, slot, corrected_m, self._odometry))
        if self.located:
            self._predict(elapsed_s)
            self._take(at_s, slot, corrected_m)
        else:
            self._try_to_start(at_s)
        self._heard_at[slot] = at_s

    def _pass_time(self, at_s: float) -> float:
        if not math.isfinite(at_s):
            raise UnusableTime(at_s)
        last_s = at_s if self._at_s is None else self._at_s
        if at_s < last_s:
            raise TimeWentBackwards(at_s, last_s)
        self._at_s = at_s
        return at_s - last_s

    def _predict(self, elapsed_s: float) -> None:
        """Time alone moves people, and lets a robot's odometry grow old."""
        motion, bank = self.motion, self._bank
        if elapsed_s == 0.0:
            return
        means = bank.means[: bank.count]
        covariances = bank.covariances[: bank.count]
        if isinstance(motion, Walking):
            predict_walking(
                means,
                covariances,
                elapsed_s,
                motion.restlessness_m2ps3,
                motion.memory_s,
                motion.max_speed_mps,
            )
        else:
            position = motion.position_variance(0.0, elapsed_s)
            turn = motion.turn_variance(0.0, elapsed_s)
            predict_driving(means, covariances, 0.0, 0.0, 0.0, position, turn)

    def _take(self, at_s: float, slot: int, range_m: float) -> None:
        bank, tuning = self._bank, self.tuning
        silent_s = at_s - self._heard_at.get(slot, at_s - tuning.lost_after_s)
        variance = float(self._variances[slot])
        bank.count, gained = absorb_range(
            bank.means,
            bank.covariances,
            bank.evidence,
            bank.obstructed,
            bank.count,
            self._link(slot),
            self.motion.states,
            self._geometry[slot, 0],
            self._geometry[slot, 1],
            self._geometry[slot, 2],
            range_m,
            variance,
            tuning.usual_delayed_share,
            math.exp(-silent_s / tuning.obstruction_s),
            silent_s,
        )
        self.log_likelihood += gained
        gained += math.log(ROOT_2_PI * math.sqrt(variance))
        self._fit += (gained - self._fit) / FIT_RANGES
        if self.bounds is not None:
            bank.keep_inside(self.bounds, tuning.edge_m, stop=self._walking)
        self._since_doubt += 1
        if (
            self._fit < tuning.doubt_below
            and self._since_doubt >= tuning.doubt_every
            and len(self._recent) >= FEWEST_FOR_A_CHALLENGE
        ):
            self._since_doubt = 0
            self._challenge()

    def _link(self, slot: int) -> int:
        link = self._links.get(slot)
        if link is None:
            link = len(self._links)
            if link == MOST_LINKS:
                silent = min(
                    self._links, key=lambda s: self._heard_at.get(s, -math.inf)
                )
                link = self._links.pop(silent)
                self._bank.release(link)
            self._links[slot] = link
        return link

    def _try_to_start(self, at_s: float) -> None:
        heard = len(self._recent.slots)
        if self._listening_since is None:
            self._listening_since = at_s
        waited = at_s - self._listening_since >= self.tuning.start_after_s
        if heard < 2 or (heard < len(self._slots) and not waited):
            return
        found = [
            (systematic.weight - place.cost, place, heading, systematic)
            for systematic in self._systematic
            for heading in self._headings()
            for place in self._places((0.0, 0.0), heading, [], systematic)
        ]
        found.sort(key=lambda start: -start[0])
        for evidence, place, heading, systematic in found:
            self._follow(place, heading, evidence, systematic)
        if self.located:
            self._bank.settle()

    def _headings(self) -> list[float]:
        if self._walking:
            return [0.0]
        return [2.0 * math.pi * i / HEADINGS for i in range(HEADINGS)]

    def _places(
        self,
        velocity_mps: tuple[float, float],
        heading_rad: float,
        believed: list[tuple[float, float]],
        systematic: Systematic,
    ) -> list[Place]:
        recent, bounds = self._recent, self.bounds
        geometry = self._geometry.copy()
        geometry[:, 2] += systematic.rise_m
        late_m = np.full(len(geometry), systematic.offset_m)
        for slot, link in self._links.items():
            late_m[slot] += systematic.mean[SHARED + link]
        if self._walking:
            moved = recent.moved_by_walking(velocity_mps)
        else:
            moved = recent.moved_by_driving(self._odometry, heading_rad)
        found = recent.places(
            geometry, self._variances, late_m, moved, believed, walking=self._walking
        )
        edge_m = 2.0 * self.tuning.edge_m
        return [
            p for p in found if bounds is None or bounds.contain(p.x_m, p.y_m, edge_m)
        ]

    def _challenge(self) -> None:
        """Ask the recent ranges for other places; the evidence decides later."""
        bank = self._bank
        bank.settle()
        x, y, *rest = bank.clusters()[0].mean.tolist()
        velocity = (rest[0], rest[1]) if self._walking else (0.0, 0.0)
        heading = 0.0 if self._walking else rest[0]
        learnt = self._learnt()
        places = self._places(velocity, heading, [(x, y)], learnt)
        followed = bank.means[: bank.count, :2].copy()
        for place in places:
            near = np.hypot(followed[:, 0] - place.x_m, followed[:, 1] - place.y_m)
            if near.min() > NEW_PLACE_M:
                behind = place.cost - places[0].cost + self.tuning.challenger_handicap
                self._follow(place, heading, -behind, learnt, velocity)

    def _follow(
        self,
        place: Place,
        heading_rad: float,
        evidence: float,
        systematic: Systematic,
        velocity_mps: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        states = self._bank.means.shape[1]
        mean, covariance = np.zeros(states), np.zeros((states, states))
        mean[:2] = place.x_m, place.y_m
        covariance[:2, :2] = place.covariance + np.eye(2) * START_SIGMA_M**2
        if self._walking:
            mean[2:4] = velocity_mps
            covariance[2, 2] = covariance[3, 3] = START_SPEED_SIGMA_MPS**2
        else:
            mean[2] = heading_rad
            covariance[2, 2] = (math.pi / HEADINGS) ** 2
        shared = self._bank.systematic
        mean[shared] = systematic.mean
        covariance[shared, shared] = systematic.covariance
        self._bank.add(mean, covariance, evidence)

    def _learnt(self) -> Systematic:
        """What the most probable hypotheses believe of all ranges."""
        best, shared = self._bank.clusters()[0], self._bank.systematic
        return Systematic(best.mean[shared], best.covariance[shared, shared])
