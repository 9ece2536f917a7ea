"""The registry of handlers: which function does the work of which topic.

A handler is a plain named function. What it may touch decides how it is run, so it
says so when it is registered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from mpms.domain.instances.steps import GO_ON_TOPIC, Variables
from mpms.domain.jobs import DEFAULT_RETRY_DELAYS_S, Answer, Done, Job, Reach
from mpms.ports.store import Transaction

Pure = Callable[[Variables], Variables | None]
Inside = Callable[[Transaction, Job], Answer]
Outside = Callable[[Job], Answer]

DEFAULT_LIMIT_S = 60.0


@dataclass(frozen=True)
class OutsideHandler:
    """A handler that touches the world, and how long it may take."""

    function: Outside
    limit_s: float


def go_on(_tx: Transaction, _job: Job) -> Answer:
    """Take up a token behind a commit point: the step that follows is all there is."""
    return Done()


@dataclass
class Handlers:
    """Topics and their handlers; every worker takes up what waits for a commit."""

    pure: dict[str, Pure] = field(default_factory=dict)
    inside: dict[str, Inside] = field(default_factory=lambda: {GO_ON_TOPIC: go_on})
    outside: dict[str, OutsideHandler] = field(default_factory=dict)
    # Pauses before it is tried again, where the model does not say.
    retry_delays_s: dict[str, tuple[float, ...]] = field(default_factory=dict)

    def add_pure(self, topic: str, function: Pure) -> None:
        self._new(topic)
        self.pure[topic] = function

    def add_inside(self, topic: str, function: Inside) -> None:
        self._new(topic)
        self.inside[topic] = function

    def add_outside(
        self, topic: str, function: Outside, *, limit_s: float = DEFAULT_LIMIT_S
    ) -> None:
        self._new(topic)
        self.outside[topic] = OutsideHandler(function, limit_s)

    def _new(self, topic: str) -> None:
        if topic in self.topics():
            raise ValueError(f"topic {topic!r} has a handler already")

    def topics(self) -> frozenset[str]:
        return frozenset({*self.pure, *self.inside, *self.outside})

    @property
    def claimed(self) -> frozenset[str]:
        """Those whose work lies in the queue; pure ones are done in the step."""
        return frozenset({*self.inside, *self.outside})

    def reach(self, topic: str) -> Reach | None:
        for reach, table in (
            (Reach.PURE, self.pure),
            (Reach.INSIDE, self.inside),
            (Reach.OUTSIDE, self.outside),
        ):
            if topic in table:
                return reach
        return None

    def delays_of(self, job: Job) -> tuple[float, ...]:
        """The model's own pauses, else those of the topic, else the usual ones."""
        if job.retry_delays_s != DEFAULT_RETRY_DELAYS_S:
            return job.retry_delays_s
        return self.retry_delays_s.get(job.topic, job.retry_delays_s)

    def merged(self, others: Iterable[Handlers]) -> Handlers:
        """These and the others together, each topic once."""
        result = Handlers(
            dict(self.pure),
            dict(self.inside),
            dict(self.outside),
            dict(self.retry_delays_s),
        )
        for other in others:
            result.retry_delays_s.update(other.retry_delays_s)
            for topic, pure in other.pure.items():
                result.add_pure(topic, pure)
            for topic, inside in other.inside.items():
                if inside is not go_on:
                    result.add_inside(topic, inside)
            for topic, outside in other.outside.items():
                result.add_outside(topic, outside.function, limit_s=outside.limit_s)
        return result
