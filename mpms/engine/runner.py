"""The engine behind its port: one command in, one step out, nothing kept but specs."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from copy import deepcopy
from datetime import datetime
from typing import Any

from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec
from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import MigrationRefused, ModelRefused, TaskGone
from mpms.domain.execution import Execution
from mpms.domain.history.conformance import Misfit
from mpms.domain.instances.instances import InstanceStatus, Snapshot
from mpms.domain.instances.limits import Limits
from mpms.domain.instances.steps import (
    Cancel,
    Command,
    Complete,
    Escalate,
    Fail,
    Fire,
    LiveToken,
    Receive,
    Repair,
    Retry,
    Start,
    StartAt,
    Step,
    StuckWait,
    Variables,
    Wait,
)
from mpms.domain.models.decision_sheets import Decided, DecisionSheet
from mpms.domain.models.definitions import Causes, Definition, ModelStep, Problem
from mpms.domain.models.difference import ModelPart
from mpms.domain.models.topics import KnownTopic
from mpms.domain.processes.starts import Due, StartEvent
from mpms.engine import codec, lint, scope
from mpms.engine import decisions as dmn
from mpms.engine.awaited_signals import signals_to
from mpms.engine.building import build
from mpms.engine.causes import catchable
from mpms.engine.expressions.bounds import ends_within
from mpms.engine.limits import check_given
from mpms.engine.migration import Migration, Version
from mpms.engine.model import Process
from mpms.engine.nodes.activities import ServiceTask, UserTask
from mpms.engine.nodes.ad_hoc import AdHocChoice
from mpms.engine.nodes.base import GoOn
from mpms.engine.nodes.calls import CallActivity
from mpms.engine.nodes.events import Catcher
from mpms.engine.nodes.listeners import ListenerJob
from mpms.engine.parts import parts
from mpms.engine.reading import read, read_model
from mpms.engine.repair import RepairShop, live_tokens
from mpms.engine.schedules import first_due, next_due
from mpms.engine.starts import starts
from mpms.engine.tokens import STEP_LIMIT, PureHandler, Surroundings, Token, Tokens
from mpms.ports.engine import Decisions

CACHED_MODELS = 200
LONGEST_STEP_S = 10.0  # of all expressions of one step or one decision together


class SpiffEngine:
    """Executes steps. Safe to share between threads: only specs are cached."""

    def __init__(
        self,
        pure: Mapping[str, PureHandler] | None = None,
        limits: Limits | None = None,
        *,
        promised_topics: Mapping[str, KnownTopic] | None = None,
        step_limit: int = STEP_LIMIT,
        execution: Execution | None = None,
    ) -> None:
        self.promised_topics = dict(promised_topics or {})
        self._pure = dict(pure or {})
        self._step_limit = step_limit
        self._execution = execution or Execution()
        self._limits = limits or Limits()
        self._specs: OrderedDict[tuple[str, str], tuple[Process, WorkflowSpec]]
        self._specs = OrderedDict()
        self._tables: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._lock = threading.Lock()

    def feel(self, text: str, names: Mapping[str, object], /) -> object:
        from mpms.engine.feel.lenient import value_or_null  # a worker needs no FEEL

        return value_or_null(text, names)

    # -- models -----------------------------------------------------------------

    def check(self, xml: bytes) -> list[Problem]:
        return lint.check(xml).problems

    def check_decisions(self, xml: bytes) -> list[Problem]:
        return dmn.check_decisions(xml, standard=self._standard)

    def refused_decisions(self, xml: bytes) -> list[Problem]:
        return dmn.refused_decisions(xml, standard=self._standard)

    def with_imports(self, files: Mapping[str, bytes]) -> dict[str, bytes]:
        return dmn.with_imports(files)

    @property
    def _standard(self) -> bool | None:
        """What the plant says about FEEL; None: as the file wants it."""
        feel = self._execution.feel
        return None if feel is None else feel == "standard"

    def check_names(
        self,
        xml: bytes,
        *,
        topics: frozenset[str] | None = None,
        forms: frozenset[str] | None = None,
        decisions: frozenset[str] | None = None,
        processes: frozenset[str] | None = None,
    ) -> list[Problem]:
        """What a model names that is not there; None: not known, so not compared."""
        return lint.check_names(
            xml,
            topics=None if topics is None else topics | self._pure.keys(),
            forms=forms,
            decisions=decisions,
            processes=processes,
        )

    def processes(self, xml: bytes) -> list[tuple[str, str]]:
        return [(p.id, p.name) for p in read_model(xml).processes if p.executable]

    def inner_forms(self, xml: bytes) -> list[dict[str, Any]]:
        try:
            return [deepcopy(form.schema) for form in read(xml).forms]
        except ModelRefused:
            return []  # whoever checks the file says why

    def starts(self, xml: bytes) -> list[StartEvent]:
        return starts(xml)

    def first_due(self, start: StartEvent, *, now: datetime) -> Due | None:
        return first_due(start.timer, start.text, now)

    def next_due(self, timer: str, due: Due, *, now: datetime) -> Due | None:
        return next_due(timer, due, now)

    def check_variables(self, variables: Variables) -> None:
        check_given(variables, self._limits)

    def decisions(self, xml: bytes) -> list[tuple[str, str]]:
        return [
            (d.key, d.name)
            for d in dmn.read_decisions(xml, standard=self._standard).values()
        ]

    def sheets(self, xml: bytes) -> Sequence[DecisionSheet]:
        return dmn.read_sheets(xml)

    def write_sheet(self, xml: bytes, sheet: DecisionSheet) -> bytes:
        return dmn.write_sheet(xml, sheet)

    def decide(
        self,
        xml: bytes,
        key: str,
        variables: Variables,
        *,
        now: datetime,
        decisions: Decisions | None = None,
    ) -> Decided:
        """Make one decision of a file that need not be deployed."""
        check_given(variables, self._limits)
        decision = dmn.read_decisions(xml, standard=self._standard).get(key)
        if decision is None:
            raise ModelRefused(f"The file holds no decision {key!r}.")
        with ends_within(LONGEST_STEP_S):
            made = decision.decide(
                variables,
                now=now,
                others=lambda other: self._decision(decisions, other),
            )
        return Decided(made.outputs, dict(made.fired))

    def parts(self, definition: Definition) -> Sequence[ModelPart]:
        return parts(definition.xml, definition.key)

    def starters(self, definition: Definition) -> Sequence[str]:
        process, _ = self._compiled(definition)
        return process.starters

    def judge(
        self, definition: Definition, paths: Sequence[tuple[Sequence[str], bool]]
    ) -> Sequence[Misfit | None]:
        from mpms.engine.conformance import Replay  # a worker never looks back

        process, _ = self._compiled(definition)
        replay = Replay(process)
        return [replay.judge(path, completed=completed) for path, completed in paths]

    def steps(self, definition: Definition) -> Sequence[ModelStep]:
        process, _ = self._compiled(definition)
        return [
            ModelStep(e.id, e.name, e.tag, e.lane, e.offered_to)
            for e in process.elements.values()
        ]

    def signals_to(self, definition: Definition, topic: str) -> frozenset[str]:
        process, _ = self._compiled(definition)
        return signals_to(process, topic)

    def properties(self, definition: Definition, element: str) -> Mapping[str, str]:
        process, _ = self._compiled(definition)
        found = process.elements.get(element)
        return {} if found is None else dict(found.settings.properties)

    def causes(self, definition: Definition, element: str) -> Causes:
        process, _ = self._compiled(definition)
        return catchable(process, element)

    def _compiled(self, definition: Definition) -> tuple[Process, WorkflowSpec]:
        key = (definition.digest, definition.key)
        with self._lock:
            found = self._specs.get(key)
            if found is None:
                model = read_model(definition.xml)
                process = next(
                    (p for p in model.processes if p.id == definition.key), None
                )
                if process is None:
                    raise ModelRefused(f"The file holds no process {definition.key!r}.")
                found = process, build(process)
                self._specs[key] = found
                if len(self._specs) > CACHED_MODELS:
                    self._specs.popitem(last=False)
            else:
                self._specs.move_to_end(key)
            return found

    def _decision(self, decisions: Decisions | None, key: str) -> Any:
        xml = None if decisions is None else decisions(key)
        if xml is None:
            return None
        digest = hashlib.sha256(xml).hexdigest()
        with self._lock:
            tables = self._tables.get(digest)
            if tables is None:
                tables = self._tables[digest] = dict(
                    dmn.read_decisions(xml, standard=self._standard)
                )
                if len(self._tables) > CACHED_MODELS:
                    self._tables.popitem(last=False)
            return tables.get(key)

    # -- steps --------------------------------------------------------------------

    def advance(
        self,
        definition: Definition,
        snapshot: Snapshot | None,
        command: Command,
        *,
        now: datetime,
        business_key: str | None = None,
        decisions: Decisions | None = None,
    ) -> Step:
        """Apply one command and run on until everything waits.

        What has not been evaluated within LONGEST_STEP_S is stuck with that reason.
        """
        with ends_within(LONGEST_STEP_S):
            return self._advanced(
                definition, snapshot, command, now, business_key, decisions
            )

    def _advanced(
        self,
        definition: Definition,
        snapshot: Snapshot | None,
        command: Command,
        now: datetime,
        business_key: str | None,
        decisions: Decisions | None,
    ) -> Step:
        check_given(getattr(command, "variables", {}), self._limits)
        process, spec = self._compiled(definition)
        before: tuple[Wait, ...] = ()
        around = self._around(process, now, business_key, decisions)
        if isinstance(command, Start | StartAt):
            if snapshot is not None:
                raise TaskGone("The instance has been started already.")
            run = Tokens(spec, around)
            if isinstance(command, StartAt):
                RepairShop(run, process, definition).begin(command)
            else:
                spec.start.begin(run, command.variables, command.at, command.by)
        elif snapshot is None:
            raise TaskGone("The instance has not been started yet.")
        else:
            run = codec.load(snapshot.state, snapshot.variables, spec, around)
            before = _waits(run)
            if isinstance(command, Repair):
                RepairShop(run, process, definition).apply(command)
            elif not _apply(run, command):
                return _unchanged(snapshot, before)
        return _settled(run, before)

    def _around(
        self,
        process: Process,
        now: datetime,
        business_key: str | None,
        decisions: Decisions | None,
    ) -> Surroundings:
        return Surroundings(
            now,
            business_key,
            lambda key: self._decision(decisions, key),
            self._pure,
            step_limit=self._step_limit,
            limits=self._limits,
            standard_feel=self._execution.standard_feel(camunda_8=process.camunda_8),
            missing_is_null=self._execution.missing_is_null,
        )

    # -- versions -------------------------------------------------------------------

    def obstacles(
        self,
        old: Definition,
        new: Definition,
        snapshot: Snapshot,
        renamed: Mapping[str, str],
    ) -> Sequence[str]:
        """Why an instance cannot go to another version; empty: it can."""
        migration = Migration(self._version(old), self._version(new), renamed)
        return migration.obstacles(self._look(old, snapshot))

    def migrate(
        self,
        old: Definition,
        new: Definition,
        snapshot: Snapshot,
        renamed: Mapping[str, str],
        *,
        now: datetime,
        business_key: str | None = None,
        decisions: Decisions | None = None,
    ) -> Step:
        """Carry an instance over to another version. MigrationRefused."""
        migration = Migration(self._version(old), self._version(new), renamed)
        process, _ = self._compiled(new)
        around = self._around(process, now, business_key, decisions)
        _, spec = self._compiled(old)
        run = codec.load(snapshot.state, snapshot.variables, spec, around)
        obstacles = migration.obstacles(run)
        if obstacles:
            raise MigrationRefused(obstacles)
        before = _waits(run)
        return _settled(migration.carry(run, around), before)

    def _version(self, definition: Definition) -> Version:
        process, spec = self._compiled(definition)
        return definition, process, spec

    # -- looking --------------------------------------------------------------------

    def tokens(self, definition: Definition, snapshot: Snapshot) -> Sequence[LiveToken]:
        """Every live token, scopes before what is inside them."""
        return live_tokens(self._look(definition, snapshot))

    def waits(self, definition: Definition, snapshot: Snapshot) -> Sequence[Wait]:
        return _waits(self._look(definition, snapshot))

    def visible(
        self, definition: Definition, snapshot: Snapshot, task_id: str
    ) -> Variables:
        """What a live task sees; the instance's variables if it is gone."""
        run = self._look(definition, snapshot)
        token = next((t for t in run.tasks.values() if t.key == task_id), None)
        return dict(scope.visible(token or run.task_tree))

    def _look(self, definition: Definition, snapshot: Snapshot) -> Tokens:
        _, spec = self._compiled(definition)
        nowhere = Surroundings(datetime.min)
        return codec.load(snapshot.state, snapshot.variables, spec, nowhere)


def _settled(run: Tokens, before: tuple[Wait, ...]) -> Step:
    """Run on until everything waits, and say what came of it."""
    run.settle()
    if not run.status().ended and not _waits(run):
        run.stop_at_joins()
    return _step(run, before)


def _apply(run: Tokens, command: Command) -> bool:
    """Do what the command says; False if it was an error that nobody catches."""
    if isinstance(command, Cancel):
        for token in list(run.task_tree.children):
            if token.id in run.tasks:
                run.cancel_token(token)
        run.cancelled = True
        return True
    if isinstance(command, Start | StartAt | Repair):
        return True
    token = next((t for t in run.tasks.values() if t.key == command.task_id), None)
    if token is None:
        raise TaskGone()
    node, state = token.task_spec, token._state
    if isinstance(command, Retry):
        if state != TaskState.ERROR:
            raise TaskGone("This task is not stuck.")
        _retry(run, token)
        return True
    if state != TaskState.STARTED:
        raise TaskGone("This task is stuck; it must be retried first.")
    work = isinstance(node, UserTask | ServiceTask | CallActivity)
    if "listening" in token.internal_data:
        raise TaskGone("This task waits for a listener.")
    if "held" in token.internal_data:
        raise TaskGone("This task waits for a worker to go on.")
    if isinstance(node, GoOn):
        if isinstance(command, Complete):
            node.accept(token)
        return isinstance(command, Complete)
    if isinstance(node, ListenerJob) and isinstance(command, Complete):
        node.accept(token, command.variables)
    elif isinstance(node, ListenerJob) and isinstance(command, Fail):
        return bool(node.throw_error(token, command.code, command.message))
    elif isinstance(command, Complete) and isinstance(node, AdHocChoice):
        node.accept(token, command.variables)
    elif isinstance(command, Complete) and work:
        scope.write_local(token, command.local)
        node.accept(token, command.variables)
    elif isinstance(command, Fail) and work:
        scope.write(token.parent, command.variables, by=token)
        return bool(node.throw_error(token, command.code, command.message))
    elif isinstance(command, Escalate) and isinstance(node, CallActivity):
        node.escalate(token, command.code, command.variables)
    elif isinstance(command, Fire) and isinstance(node, Catcher):
        node.fire(token)
    elif isinstance(command, Receive) and isinstance(node, Catcher):
        node.receive(token, command.variables)
    else:
        raise TaskGone("This task is not waiting for that.")
    return True


def _retry(run: Tokens, token: Token) -> None:
    stuck = token.internal_data.pop("stuck")
    run.note("retried", token)
    if stuck["stage"] == "entering":
        token._set_state(TaskState.READY)
        run.ready.append(token)
        return
    if stuck["stage"] == "joining":
        token._set_state(TaskState.WAITING)
        return
    token.internal_data["stage"] = stuck["stage"]
    token.complete()


def _waits(run: Tokens) -> tuple[Wait, ...]:
    waits: list[Wait] = []
    for token in run.tasks.values():
        if token._state == TaskState.ERROR:
            reason = token.internal_data["stuck"]["reason"]
            facts: tuple[str, str, str, str | None] = token.task_spec.wait_facts(token)
            waits.append(StuckWait(*facts, reason))
        elif {"listening", "held"} & token.internal_data.keys():
            continue  # what is inside it waits
        elif token._state == TaskState.STARTED and token is not run.task_tree:
            wait = token.task_spec.wait(token)
            if wait is not None:
                waits.append(wait)
    return tuple(waits)


def _step(run: Tokens, before: tuple[Wait, ...]) -> Step:
    status = run.status()
    waits = () if status.ended else _waits(run)
    was, now = {_kind_of(w) for w in before}, {_kind_of(w) for w in waits}
    return Step(
        snapshot=Snapshot(codec.dump(run), run.task_tree.data),
        status=status,
        waits=waits,
        opened=tuple(w for w in waits if _kind_of(w) not in was),
        closed=tuple(w for w in before if _kind_of(w) not in now),
        throws=tuple(run.throws),
        trace=tuple(run.trace),
        error=run.error,
        escalations=tuple(run.escalations),
    )


def _kind_of(wait: Wait) -> tuple[object, ...]:
    """What makes two waits the same one: a timer's due time and a reason belong."""
    due_at, reason = getattr(wait, "due_at", None), getattr(wait, "reason", None)
    return wait.task_id, type(wait), due_at, reason


def _unchanged(snapshot: Snapshot, waits: tuple[Wait, ...]) -> Step:
    active = InstanceStatus.ACTIVE
    return Step(snapshot, active, waits, (), (), (), (), caught=False)
