"""Parts of the plant that do nothing, for tests that look at something else."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from mpms.domain.jobs import Answer, Done, Job
from mpms.factory.ports.floor import FloorSeen, Point


class SilentAlarm:
    """Wakes nobody and counts how often it should have; sleeps never."""

    def __init__(self) -> None:
        self.woken = 0

    def wait(self, timeout_s: float) -> object:
        raise AssertionError("a worker driven by hand does not sleep")

    def wake(self) -> None:
        self.woken += 1


class EmptyFloor:
    """No robot is seen."""

    def seen(self) -> FloorSeen:
        return FloorSeen()

    def costmap(self, robot: str) -> Sequence[Point]:
        return []

    def global_costmap(self, robot: str) -> Sequence[Point]:
        return []

    def close(self) -> None:
        pass


class EndedStream:
    """A stream that its page has left."""

    def read(self, timeout_s: float) -> None:
        return None

    def close(self) -> None:
        pass


class SilentLive:
    """Tells browsers nothing."""

    open_streams = 0

    def position(self) -> str:
        return ""

    def stream(self, *_: Any, **__: Any) -> EndedStream:
        return EndedStream()


class CountingUnitOfWork:
    """Opens transactions and counts them and their statements."""

    def __init__(self, uow: Any) -> None:
        self._uow = uow
        self.transactions = 0
        self.statements: list[str] = []
        self._lock = threading.Lock()

    @contextmanager
    def __call__(self) -> Iterator[Any]:
        with self._lock:
            self.transactions += 1
        with self._uow() as tx:
            statements = tx.orders._statements
            plain = statements._executed

            def counted(name: str, parameters: Any) -> Any:
                with self._lock:
                    self.statements.append(name)
                return plain(name, parameters)

            statements._executed = counted
            yield tx


class Flaky:
    """A handler that fails so many times, then succeeds; it remembers its calls."""

    def __init__(self, *failures: Exception) -> None:
        self.failures = list(failures)
        self.keys: list[str] = []

    def __call__(self, *arguments: Any) -> Answer:
        job: Job = arguments[-1]
        self.keys.append(job.idempotency_key)
        if self.failures:
            raise self.failures.pop(0)
        return Done({"done_by": job.topic})
