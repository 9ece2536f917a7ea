"""Where the robot is on its map: adaptive Monte Carlo localisation.

A cloud of poses moves as the wheels say and survives as the lasers say. Its size
follows the spread of the belief, a falling agreement with the map lets in poses from
anywhere, and a robot that stays lost searches the whole map. What it cannot know it
says by name, so that nobody drives by a guess.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from shopfloor.geometry import Odometry, Pose, Scan, wrapped
from shopfloor.grid import Grid
from shopfloor.lasers import check_scan
from shopfloor.localisation import field_kernels, particle_kernels
from shopfloor.localisation.errors import (
    TimeWentBackwards,
    UnusableOdometry,
    UnusableStart,
    UnusableTime,
)
from shopfloor.localisation.estimate import (
    BLIND,
    LOST,
    TRACKING,
    UNCERTAIN,
    Estimate,
    Status,
)
from shopfloor.localisation.field import beam_ends, frame_of, log_likelihoods, quality
from shopfloor.localisation.jumps import CONTRADICTED_SHARE, share_through_walls
from shopfloor.localisation.recovery import Hypothesis, random_poses, relocalise

PAUSE = 3
LONGEST_PAUSE = 192
"""Updates between two searches of the whole map."""
USUAL_RATE = 0.02
DOUBTFUL_RATE = 0.002
"""How fast the usual quality follows: dusty lasers and old maps are usual, too."""


@dataclass(frozen=True)
class Tuning:
    holonomic: bool = True
    least_particles: int = 400
    most_particles: int = 5000
    beams: int = 60
    """Of all lasers together, that weigh the particles."""
    evidence: float = 15.0
    """How many independent beams all of them are worth: neighbours err together."""
    hit_m: float = 0.1
    random_share: float = 0.05
    alphas: tuple[float, float, float, float] = (0.05, 0.02, 0.05, 0.02)
    """Variance of turning per turn and per way, of going per way and per turn."""
    floor_m: float = 0.002
    floor_rad: float = 0.002
    move_m: float = 0.05
    turn_rad: float = 0.05
    """The filter waits for so much motion: a standing robot learns nothing new."""
    kld_error: float = 0.05
    kld_quantile: float = 2.33
    bin_m: float = 0.25
    bin_rad: float = 0.175
    slow: float = 0.02
    fast: float = 0.2
    tolerance_m: float = 0.15
    lost_below: float = 0.45
    found_above: float = 0.6
    """Shares of explained beams: no place at all below, a place worth having above."""
    doubt_below: float = 0.85
    """Share of the usual quality; below, the map is searched for a better place."""
    hidden_above: float = 0.25
    """A place that explains more, and that no beam contradicts, is only hidden."""
    trust_rate: float = 0.3
    """Weight of the newest quality in the average that these shares measure."""
    loose_m: float = 0.35
    speed_limit_mps: float = 5.0
    recover: bool = True
    """Search the whole map when lost."""


class Amcl:
    """Without a start the robot may be anywhere and is searched for at once."""

    def __init__(
        self,
        grid: Grid,
        random: np.random.Generator,
        start: Pose | None = None,
        tuning: Tuning | None = None,
        spread_m: float = 0.1,
        spread_rad: float = 0.05,
    ) -> None:
        self.grid = grid
        self.tuning = tuning or Tuning()
        self._random = random
        self._frame = frame_of(grid)
        self._table = log_likelihoods(grid, self.tuning.hit_m, self.tuning.random_share)
        self._last: tuple[float, Pose] | None = None
        self._pending = Pose(0.0, 0.0, 0.0)
        self._weights: NDArray[np.float64] = np.empty(0)
        self._slow = self._fast = 0.0
        self._trust, self._usual = 1.0, 0.9
        self._hidden = False
        self._pause = self._wait = PAUSE
        if start is None:
            self._particles = random_poses(grid, self.tuning.most_particles, random)
            self._trust, self._wait = 0.0, 0
        else:
            self._check_start(start)
            self._particles = self._around(start, spread_m, spread_rad)
        self._even_weights()
        self._estimate = self._sum_up(LOST if start is None else TRACKING, 0.0)

    @property
    def estimate(self) -> Estimate:
        return self._estimate

    @property
    def particles(self) -> NDArray[np.float64]:
        """Rows of x_m, y_m, yaw_rad; a copy."""
        return self._particles.copy()

    def set_pose(
        self, pose: Pose, spread_m: float = 0.1, spread_rad: float = 0.05
    ) -> None:
        """Somebody says where the robot is."""
        self._check_start(pose)
        self._particles = self._around(pose, spread_m, spread_rad)
        self._settle(1.0)
        self._estimate = self._sum_up(TRACKING, 0.0)

    def update(
        self, at_s: float, odometry: Odometry, scans: Sequence[Scan]
    ) -> Estimate:
        """Use one reading of wheels and lasers; refused input changes nothing."""
        for scan in scans:
            check_scan(scan)
        self._pending = self._pending.plus(self._step(at_s, odometry.pose))
        here = self._estimate.pose.plus(self._pending)
        tuning = self.tuning
        ends = beam_ends(scans, tuning.beams) if scans else np.empty((0, 2))
        if len(ends) == 0:
            self._predict()
            self._estimate = self._sum_up(BLIND, 0.0)
            return self._estimate
        moved = math.hypot(self._pending.x_m, self._pending.y_m) >= tuning.move_m
        turned = abs(self._pending.yaw_rad) >= tuning.turn_rad
        if not moved and not turned:
            agreed = self._agreement(here, scans)
            if self._found_elsewhere(here, agreed, scans):
                self._estimate = self._rate(scans)
                return self._estimate
            return self._named(replace(self._estimate, pose=here, quality=agreed))
        self._predict()
        self._weigh(ends)
        self._estimate = self._rate(scans)
        self._resample()
        return self._estimate

    def relocalise(
        self, scans: Sequence[Scan], better_than: float = 0.0
    ) -> list[Hypothesis]:
        """Search the whole map and believe the best places; none if nothing fits."""
        found = relocalise(self.grid, scans, self._random)
        enough = max(self.tuning.found_above, better_than)
        good = [h for h in found if h.quality >= enough]
        if not good:
            return []
        good = [h for h in good if h.quality >= good[0].quality - 0.15]
        # A place that fits clearly better than another gets more of the belief.
        belief = np.exp([self.tuning.evidence * h.score for h in good])
        share = belief / belief.sum()
        most = self.tuning.most_particles
        counts = np.maximum((share * most).astype(np.int64), 50)
        clouds = [
            self._around(h.pose, 0.05, 0.03, int(n))
            for h, n in zip(good, counts, strict=True)
        ]
        self._particles = np.concatenate(clouds)
        self._settle(good[0].quality)
        return good

    def _step(self, at_s: float, pose: Pose) -> Pose:
        if not math.isfinite(at_s):
            raise UnusableTime(at_s)
        if not pose.is_finite:
            raise UnusableOdometry(f"the wheels are nowhere: {pose}")
        if self._last is None:
            self._last = at_s, pose
            return Pose(0.0, 0.0, 0.0)
        last_s, before = self._last
        if at_s < last_s:
            raise TimeWentBackwards(at_s, last_s)
        self._last = at_s, pose
        way = before.distance_to(pose)
        if way > 1.0 + self.tuning.speed_limit_mps * (at_s - last_s):
            raise UnusableOdometry(
                f"the wheels jumped by {way:.2f} m in {at_s - last_s:.3f} s"
            )
        return pose.seen_from(before)

    def _predict(self) -> None:
        step, tuning = self._pending, self.tuning
        move = (
            particle_kernels.move_holonomic
            if tuning.holonomic
            else particle_kernels.move_differential
        )
        move(
            self._particles,
            np.array([step.x_m, step.y_m, step.yaw_rad]),
            np.array(tuning.alphas),
            np.array([tuning.floor_m, tuning.floor_rad]),
            self._random.standard_normal(self._particles.shape),
        )
        self._pending = Pose(0.0, 0.0, 0.0)

    def _weigh(self, ends: NDArray[np.float64]) -> None:
        tuning = self.tuning
        scores = np.empty(len(self._particles))
        field_kernels.score_poses(
            self._table,
            self.grid.stride,
            ends / self.grid.resolution_m,
            self._particles,
            self._frame,
            math.log(tuning.random_share),
            scores,
        )
        evidence = min(tuning.evidence, float(len(ends)))
        agreement = float(self._weights @ np.exp(scores))
        weights = self._weights * np.exp(evidence * (scores - scores.max()))
        self._weights = weights / weights.sum()
        if self._slow == 0.0:
            self._slow = self._fast = agreement
        self._slow += tuning.slow * (agreement - self._slow)
        self._fast += tuning.fast * (agreement - self._fast)

    def _rate(self, scans: Sequence[Scan]) -> Estimate:
        rough = self._sum_up(TRACKING, 0.0)
        agreed = self._agreement(rough.pose, scans)
        if self._found_elsewhere(rough.pose, agreed, scans):
            rough = self._sum_up(TRACKING, 0.0)
            agreed = self._agreement(rough.pose, scans)
        return self._named(replace(rough, quality=agreed))

    def _agreement(self, pose: Pose, scans: Sequence[Scan]) -> float:
        tuning = self.tuning
        return quality(self.grid, pose, scans, tuning.beams, tuning.tolerance_m)

    def _found_elsewhere(
        self, here: Pose, agreed: float, scans: Sequence[Scan]
    ) -> bool:
        """In doubt look at the whole map, ever more rarely while it does not help.

        Corridors resemble each other and people hide walls, so no fixed agreement
        tells a carried robot from a busy hall. Only a place that leaves half as many
        beams unexplained does, and only where the present one is contradicted: beams
        pass through its walls, or it explains next to nothing.
        """
        tuning = self.tuning
        self._trust += tuning.trust_rate * (agreed - self._trust)
        doubtful = self._in_doubt
        self._usual += (DOUBTFUL_RATE if doubtful else USUAL_RATE) * (
            agreed - self._usual
        )
        if not tuning.recover or not doubtful:
            self._pause = self._wait = PAUSE
            self._hidden = False
            return False
        self._wait -= 1
        if self._wait > 0:
            return False
        through = share_through_walls(self.grid, here, scans)
        self._hidden = agreed > tuning.hidden_above and through < CONTRADICTED_SHARE
        if not self._hidden and self.relocalise(scans, 1.0 - 0.5 * (1.0 - self._trust)):
            return True
        self._pause = min(2 * self._pause, LONGEST_PAUSE)
        self._wait = self._pause
        return False

    @property
    def _in_doubt(self) -> bool:
        return self._trust < self.tuning.doubt_below * self._usual

    def _named(self, rough: Estimate) -> Estimate:
        tuning = self.tuning
        spread_m = math.sqrt(float(rough.covariance[0, 0] + rough.covariance[1, 1]))
        several = rough.mass < 0.7 or spread_m > tuning.loose_m
        fits_badly = self._trust < tuning.lost_below
        status: Status = TRACKING
        if fits_badly and not self._hidden:
            status = LOST
        elif several or self._in_doubt:
            status = UNCERTAIN
        return replace(rough, status=status, in_doubt=several or fits_badly)

    def _resample(self) -> None:
        tuning, random = self.tuning, self._random
        # A tenth is the noise of the averages, not a robot carried away.
        strangers = max(0.0, 0.9 - self._fast / self._slow) if self._slow else 0.0
        effective = 1.0 / float(self._weights @ self._weights)
        if strangers == 0.0 and effective > 0.5 * len(self._weights):
            return
        pilot = particle_kernels.resample(
            self._particles, self._weights, tuning.most_particles // 4, random.random()
        )
        bins = particle_kernels.count_bins(
            particle_kernels.bins_of(pilot, tuning.bin_m, tuning.bin_rad)
        )
        count = self._enough(bins)
        self._particles = particle_kernels.resample(
            self._particles, self._weights, count, random.random()
        )
        if strangers > 0.0:
            guests = random_poses(self.grid, int(strangers * count), random)
            # Resampling keeps clusters together: guests replace any, not the first.
            self._particles[random.permutation(count)[: len(guests)]] = guests
        self._even_weights()

    def _enough(self, bins: int) -> int:
        """Particles that keep the error of a histogram with so many bins small."""
        tuning = self.tuning
        wanted = 0.0
        if bins > 1:
            k = bins - 1.0
            part = 2.0 / (9.0 * k)
            root = 1.0 - part + math.sqrt(part) * tuning.kld_quantile
            wanted = k / (2.0 * tuning.kld_error) * root**3
        return int(min(max(wanted, tuning.least_particles), tuning.most_particles))

    def _sum_up(self, status: Status, agreed: float) -> Estimate:
        tuning = self.tuning
        keys = particle_kernels.bins_of(self._particles, tuning.bin_m, tuning.bin_rad)
        seed = particle_kernels.heaviest(keys, self._weights)
        mean, covariance, mass = particle_kernels.sum_up(
            self._particles, self._weights, seed, 2.0 * tuning.bin_m, 0.5
        )
        pose = Pose(float(mean[0]), float(mean[1]), wrapped(float(mean[2])))
        count = len(self._particles)
        return Estimate(pose, covariance, status, agreed, float(mass), count)

    def _around(
        self, pose: Pose, spread_m: float, spread_rad: float, count: int = 0
    ) -> NDArray[np.float64]:
        """As many as the spread needs, unless a number is given."""
        tuning = self.tuning
        noise = self._random.standard_normal((count or tuning.most_particles, 3))
        spread = np.array([spread_m, spread_m, spread_rad])
        cloud = np.array([pose.x_m, pose.y_m, pose.yaw_rad]) + noise * spread
        if count == 0:
            keys = particle_kernels.bins_of(cloud, tuning.bin_m, tuning.bin_rad)
            cloud = cloud[: self._enough(particle_kernels.count_bins(keys))]
        return np.ascontiguousarray(cloud)

    def _even_weights(self) -> None:
        count = len(self._particles)
        self._weights = np.full(count, 1.0 / count)

    def _settle(self, trust: float) -> None:
        self._even_weights()
        self._slow = self._fast = 0.0
        self._trust = trust
        self._hidden = False
        self._pause = self._wait = PAUSE
        self._pending = Pose(0.0, 0.0, 0.0)

    def _check_start(self, pose: Pose) -> None:
        if not pose.is_finite:
            raise UnusableStart(f"a pose is three finite numbers, not {pose}")
        if not self.grid.holds(*self.grid.to_cells(pose.x_m, pose.y_m)):
            raise UnusableStart(f"({pose.x_m:g}, {pose.y_m:g}) is not on the map")
