"""Faults of the link between a robot and its clients.

Everything that crosses a robot's namespace is carried by its link, which may
lose it, hold it or hand it over twice. The scope ``*`` is the whole server.
"""

import math
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from shopfloor.sim.clock import Clock

EVERYTHING = "*"
MAX_HELD = 10_000

Action = Callable[[], None]


@dataclass
class Link:
    frozen_until: float = -math.inf
    dropped_until: float = -math.inf
    duplicated_until: float = -math.inf
    delayed_until: float = -math.inf
    cut_until: float = -math.inf
    delay_s: float = 0.0
    held: deque[tuple[float, Action]] = field(default_factory=deque)


class Links:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._links: dict[str, Link] = {}

    def of(self, scope: str) -> Link:
        return self._links.setdefault(scope, Link())

    def frozen(self, scope: str) -> bool:
        link = self._links.get(scope)
        return link is not None and self._clock.now() < link.frozen_until

    def cut(self, scope: str) -> bool:
        link = self._links.get(scope)
        return link is not None and self._clock.now() < link.cut_until

    def carry(
        self, scope: str | None, action: Action, *, repeatable: bool = True
    ) -> None:
        """Do it now, later, twice or never, as the state of the link says."""
        link = self._links.get(scope) if scope is not None else None
        if link is None:
            action()
            return
        now = self._clock.now()
        if now < link.dropped_until:
            return
        twice = repeatable and now < link.duplicated_until
        due = now + (link.delay_s if now < link.delayed_until else 0.0)
        for _ in range(2 if twice else 1):
            if link.held or due > now or now < link.frozen_until:
                if len(link.held) >= MAX_HELD:
                    link.held.popleft()
                link.held.append((due, action))
            else:
                action()

    def step(self) -> None:
        """Let go what was held long enough, in the order it came."""
        now = self._clock.now()
        for link in list(self._links.values()):
            if now < link.frozen_until:
                continue
            while link.held and link.held[0][0] <= now:
                link.held.popleft()[1]()

    def clear(self, scope: str) -> None:
        """Faultless again; what is held goes out with the next step."""
        link = self._links.get(scope)
        if link is not None:
            held = deque((-math.inf, action) for _, action in link.held)
            self._links[scope] = Link(held=held)
