"""One run: work comes, the hub moves their instances, time jumps to what comes next.

``Advance`` is the one that moves real instances, ``RunJobs`` settles and repeats their
jobs, ``deliver_one`` hands over what lies ready. Only who works is made up: people by
``Crew``, machines by the stand of a plug-in, all else by the times of the history.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any

from mpms.domain.errors import MpmsError, TaskGone
from mpms.domain.instances.instances import Instance, InstanceStatus
from mpms.domain.instances.steps import (
    Complete,
    EventWait,
    Fail,
    Fire,
    FormWait,
    JobWait,
    Receive,
    StuckWait,
    TimerWait,
    Wait,
)
from mpms.domain.jobs import Done, Job, NotYet
from mpms.domain.models.definitions import Definition, ModelStep
from mpms.domain.testdrive import scenario as given
from mpms.domain.testdrive.report import Run, StepFigures
from mpms.domain.testdrive.scenario import Arrival, Scenario, Worker
from mpms.ports.engine import Engine
from mpms.services.instances.advance import Advance
from mpms.services.instances.deliver import deliver_one
from mpms.services.instances.hooks import InstanceHooks
from mpms.services.instances.start import start_definition
from mpms.services.jobs.handlers import Handlers
from mpms.services.jobs.run import RunJobs
from mpms.services.testdrive.answers import made_up_answer
from mpms.services.testdrive.crew import Crew
from mpms.services.testdrive.stand import Driving, Stand
from mpms.services.testdrive.virtual_time import VirtualTime

log = logging.getLogger(__name__)

AFTER_LAST_S = 30 * 24 * 3600.0  # what has not ended so long after the last order
LOOK_AGAIN_S = 60.0
MOST_STEPS = 3_000_000
NOBODY = "nobody"
QUICK_KINDS = ("intermediateCatchEvent", "receiveTask")
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
class _Open:
    """Something that waits: since when, and since when somebody is at it."""

    instance_id: str
    wait: Wait
    luck: str
    since_s: float
    begun_s: float | None = None
    job: Job | None = None
    asleep: bool = False


@dataclass
class _Arrived:
    arrived_s: float
    waited_s: float = 0.0


@dataclass
class _Tally:
    visits: int = 0
    seconds: float = 0.0
    waited_s: float = 0.0


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
    used_default: set[str] = field(default_factory=set)
    silent_events: set[str] = field(default_factory=set)
    served_here: set[str] = field(default_factory=set)  # steps

    def __post_init__(self) -> None:
        self.time = VirtualTime(self.begin_at)
        self.store = self.make_store(
            self.time,
            self.engine,
            self.version.definitions,
            self.version.decisions,
            self.stand.stores,
        )
        self.advance = Advance(self.engine, self.time, self.hooks)
        self.crew = Crew(list(self.scenario.people))
        self._open: dict[str, _Open] = {}
        self._jobs: dict[int, str] = {}  # number to task
        self._asleep: dict[str, list[str]] = {}  # topic to tasks, the oldest first
        self._arrived: dict[str, _Arrived] = {}  # by instance
        self._origin: dict[str, str] = {}  # instance to what it is called in each run
        self._turns: dict[str, int] = {}
        self._tallies: dict[str, _Tally] = {}
        self._lead_times_s: list[float] = []
        self._waited_s: list[float] = []
        self._ended = self._failed = self._steps = 0
        self._last_end_s = 0.0
        self._look_due = False
        self._kinds: dict[str, ModelStep] = {}
        for definition in self.version.definitions:
            self._kinds |= {s.id: s for s in self.engine.steps(definition)}
        self._kinds |= {s.id: s for s in self.engine.steps(self.version.definition)}
        self.handlers: Handlers = self.stand.open(
            Driving(
                uow=self.store,
                advance=self.advance,
                learnt=self.scenario.learnt,
                now=self.time.now,
                later=self.time.later,
                dice=partial(given.dice, self.seed),
                element_of=self._element_of,
                luck_of=self._luck_of,
                variables_of=self._variables_of,
            )
        )
        self._topics = self.handlers.topics()
        self._run_jobs = RunJobs(self.store, self.advance, self.handlers)

    # -- the run ----------------------------------------------------------------------

    def drive(self) -> Run:
        """NeverEnds."""
        for arrival in self.scenario.arrivals:
            self.time.at(arrival.at_s, partial(self._arrive, arrival))
        until_s = self.scenario.last_s + AFTER_LAST_S
        while self._ended < len(self.scenario.arrivals):
            do = self.time.next(until_s)
            if do is None:
                break
            do()
            self._settle()
        return self._result()

    def _result(self) -> Run:
        lasted_s = max(self._last_end_s, self.scenario.last_s, 1e-9)
        steps = [
            StepFigures(
                element,
                self._kinds[element].title if element in self._kinds else element,
                self._kinds[element].kind if element in self._kinds else "",
                tally.visits,
                tally.seconds,
                tally.waited_s,
            )
            for element, tally in self._tallies.items()
        ]
        return Run(
            self.seed,
            len(self.scenario.arrivals),
            self._lead_times_s,
            self._waited_s,
            self._failed,
            lasted_s,
            {who: busy_s / lasted_s for who, busy_s in self.stand.use().items()},
            {who: busy_s / lasted_s for who, busy_s in self.crew.busy_s.items()},
            steps,
            self._stuck(),
        )

    def _stuck(self) -> dict[str, int]:
        """What stands at the end, by the incident or by where it waits."""
        found: dict[str, int] = {}
        for told in self.store.incidents.open_ones.values():
            found[told] = found.get(told, 0) + 1
        for one in self._open.values():
            if isinstance(one.wait, StuckWait) or one.wait.element == "":
                continue
            told = f"waits at {one.wait.name or one.wait.element}"
            found[told] = found.get(told, 0) + 1
        return found

    def _arrive(self, arrival: Arrival) -> None:
        variables = {**arrival.variables, **self.stand.arrive(arrival)}
        definition = self.version.definition
        with self.store() as tx:
            try:
                instance_id = start_definition(
                    tx,
                    self.advance,
                    definition,
                    _start(self.engine, definition, variables),
                    business_key=arrival.name,
                    actor="test-drive",
                )
            except MpmsError as refused:
                tx.incidents.open("start", str(refused), instance_id=arrival.name)
                self._failed += 1
                self._end_one()
                return
        self._arrived[instance_id] = _Arrived(self.time.now_s)
        self._origin[instance_id] = arrival.name
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
                    self._begin(instance_id, wait)
            moved = bool(opened)
            if store.deliveries:
                moved = deliver_one(store, self.advance) or moved
            moved = self.crew.staff() or moved
            if self.stand.pump():
                moved = self._wake() or moved

    def _look_at_closed(self) -> None:
        store = self.store
        for task_id in store.closed:
            one = self._open.pop(task_id, None)
            if one is None:
                continue
            if isinstance(one.wait, FormWait):
                self.crew.drop(task_id)
            if one.asleep and isinstance(one.wait, JobWait):
                self._asleep[one.wait.topic].remove(task_id)
            stayed_s = self.time.now_s - one.since_s
            begun_s = self.time.now_s if one.begun_s is None else one.begun_s
            waited_s = stayed_s
            if isinstance(one.wait, FormWait | JobWait):
                waited_s = min(begun_s - one.since_s, stayed_s)
            tally = self._tallies.setdefault(one.wait.element, _Tally())
            tally.seconds += stayed_s
            tally.waited_s += waited_s
            arrived = self._arrived.get(self._root_of(one.instance_id))
            if arrived is not None:
                arrived.waited_s += waited_s
        store.closed.clear()
        for kind, _, _, element, _, _ in store.lines:
            if kind == "left" and element:
                self._tallies.setdefault(element, _Tally()).visits += 1
        store.lines.clear()

    def _look_at_ends(self) -> None:
        self._look_at_closed()
        ended, self.store.ended[:] = list(self.store.ended), []
        for instance in ended:
            arrived = self._arrived.pop(instance.id, None)
            if arrived is None:
                continue
            if instance.status is InstanceStatus.COMPLETED:
                self._lead_times_s.append(self.time.now_s - arrived.arrived_s)
                self._waited_s.append(arrived.waited_s)
            else:
                self._failed += 1
            self._last_end_s = self.time.now_s
            self.store.instances.forget(instance.id)
            self._end_one()

    def _end_one(self) -> None:
        self._ended += 1
        self.progress(self._ended, len(self.scenario.arrivals))

    # -- what waits -------------------------------------------------------------------

    def _begin(self, instance_id: str, wait: Wait) -> None:
        luck = self._name_luck(instance_id, wait)
        one = _Open(instance_id, wait, luck, self.time.now_s)
        self._open[wait.task_id] = one
        match wait:
            case FormWait(groups=groups):
                self.crew.wait(wait.task_id, groups, partial(self._fill_in, one))
            case JobWait():
                self._begin_job(one, wait)
            case TimerWait(due_at=due_at):
                self.time.at(self.time.seconds_at(due_at), partial(self._fire, one))
            case EventWait():
                self._expect(one, wait)

    def _lives(self, one: _Open) -> bool:
        return self._open.get(one.wait.task_id) is one

    def _fire(self, one: _Open) -> None:
        # A timer that has moved meanwhile is another row with the same id.
        if self._lives(one):
            self._apply(one, Fire(one.wait.task_id))

    def _expect(self, one: _Open, wait: EventWait) -> None:
        """A message from outside comes when it used to; where nobody knows, only what
        the process plainly waits for comes."""
        step = self._kinds.get(wait.element)
        if step is None or step.kind not in QUICK_KINDS:
            self.silent_events.add(wait.element)
            return
        after_s = self._lasts_s(one, given.EVENT_S)
        results = self._results(one)
        self.time.later(after_s, lambda: self._receive(one, results))

    def _receive(self, one: _Open, variables: dict[str, Any]) -> None:
        if self._lives(one):
            self._apply(one, Receive(one.wait.task_id, variables))

    def _fill_in(self, one: _Open, worker: Worker) -> None:
        one.begun_s = self.time.now_s
        lasts_s = self._lasts_s(one, given.FORM_S)
        self.time.later(lasts_s, lambda: self._answer(one, worker, lasts_s))

    def _answer(self, one: _Open, worker: Worker, worked_s: float) -> None:
        self.crew.free(worker, worked_s)
        if not self._lives(one):
            return
        wait, learnt = one.wait, self.scenario.learnt
        throw = given.dice(self.seed, one.luck, "answer")
        code = learnt.problem(wait.element, throw)
        if code is not None and self._apply(one, Fail(wait.task_id, code, code)):
            return
        answers = learnt.answers.get(wait.element)
        filled_in: Mapping[str, Any]
        if answers:
            filled_in = throw.choice(list(answers))
        else:
            form = wait.form if isinstance(wait, FormWait) else None
            filled_in = made_up_answer(self.version.forms.get(form or ""))
        self._apply(one, Complete(wait.task_id, dict(filled_in)))

    # -- jobs -------------------------------------------------------------------------

    def _begin_job(self, one: _Open, wait: JobWait) -> None:
        number = len(self._jobs) + 1
        self._jobs[number] = wait.task_id
        instance = self.store.instances.get(one.instance_id)
        known = instance.snapshot.variables if instance.snapshot is not None else {}
        one.job = Job(
            *(number, wait.task_id, instance.id, instance.business_key),
            *(wait.element, wait.topic),
            inputs=known if wait.inputs is None else wait.inputs,
            attempts=0,
            retry_delays_s=wait.retry_delays_s,
            idempotency_key=wait.task_id,
        )
        if wait.topic in self._topics:
            self.served_here.add(wait.element)
            self._handle(one)
            return
        one.begun_s = self.time.now_s
        results = self._results(one)
        self.time.later(
            self._lasts_s(one, given.JOB_S), lambda: self._finish(one, results)
        )

    def _handle(self, one: _Open) -> None:
        """Let the handler do it, as a worker would."""
        job = one.job
        if job is None or not self._lives(one):
            return
        one.asleep = False
        inside = self.handlers.inside.get(job.topic)
        outside = self.handlers.outside.get(job.topic)
        try:
            if inside is not None:
                answer = inside(self.store, job)
            elif outside is not None:
                answer = outside.function(job)
            else:
                return
        except Exception as failure:
            self._run_jobs.fail(job, failure, worker=None)
            self._again(one, job)
            return
        if isinstance(answer, NotYet):
            self._sleep(one, job)
            return
        one.begun_s = self.time.now_s
        if outside is not None and isinstance(answer, Done):
            results = answer.variables
            self.time.later(
                self._lasts_s(one, given.JOB_S), lambda: self._finish(one, results)
            )
            return
        with self.store() as tx:
            self._run_jobs.settle(tx, job, answer, actor=job.topic)

    def _finish(self, one: _Open, results: Mapping[str, Any]) -> None:
        if one.job is not None and self._lives(one):
            with self.store() as tx:
                done = Done(dict(results))
                self._run_jobs.settle(tx, one.job, done, actor=one.job.topic)

    def _again(self, one: _Open, job: Job) -> None:
        """What has failed is tried again after the pauses that the real one makes."""
        said = self.store.jobs.postponed.pop(job.id, None)
        if said is not None:
            delay_s, _, failed = said
            one.job = Job(**{**vars(job), "attempts": job.attempts + int(failed)})
            self.time.later(delay_s, lambda: self._handle(one))

    def _sleep(self, one: _Open, job: Job) -> None:
        """It is too early; it is looked at again when the stand has changed."""
        one.asleep = True
        self._asleep.setdefault(job.topic, []).append(job.task_id)
        if not self._look_due:
            self._look_due = True
            self.time.later(LOOK_AGAIN_S, self._look)

    def _look(self) -> None:
        """Some changes nobody tells: a place that has become free by itself."""
        self._look_due = False
        self._wake()

    def _wake(self) -> bool:
        """Whether one of them went on. Those of a topic are asked in their order, and
        no more of them in vain than there are machines."""
        went_on = False
        for topic in list(self._asleep):
            waiting, self._asleep[topic] = self._asleep[topic], []
            in_vain = 0
            for place, task_id in enumerate(waiting):
                if in_vain > self.stand.units:
                    self._asleep[topic] += waiting[place:]
                    break
                one = self._open.get(task_id)
                if one is None:
                    continue
                self._handle(one)
                in_vain += one.asleep
                went_on = went_on or not one.asleep
        return went_on

    # -- helpers ----------------------------------------------------------------------

    def _apply(self, one: _Open, command: Any) -> bool:
        """Whether the model took it."""
        with self.store() as tx:
            instance = tx.instances.lock(one.instance_id)
            try:
                step = self.advance(tx, instance, command, actor="test-drive")
            except TaskGone:
                return False
            except MpmsError as refused:
                tx.incidents.open(
                    *("step", str(refused)),
                    instance_id=one.instance_id,
                    task_id=one.wait.task_id,
                    element=one.wait.element,
                )
                return False
        caught: bool = step.caught
        return caught

    def _lasts_s(self, one: _Open, default_s: float) -> float:
        throw = given.dice(self.seed, one.luck, "time")
        seen_s = self.scenario.learnt.duration_s(one.wait.element, throw)
        if seen_s is None:
            self.used_default.add(one.wait.element)
            # As far about the default as times of people and machines usually are.
            return default_s * throw.triangular(0.5, 1.5)
        return seen_s

    def _results(self, one: _Open) -> dict[str, Any]:
        seen = self.scenario.learnt.results.get(one.wait.element)
        if not seen:
            return {}
        throw = given.dice(self.seed, one.luck, "result")
        return dict(throw.choice(list(seen)))

    def _name_luck(self, instance_id: str, wait: Wait) -> str:
        """The same for the same visit of the same order, whatever the version."""
        place = f"{self._called(instance_id)}/{wait.element}"
        turn = self._turns[place] = self._turns.get(place, 0) + 1
        return f"{place}/{turn}"

    def _called(self, instance_id: str) -> str:
        known = self._origin.get(instance_id)
        if known is None:
            instance: Instance = self.store.instances.get(instance_id)
            known = instance.business_key or instance.key
            if instance.parent is not None:
                known = f"{self._called(instance.parent.instance_id)}/{instance.key}"
            self._origin[instance_id] = known
        return known

    def _root_of(self, instance_id: str) -> str:
        instance = self.store.instances.get(instance_id)
        while instance.parent is not None:
            instance = self.store.instances.get(instance.parent.instance_id)
        found: str = instance.id
        return found

    def _element_of(self, task_id: str | None) -> str:
        one = self._open.get(task_id or "")
        return NOBODY if one is None else one.wait.element

    def _luck_of(self, task_id: str | None) -> str:
        one = self._open.get(task_id or "")
        return NOBODY if one is None else one.luck

    def _variables_of(self, instance_id: str) -> Mapping[str, Any]:
        instance = self.store.instances.get(instance_id)
        return {} if instance.snapshot is None else instance.snapshot.variables


def _start(engine: Engine, definition: Definition, variables: Mapping[str, Any]) -> Any:
    """At the plain start, else at whichever there is: a timer or message starts it in
    the plant, and what came to a test-drive."""
    from mpms.domain.instances.steps import Start

    starts = [s for s in engine.starts(definition.xml) if s.process == definition.key]
    plain = not starts or any(start.kind == "none" for start in starts)
    at = None if plain else starts[0].element
    return Start(dict(variables), at, by="test-drive")
