"""Experiments: their rows, and the program that simulates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from mpms.domain.errors import MpmsError

Plan = Mapping[str, Any]  # a sweep, as its file says it
Footprint = Mapping[str, Any]


class PlanRefused(MpmsError):
    """This cannot be simulated; ``lines`` are all reasons at once."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.lines = list(lines)
        super().__init__(" ".join(self.lines))


class SimulatorMissing(MpmsError):
    """Experiments need what simulates: pip install 'mpms[sim]'"""


class SimulatorFailed(MpmsError):
    """The program that simulates has ended, and said why."""


@dataclass(frozen=True)
class Experiment:
    """What was asked, and how far it is."""

    id: int
    title: str
    plan: Plan
    question: Mapping[str, Any] | None  # what the wizard was told
    state: str
    runs: int
    done: int
    dropped: Sequence[str]  # cases that surely lose
    dropped_runs: int
    failure: str
    made_by: str
    made_at: datetime
    began_at: datetime | None
    runs_before: int  # done when its worker began
    ended_at: datetime | None
    stop_asked_by: str | None
    share: float  # of the run that is on
    link: str | None
    left_alone: bool  # its worker is gone, and no other has time yet

    @property
    def open(self) -> bool:
        return self.state in ("waiting", "running")

    @property
    def progress(self) -> float:
        """From 0 to 1."""
        if not self.open:
            return 1.0
        return min(
            1.0, (self.done + self.share) / max(1, self.runs - self.dropped_runs)
        )

    def left_s(self, now: datetime) -> float | None:
        """By what it took until now; None while nothing is known."""
        if self.state != "running" or self.began_at is None or self.left_alone:
            return None
        mine = self.done + self.share - self.runs_before
        if mine <= 0.0:
            return None
        left = self.runs - self.dropped_runs - self.done - self.share
        return max(0.0, (now - self.began_at).total_seconds() / mine * left)


@dataclass(frozen=True)
class Run:
    """One run of a case; its footprint has every measure."""

    case: str
    seed: int
    footprint: Footprint


class Experiments(Protocol):
    """Rows of experiments and their runs."""

    def add(
        self,
        title: str,
        plan: Plan,
        question: Mapping[str, Any] | None,
        runs: int,
        *,
        by: str,
    ) -> int: ...
    def get(self, id_: int) -> Experiment | None: ...
    def of_link(self, link: str) -> Experiment | None: ...
    def listing(
        self, *, limit: int, below: int | None = None
    ) -> Sequence[Experiment]: ...
    def present(self, id_: int) -> Mapping[str, Any] | None: ...
    def claim(self, worker: str, lease_s: float) -> tuple[int, Plan, int] | None: ...
    def hold(
        self,
        id_: int,
        worker: str,
        lease_s: float,
        *,
        share: float | None = None,
        present: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Who asked to stop it, empty for nobody; None: it is no longer ours."""
        ...

    def drop_case(self, id_: int, case: str, runs: int) -> None: ...
    def end(self, id_: int, worker: str, state: str, failure: str = "") -> None: ...
    def release(self, id_: int, worker: str) -> None: ...
    def stop(self, id_: int, *, by: str) -> bool: ...
    def delete(self, id_: int) -> bool: ...
    def set_link(self, id_: int, link: str | None) -> bool: ...
    def add_run(
        self,
        id_: int,
        run: Run,
        series: Sequence[Mapping[str, Any]],
        view: Mapping[str, Any] | None,
    ) -> None: ...
    def runs_of(self, id_: int) -> Sequence[Run]: ...
    def series(
        self, id_: int, case: str, seed: int
    ) -> Sequence[Mapping[str, Any]] | None: ...
    def view(self, id_: int, case: str) -> bytes | None:
        """JSON, compressed by gzip."""
        ...


Event = Mapping[str, Any]


class Simulating(Protocol):
    """A sweep that runs in a process of its own."""

    def events(self) -> Iterator[Event | None]:
        """What it tells; None where a second passed without a word.

        PlanRefused, SimulatorFailed.
        """
        ...


class Simulator(Protocol):
    """What simulates warehouses: a program, not a library of ours."""

    def parts(self) -> Mapping[str, Any]:
        """All that a plan may be given. SimulatorMissing."""
        ...

    def check(self, plan: Plan) -> int:
        """How many runs it asks for. PlanRefused, SimulatorMissing."""
        ...

    def start(
        self, plan: Plan, done: Sequence[tuple[str, int, float]]
    ) -> AbstractContextManager[Simulating]:
        """Runs that are done are not run again. SimulatorMissing."""
        ...
