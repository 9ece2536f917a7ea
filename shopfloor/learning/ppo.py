"""PPO (Schulman et al., 2017) in numpy: a clipped step on the advantage of each action.

The networks have two layers of 64; their slopes are written out in ``network``. At this
size a library that builds graphs is not faster, and needs a thousand times the space
(docs/adr: policies learned in numpy).
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from shopfloor.learning.alleys import REACHED, SIZE, Alleys
from shopfloor.learning.network import Array, Layers

ACTIONS = 2


@dataclass(frozen=True, slots=True)
class Options:
    vehicles: int = 256
    steps: int = 64
    """Of each vehicle between two updates."""
    epochs: int = 4
    batch: int = 2048
    hidden: int = 64
    rate: float = 7e-4
    discount: float = 0.99
    smoothing: float = 0.95
    clip: float = 0.2
    entropy: float = 0.002
    deviation: float = 0.6
    """Of actions, at the start."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One point of the curve."""

    update: int
    steps: int
    seconds: float
    reward: float
    """Mean over the last episodes; no number until one has ended."""
    success: float
    """Share of the last episodes that arrived."""


@dataclass
class Adam:
    """Adam (Kingma and Ba, 2015) over a list of arrays, in place."""

    parts: list[Array]
    at: int = 0
    first: list[Array] = field(default_factory=list)
    second: list[Array] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.first = [np.zeros_like(part) for part in self.parts]
        self.second = [np.zeros_like(part) for part in self.parts]

    def step(self, slopes: list[Array], rate: float) -> None:
        self.at += 1
        size = float(np.sqrt(sum(float((s * s).sum()) for s in slopes)))
        share = min(1.0, 0.5 / (size + 1e-8))
        scale = rate * np.sqrt(1.0 - 0.999**self.at) / (1.0 - 0.9**self.at)
        for part, slope, m, v in zip(
            self.parts, slopes, self.first, self.second, strict=True
        ):
            slope = share * slope
            m += 0.1 * (slope - m)
            v += 0.001 * (slope * slope - v)
            part -= (scale * m / (np.sqrt(v) + 1e-8)).astype(np.float32)


class Ppo:
    def __init__(self, alleys: Alleys, options: Options, seed: int = 0) -> None:
        self.alleys, self.options = alleys, options
        self.random = np.random.default_rng(seed)
        self.policy = Layers.drawn(self.random, SIZE, options.hidden, ACTIONS, 0.01)
        self.policy.b3[0] = 0.3  # else it would stand at first
        self.value = Layers.drawn(self.random, SIZE, options.hidden, 1, 1.0)
        self.log_deviation = np.full(ACTIONS, np.log(options.deviation), np.float32)
        self.adam = Adam([*self.policy.parts, *self.value.parts, self.log_deviation])
        self.seen = alleys.start_all().copy()
        self.running = np.zeros(alleys.count)
        self.last: deque[tuple[float, bool]] = deque(maxlen=500)
        self.done_steps = 0

    def learn(
        self,
        seconds: float,
        updates: int,
        tell: Callable[[Progress], None] = lambda _progress: None,
    ) -> list[Progress]:
        """Until time or updates are used up; the rate falls to nothing meanwhile."""
        began, curve = time.monotonic(), []
        for update in range(updates):
            used = max((time.monotonic() - began) / seconds, update / updates)
            if used >= 1.0:
                break
            self._update(self.options.rate * max(0.05, 1.0 - used))
            rewards = [reward for reward, _ in self.last]
            progress = Progress(
                update + 1,
                self.done_steps,
                time.monotonic() - began,
                float(np.mean(rewards)) if rewards else math.nan,
                float(np.mean([r for _, r in self.last])) if self.last else 0.0,
            )
            curve.append(progress)
            tell(progress)
        return curve

    def _update(self, rate: float) -> None:
        options, count = self.options, self.alleys.count
        shape = (options.steps, count)
        seen = np.empty((*shape, SIZE), np.float32)
        actions = np.empty((*shape, ACTIONS), np.float32)
        chances, values, rewards = (np.empty(shape, np.float32) for _ in range(3))
        ended = np.empty(shape, np.bool_)
        for step in range(options.steps):
            seen[step] = self.seen
            mean = self.policy.answer(self.seen)
            deviation = np.exp(self.log_deviation)
            noise = self.random.standard_normal(mean.shape, np.float32)
            actions[step] = mean + deviation * noise
            chances[step] = self._chance(noise)
            values[step] = self.value.answer(self.seen)[:, 0]
            now, reward, ends = self.alleys.step(actions[step])
            rewards[step], ended[step] = reward, ends != 0
            self.running += reward
            for index in np.flatnonzero(ends):
                self.last.append((float(self.running[index]), ends[index] == REACHED))
                self.running[index] = 0.0
            self.seen = now.copy()
        self.done_steps += options.steps * count
        advantages = self._advantages(rewards, values, ended)
        returns = advantages + values
        flat = options.steps * count
        self._epochs(
            seen.reshape(flat, SIZE),
            actions.reshape(flat, ACTIONS),
            chances.reshape(flat),
            advantages.reshape(flat),
            returns.reshape(flat),
            rate,
        )

    def _chance(self, noise: Array) -> Array:
        """Logarithm of the density of what was done, but for a constant."""
        return np.asarray(
            -0.5 * (noise * noise).sum(axis=1) - self.log_deviation.sum(), np.float32
        )

    def _advantages(
        self, rewards: Array, values: Array, ended: NDArray[np.bool_]
    ) -> Array:
        options = self.options
        fading = options.discount * options.smoothing
        found, running = np.empty_like(rewards), np.zeros(rewards.shape[1], np.float32)
        after = self.value.answer(self.seen)[:, 0]
        for step in range(len(rewards) - 1, -1, -1):
            goes_on = (~ended[step]).astype(np.float32)
            surprise = rewards[step] + options.discount * after * goes_on - values[step]
            running = surprise + fading * goes_on * running
            found[step], after = running, values[step]
        return found

    def _epochs(
        self,
        seen: Array,
        actions: Array,
        chances: Array,
        advantages: Array,
        returns: Array,
        rate: float,
    ) -> None:
        options = self.options
        for _ in range(options.epochs):
            order = self.random.permutation(len(seen))
            for first in range(0, len(order), options.batch):
                rows = order[first : first + options.batch]
                self._step(
                    seen[rows],
                    actions[rows],
                    chances[rows],
                    advantages[rows],
                    returns[rows],
                    rate,
                )

    def _step(
        self,
        seen: Array,
        actions: Array,
        chances: Array,
        advantages: Array,
        returns: Array,
        rate: float,
    ) -> None:
        options, count = self.options, len(seen)
        better = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        first, second = self.policy.hidden(seen)
        mean = second @ self.policy.w3 + self.policy.b3
        deviation = np.exp(self.log_deviation)
        noise = np.asarray((actions - mean) / deviation, np.float32)
        ratio = np.exp(np.clip(self._chance(noise) - chances, -20.0, 20.0))
        # Where clipping bites, the slope is nothing.
        bites = ((better > 0.0) & (ratio > 1.0 + options.clip)) | (
            (better < 0.0) & (ratio < 1.0 - options.clip)
        )
        weight = np.where(bites, 0.0, -better * ratio).astype(np.float32) / count
        by_mean = np.asarray(weight[:, None] * noise / deviation, np.float32)
        by_deviation = (weight[:, None] * (noise * noise - 1.0)).sum(axis=0)
        by_deviation = (by_deviation - options.entropy).astype(np.float32)
        value_first, value_second = self.value.hidden(seen)
        value = (value_second @ self.value.w3 + self.value.b3)[:, 0]
        by_value = np.asarray(0.5 * (value - returns) / count, np.float32)[:, None]
        self.adam.step(
            [
                *self.policy.slopes(seen, first, second, by_mean),
                *self.value.slopes(seen, value_first, value_second, by_value),
                by_deviation,
            ],
            rate,
        )
