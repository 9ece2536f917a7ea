"""One run: work comes, the hub moves their instances, time jumps to what comes next.

``Advance`` is the one that moves real instances, ``RunJobs`` settles and repeats their
jobs, ``deliver_one`` hands over what lies ready. Only who works is made up: people by
``Crew``, machines by the stand of a plug-in, all else by the times of the history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from mpms.domain.errors import MpmsError
from mpms.domain.instances.steps import Start
from mpms.domain.models.definitions import Definition, ModelStep
from mpms.domain.testdrive import scenario as given
from mpms.domain.testdrive.report import Run
from mpms.domain.testdrive.scenario import Arrival, Scenario
from mpms.ports.engine import Engine
from mpms.services.instances.advance import Advance
from mpms.services.instances.deliver import deliver_one
from mpms.services.instances.hooks import InstanceHooks
from mpms.services.instances.start import start_definition
from mpms.services.jobs.run import RunJobs
from mpms.services.testdrive.crew import Crew
from mpms.services.testdrive.jobs import Jobs
from mpms.services.testdrive.ledger import Ledger
from mpms.services.testdrive.stand import Driving, Stand
from mpms.services.testdrive.virtual_time import VirtualTime
from mpms.services.testdrive.waits import Waits
from mpms.services.testdrive.work import Work

AFTER_LAST_S = 30 * 24 * 3600.0  # what has not ended so long after the last order
MOST_STEPS = 3_000_000
MakeStore = Callable[..., Any]
Progress = Callable[[int, int], None]  # arrivals that have ended, of how many


class NeverEnds(MpmsError):
    """The model goes round without end in a test-drive."""


@dataclass(frozen=True)
class Drivable:
    """A version, with all that it may call, decide by and show."""

    title: str
    definition: Definition
    definitions: Sequence[Definition]  # it and the newest of all others
    decisions: Mapping[str, bytes]
    forms: Mapping[str, Mapping[str, Any]]


@dataclass
class VirtualRun:
    """One version with one seed; ``drive`` once."""

    version: Drivable
    scenario: Scenario
    seed: int
    engine: Engine
    make_store: MakeStore
    hooks: InstanceHooks
    stand: Stand
    begin_at: datetime
    progress: Progress = lambda done, of: None

    def __post_init__(self) -> None:
        version, stand = self.version, self.stand
        self.time = VirtualTime(self.begin_at)
        self.store = self.make_store(
            *(self.time, self.engine),
            *(version.definitions, version.decisions, stand.stores),
        )
        self.advance = Advance(self.engine, self.time, self.hooks)
        self.crew = Crew(list(self.scenario.people))
        self._waits = Waits(self.store, self.scenario, self.seed)
        self._ledger = Ledger(self.store)
        self._steps = 0
        self._kinds: dict[str, ModelStep] = {}
        for definition in (*version.definitions, version.definition):
            self._kinds |= {s.id: s for s in self.engine.steps(definition)}
        handlers = stand.open(
            Driving(
                uow=self.store,
                advance=self.advance,
                learnt=self.scenario.learnt,
                now=self.time.now,
                later=self.time.later,
                dice=partial(given.dice, self.seed),
                element_of=self._waits.element_of,
                luck_of=self._waits.luck_of,
                variables_of=self._waits.variables_of,
            )
        )
        self._jobs = Jobs(
            *(self.store, self.time, self._waits, handlers),
            RunJobs(self.store, self.advance, handlers),
            machines=lambda: stand.units,
        )
        self._work = Work(
            *(self.store, self.advance, self.time, self._waits),
            *(self.crew, self._jobs, self._kinds, version.forms),
        )

    @property
    def used_default(self) -> set[str]:
        """Steps of which too little is known."""
        return self._waits.used_default

    @property
    def silent_events(self) -> set[str]:
        """Steps that listen for what does not come."""
        return self._work.silent_events

    @property
    def served_here(self) -> set[str]:
        """Steps whose jobs a worker of ours does."""
        return self._jobs.served_here

    def drive(self) -> Run:
        """NeverEnds."""
        for arrival in self.scenario.arrivals:
            self.time.at(arrival.at_s, partial(self._arrive, arrival))
        until_s = self.scenario.last_s + AFTER_LAST_S
        while self._ledger.ended < len(self.scenario.arrivals):
            do = self.time.next(until_s)
            if do is None:
                break
            do()
            self._settle()
        return self._result()

    def _result(self) -> Run:
        ledger = self._ledger
        lasted_s = max(ledger.last_end_s, self.scenario.last_s, 1e-9)
        return Run(
            self.seed,
            len(self.scenario.arrivals),
            ledger.lead_times_s,
            ledger.waited_s,
            ledger.failed,
            lasted_s,
            {who: busy_s / lasted_s for who, busy_s in self.stand.use().items()},
            {who: busy_s / lasted_s for who, busy_s in self.crew.busy_s.items()},
            ledger.steps(self._kinds),
            ledger.stuck(self._waits.left()),
            dict(self.stand.floor_s()),
        )

    def _arrive(self, arrival: Arrival) -> None:
        variables = {**arrival.variables, **self.stand.arrive(arrival)}
        definition = self.version.definition
        with self.store() as tx:
            try:
                instance_id = start_definition(
                    *(tx, self.advance, definition),
                    _start(self.engine, definition, variables),
                    business_key=arrival.name,
                    actor="test-drive",
                )
            except MpmsError as refused:
                tx.incidents.open("start", str(refused), instance_id=arrival.name)
                self._ledger.refused()
                self._tell()
                return
        self._ledger.came(instance_id, self.time.now_s)
        self._waits.call(instance_id, arrival.name)
        if tx.instances.get(instance_id).status.ended:
            self._look_at_ends()

    # -- after each step --------------------------------------------------------------

    def _settle(self) -> None:
        store = self.store
        moved = True
        while moved:
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise NeverEnds
            self._look_at_ends()
            self._look_at_closed()
            opened, store.opened[:] = list(store.opened), []
            for instance_id, wait in opened:
                if wait.task_id in store.waits.open:
                    one = self._waits.open(instance_id, wait, self.time.now_s)
                    self._work.begin(one)
            moved = bool(opened)
            if store.deliveries:
                moved = deliver_one(store, self.advance) or moved
            moved = self.crew.staff() or moved
            if self.stand.pump():
                moved = self._jobs.wake() or moved

    def _look_at_closed(self) -> None:
        store = self.store
        for task_id in store.closed:
            one = self._waits.close(task_id)
            if one is not None:
                self._work.drop(one)
                self._ledger.close(one, self.time.now_s)
        store.closed.clear()
        for kind, _, _, element, _, _ in store.lines:
            if kind == "left" and element:
                self._ledger.visit(element)
        store.lines.clear()

    def _look_at_ends(self) -> None:
        self._look_at_closed()
        ended, self.store.ended[:] = list(self.store.ended), []
        for instance in ended:
            if self._ledger.end(instance, self.time.now_s):
                self.store.instances.forget(instance.id)
                self._tell()

    def _tell(self) -> None:
        self.progress(self._ledger.ended, len(self.scenario.arrivals))


def _start(
    engine: Engine, definition: Definition, variables: Mapping[str, Any]
) -> Start:
    """At the plain start, else at whichever there is: a timer or message starts it in
    the plant, and what came to a test-drive."""
    starts = [s for s in engine.starts(definition.xml) if s.process == definition.key]
    plain = not starts or any(start.kind == "none" for start in starts)
    at = None if plain else starts[0].element
    return Start(dict(variables), at, by="test-drive")
