"""The engine behind its port: one command in, one step out, nothing kept but specs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from datetime import datetime

from SpiffWorkflow.specs.WorkflowSpec import WorkflowSpec

from mpms.domain.errors import MigrationRefused, ModelRefused, TaskGone
from mpms.domain.execution import Execution
from mpms.domain.history.conformance import Misfit
from mpms.domain.instances.instances import Snapshot
from mpms.domain.instances.limits import Limits
from mpms.domain.instances.steps import (
    Command,
    LiveToken,
    Repair,
    Start,
    StartAt,
    Step,
    Variables,
    Wait,
)
from mpms.domain.models.definitions import LATEST, Causes, Definition, ModelStep
from mpms.domain.models.difference import ModelPart
from mpms.domain.models.topics import KnownTopic
from mpms.engine import codec, scope
from mpms.engine.awaited_signals import signals_to
from mpms.engine.building import build
from mpms.engine.causes import catchable
from mpms.engine.commands import apply
from mpms.engine.expressions.bounds import ends_within
from mpms.engine.limits import check_given
from mpms.engine.migration import Migration, Version
from mpms.engine.model import Process
from mpms.engine.model_files import CACHED_MODELS, LONGEST_STEP_S, ModelFiles
from mpms.engine.outcomes import settled, unchanged, waits_of
from mpms.engine.parts import parts
from mpms.engine.reading import read_model
from mpms.engine.repair import RepairShop, live_tokens
from mpms.engine.tokens import STEP_LIMIT, PureHandler, Surroundings, Tokens
from mpms.ports.engine import Decisions


class SpiffEngine(ModelFiles):
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
        super().__init__(
            pure, limits, promised_topics=promised_topics, execution=execution
        )
        self._step_limit = step_limit
        self._specs: OrderedDict[tuple[str, str], tuple[Process, WorkflowSpec]]
        self._specs = OrderedDict()

    # -- models ---------------------------------------------------------------------

    def parts(self, definition: Definition) -> Sequence[ModelPart]:
        return parts(definition.xml, definition.key)

    def hears(self, definition: Definition, element: str) -> frozenset[str]:
        process, _ = self._compiled(definition)
        found = process.elements.get(element)
        scripts = () if found is None else found.settings.scripts
        return frozenset(script.event for script in scripts)

    def starters(self, definition: Definition) -> Sequence[str]:
        process, _ = self._compiled(definition)
        return process.starters

    def misfits(
        self, definition: Definition, paths: Sequence[tuple[Sequence[str], bool]]
    ) -> Sequence[Misfit | None]:
        from mpms.engine.conformance import Replay  # a worker never looks back

        process, _ = self._compiled(definition)
        replay = Replay(process)
        return [replay.misfit(path, completed=completed) for path, completed in paths]

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
            before = waits_of(run)
            if isinstance(command, Repair):
                RepairShop(run, process, definition).apply(command)
            elif not apply(run, command):
                return unchanged(snapshot, before)
        return settled(run, before)

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
            lambda key, binding=LATEST: self._decision(decisions, key, binding),
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
        before = waits_of(run)
        return settled(migration.carry(run, around), before)

    def _version(self, definition: Definition) -> Version:
        process, spec = self._compiled(definition)
        return definition, process, spec

    # -- looking --------------------------------------------------------------------

    def tokens(self, definition: Definition, snapshot: Snapshot) -> Sequence[LiveToken]:
        """Every live token, scopes before what is inside them."""
        return live_tokens(self._look(definition, snapshot))

    def waits(self, definition: Definition, snapshot: Snapshot) -> Sequence[Wait]:
        return waits_of(self._look(definition, snapshot))

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
