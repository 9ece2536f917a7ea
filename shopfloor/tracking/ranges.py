"""Simulated ranges between tags and anchors, with what spoils real ones.

Noise is the smaller part: a shelf or a body between tag and anchor delays every range
of that link for a while, always to the longer side. The same seed gives the same
ranges, with nothing but the standard library: the simulator can use it as it is.
"""

import math
import random
from collections.abc import Collection
from dataclasses import dataclass, field

from shopfloor.tracking.anchors import Anchor


@dataclass(frozen=True)
class Range:
    at_s: float
    tag: str
    anchor: str
    range_m: float


@dataclass(frozen=True)
class RangeNoise:
    """``delayed_share`` of the time a link is obstructed, ``burst_s`` at a stretch.

    The delay of one obstruction is drawn once, from half to one and a half times
    ``delay_m``; ``spread`` 0 makes it the same every time.
    """

    noise_m: float = 0.10
    delayed_share: float = 0.0
    delay_m: float = 0.5
    spread: float = 0.5
    burst_s: float = 1.5
    lost_share: float = 0.0
    reach_m: float = math.inf


@dataclass
class _Link:
    at_s: float
    chance_m: float
    hidden_m: float = 0.0

    def advance(
        self, at_s: float, luck: float, fresh_m: float, noise: RangeNoise
    ) -> None:
        """A two-state chain in continuous time with the wanted share."""
        share = noise.delayed_share
        settle_s = noise.burst_s * (1.0 - share)
        elapsed_s = max(0.0, at_s - self.at_s)
        forget = 1.0 - math.exp(-elapsed_s / settle_s) if settle_s > 0.0 else 1.0
        if self.chance_m > 0.0:
            if luck < (1.0 - share) * forget:
                self.chance_m = 0.0
        elif luck < share * forget:
            self.chance_m = fresh_m
        self.at_s = at_s


@dataclass
class RangeSource:
    """Measures on request; keeps which links are obstructed, and since when."""

    anchors: tuple[Anchor, ...]
    noise: RangeNoise = field(default_factory=RangeNoise)
    seed: int = 0

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311
        self._links: dict[tuple[str, str], _Link] = {}

    def measure(
        self,
        at_s: float,
        tag: str,
        x_m: float,
        y_m: float,
        *,
        height_m: float | None = None,
        hidden: Collection[str] = (),
    ) -> list[Range]:
        """One range to every anchor within reach, those ``hidden`` surely delayed."""
        taken = (
            self.measure_one(
                at_s,
                tag,
                x_m,
                y_m,
                anchor,
                height_m=height_m,
                hidden=anchor.id in hidden,
            )
            for anchor in self.anchors
        )
        return [one for one in taken if one is not None]

    def measure_one(
        self,
        at_s: float,
        tag: str,
        x_m: float,
        y_m: float,
        anchor: Anchor,
        *,
        height_m: float | None = None,
        hidden: bool = False,
    ) -> Range | None:
        """One range, for tags that ask one anchor after another while they move."""
        delay_m = self._delay(at_s, tag, anchor.id, hidden)
        error_m = self._random.gauss(0.0, self.noise.noise_m)
        lost = self._random.random() < self.noise.lost_share
        flat_m = math.hypot(anchor.x_m - x_m, anchor.y_m - y_m)
        true_m = math.hypot(flat_m, anchor.rise_m(height_m))
        if lost or true_m > self.noise.reach_m:
            return None
        return Range(at_s, tag, anchor.id, max(0.0, true_m + delay_m + error_m))

    def _delay(self, at_s: float, tag: str, anchor: str, hidden: bool) -> float:
        noise, rng = self.noise, self._random
        fresh = noise.delay_m * rng.uniform(1.0 - noise.spread, 1.0 + noise.spread)
        luck = rng.random()
        link = self._links.get((tag, anchor))
        if link is None:
            chance_m = fresh if luck < noise.delayed_share else 0.0
            link = self._links[tag, anchor] = _Link(at_s, chance_m)
        else:
            link.advance(at_s, luck, fresh, noise)
        link.hidden_m = (link.hidden_m or fresh) if hidden else 0.0
        return max(link.chance_m, link.hidden_m)
