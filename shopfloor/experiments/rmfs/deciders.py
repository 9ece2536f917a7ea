"""The strategies of a run, each asked through one place that counts and times it."""

from __future__ import annotations

import random
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

from fleet.rmfs.strategies.base import PROBLEMS, Strategy
from fleet.rmfs.strategies.registry import DEFAULTS, Choice, Registry


class Deciders:
    """One strategy for each problem; any may be exchanged while the run goes on."""

    def __init__(
        self, registry: Registry, choices: Mapping[str, Choice], seed: int
    ) -> None:
        self._registry = registry
        self._seed = seed
        self._exchanged = 0
        self.by_problem: dict[str, Any] = {}
        self.asked: Counter[str] = Counter()
        self.spent_s: defaultdict[str, float] = defaultdict(float)
        for problem in PROBLEMS:
            choice = choices.get(problem, Choice(DEFAULTS[problem]))
            self.by_problem[problem] = registry.make(
                problem, choice, self._chance(problem)
            )

    def _chance(self, problem: str) -> random.Random:
        name = f"{problem}-{self._exchanged}-{self._seed}"
        return random.Random(name)  # noqa: S311 (a simulation)

    def exchange(self, problem: str, name: str) -> str:
        """The new strategy's name; "?" draws one."""
        self._exchanged += 1
        chance = self._chance(problem)
        if name == "?":
            name = chance.choice(self._registry.names(problem))
        self.by_problem[problem] = self._registry.make(problem, Choice(name), chance)
        return name

    def check(self, problem: str, name: str) -> None:
        """StrategyUnknown if there is none of that name."""
        self._registry.find(problem, name)

    def ask(self, problem: str, method: str, *facts: Any) -> Any:
        began = time.perf_counter()
        answer = getattr(self.by_problem[problem], method)(*facts)
        self.spent_s[problem] += time.perf_counter() - began
        self.asked[problem] += 1
        return answer

    def listeners(self, event: str) -> list[Strategy]:
        return [s for s in self.by_problem.values() if event in s.listens_to]
