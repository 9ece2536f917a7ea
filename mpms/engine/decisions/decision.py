"""Decisions and what they require, evaluated requirements first.

A decision sees the variables of the process, the results of the decisions it requires
by their names, and the functions it requires. A result of another decision is also
found under the decision's id, as in Camunda 8, and its outputs under their own names,
as in Camunda 7.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from mpms.domain.errors import ExpressionFailed

from ..expressions.faults import Fault
from ..feel.results import outward
from ..feel.values import Env, Function, lift
from .boxed import Defined, Logic
from .hit_policies import Outputs
from .item_types import ANY, ItemType
from .running import DecisionResult, Others, Run
from .tables import Table

MAX_REQUIRED_DEEP = 30


@dataclass(frozen=True, slots=True)
class InputData:
    name: str
    type: ItemType = ANY


@dataclass(frozen=True, slots=True)
class Knowledge:
    """A business knowledge model: a named function."""

    key: str
    name: str
    function: Defined
    requires: tuple[str, ...] = ()

    @property
    def required_keys(self) -> tuple[str, ...]:
        return self.requires


@dataclass(frozen=True, slots=True)
class Required:
    """A decision that another needs: by id, here or in another file."""

    key: str
    prefix: str | None = None  # the name under which its file is imported


@dataclass(frozen=True, slots=True)
class ImportedFile:
    """Another file, and the name under which it is seen."""

    name: str
    file: "File"


@dataclass(slots=True)
class File:
    """All that stands in one file together."""

    decisions: dict[str, "Decision"] = field(default_factory=dict)
    knowledge: dict[str, Knowledge] = field(default_factory=dict)
    inputs: dict[str, InputData] = field(default_factory=dict)
    services: dict[str, "Service"] = field(default_factory=dict)
    imports: dict[str, ImportedFile] = field(default_factory=dict)  # by namespace
    standard: bool = False  # FEEL takes errors for null

    def named(self, name: str) -> "Decision | Service | None":
        """By id, else by name; decisions before services."""
        found = self.decisions.get(name) or self.services.get(name)
        if found is not None:
            return found
        every: list[Decision | Service] = [
            *self.decisions.values(),
            *self.services.values(),
        ]
        for part in every:
            if name in (part.name, part.variable):
                return part
        return None

    def parts(self) -> "list[Decision | Knowledge | Service]":
        return [
            *self.knowledge.values(),
            *self.decisions.values(),
            *self.services.values(),
        ]

    def forget(self, key: str) -> None:
        for parts in (self.knowledge, self.decisions, self.services):
            parts.pop(key, None)


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision, ready to decide."""

    key: str
    name: str
    variable: str
    logic: Logic
    type: ItemType = ANY
    requires: tuple[Required, ...] = ()
    inputs: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    file: File = field(default_factory=File, repr=False, compare=False)

    @property
    def hit_policy(self) -> str | None:
        return self.logic.hit_policy if isinstance(self.logic, Table) else None

    @property
    def names(self) -> frozenset[str]:
        """The variables its own logic reads."""
        return self.logic.names

    def decide(
        self,
        variables: Mapping[str, object],
        *,
        now: datetime | None = None,
        others: Others | None = None,
        standard: bool | None = None,
    ) -> DecisionResult:
        """Decide, with ``others`` to find decisions of other files by their ids.

        ``standard``: FEEL takes errors for null; None: as the file was read.
        """
        lenient = self.file.standard if standard is None else standard
        run = Run(variables, now, others, standard=lenient)
        try:
            outputs = self._settled(run)
            fired = tuple(run.fired)
            rules = next((r for key, r in reversed(fired) if key == self.key), ())
            value: Any = self._bare(outputs)
            return DecisionResult(
                outward(outputs, run),  # type: ignore[arg-type]
                rules,
                outward(value, run),
                fired,
                {key: outward(list(asked), run) for key, asked in run.inputs.items()},  # type: ignore[misc]
            )
        except Fault as fault:
            raise ExpressionFailed(f"decision '{self.key}': {fault.cause}") from None
        except ExpressionFailed as cause:
            raise ExpressionFailed(f"decision '{self.key}': {cause}") from None
        except RecursionError:
            raise ExpressionFailed(
                f"decision '{self.key}': is nested too deeply"
            ) from None

    def _settled(self, run: Run) -> Outputs | list[Outputs] | None:
        """What it gives, by the names of its outputs; each decision is made once."""
        if id(self) in run.decided:
            return run.decided[id(self)]
        if self.key in run.pending:
            around = " -> ".join([*run.pending, self.key])
            raise Fault(f"decisions require each other in a circle: {around}")
        if len(run.pending) >= MAX_REQUIRED_DEEP:
            raise Fault(f"decisions require each other {MAX_REQUIRED_DEEP} levels deep")
        run.pending.append(self.key)
        try:
            outputs = self._own(run)
        except (Fault, ExpressionFailed) as failure:
            if not run.forgives(failure):
                raise
            outputs = None if isinstance(self.logic, Table) else {self.variable: None}
        finally:
            run.pending.pop()
        run.decided[id(self)] = outputs
        return outputs

    def _own(self, run: Run) -> Outputs | list[Outputs] | None:
        env = self._scope(run)
        if isinstance(self.logic, Table):
            outputs = self.logic.settled(env)
            if run.standard and len(self.logic.outputs) == 1:
                bare = self._bare(outputs)
                value = self.type.taken(bare, env, f"'{self.variable}'")
                if value is not bare:
                    return {self.logic.outputs[0].name: value}
            return outputs
        value = self.type.taken(self.logic.value(env), env, f"'{self.variable}'")
        return {self.variable: value}

    def made(self, run: Run) -> Any:
        """Its value as FEEL has it. ExpressionFailed."""
        try:
            return self._bare(self._settled(run))
        except Fault as fault:
            raise ExpressionFailed(f"decision '{self.key}': {fault.cause}") from None
        except RecursionError:
            raise ExpressionFailed(
                f"decision '{self.key}': is nested too deeply"
            ) from None

    @property
    def required_keys(self) -> tuple[str, ...]:
        """What it needs of its own file."""
        return (*(r.key for r in self.requires), *self.knowledge)

    def _bare(self, outputs: Outputs | list[Outputs] | None) -> Any:
        if isinstance(self.logic, Table) and len(self.logic.outputs) > 1:
            return outputs
        if isinstance(outputs, list):
            return [next(iter(row.values())) for row in outputs]
        return None if outputs is None else next(iter(outputs.values()))

    def _scope(self, run: Run) -> Env:
        """The names this decision sees, nearest first."""
        outer: dict[str, Any] = {}
        nearer: dict[str, Any] = {}
        for required in self.requires:
            decision = self._found(run, required)
            outputs = decision._settled_for(self, run.seen_as(required.prefix))
            value = decision._bare(outputs)
            if isinstance(decision.logic, Table):
                outer.update(_columns(decision.logic, outputs))
            for name in filter(None, (decision.key, decision.name, decision.variable)):
                nearer[name] = value
            if required.prefix:
                nearer.setdefault(required.prefix, {})[decision.variable] = value
        for imported in self.file.imports.values():
            self._bind_import(run, imported, nearer)
        env = Env(run, outer, Env(run, run.variables))
        for name in self.inputs:
            self._take_input(run, env, nearer, self.file.inputs[name])
        scope = Env(run, nearer, env)
        for key in self.knowledge:
            self._bind_knowledge(scope, nearer, key, set())
        return scope

    def _settled_for(self, asking: "Decision", run: Run) -> Any:
        try:
            return self._settled(run)
        except Fault as fault:
            raise Fault(f"required decision '{self.key}': {fault.cause}") from None
        except ExpressionFailed as cause:
            raise Fault(f"required decision '{self.key}': {cause}") from None

    def _found(self, run: Run, required: Required) -> "Decision":
        found = self.file.decisions.get(required.key)
        for imported in self.file.imports.values():
            found = found or imported.file.decisions.get(required.key)
        if found is None and run.others is not None:
            found = run.others(required.key)
        if found is None:
            raise Fault(f"requires the decision '{required.key}', which is not there")
        return found

    def _take_input(
        self, run: Run, env: Env, nearer: dict[str, Any], data: InputData
    ) -> None:
        if data.name in run.variables:
            value = lift(run.variables[data.name])
            nearer[data.name] = data.type.taken(value, env, f"input '{data.name}'")
        elif data.name in self.logic.names and not run.standard:
            raise Fault(f"needs the input '{data.name}', which no variable holds")

    def _bind_import(
        self, run: Run, imported: ImportedFile, nearer: dict[str, Any]
    ) -> None:
        """The functions of an imported file and what is given for it, under the name
        of the import."""
        inner: dict[str, Any] = {}
        env = Env(run, inner, Env(run, run.variables))
        given = run.variables.get(imported.name)
        if isinstance(given, Mapping):
            inner.update(given)
            for data in imported.file.inputs.values():
                if data.name in given:
                    value, label = lift(given[data.name]), f"input '{data.name}'"
                    inner[data.name] = data.type.taken(value, env, label)
        for knowledge in imported.file.knowledge.values():
            inner[knowledge.name] = knowledge.function.value(env)
        for service in imported.file.services.values():
            inner[service.name] = service.function(env)
        if imported.name:
            nearer[imported.name] = {**inner, **nearer.get(imported.name, {})}
        else:
            nearer.update(inner)

    def _bind_knowledge(
        self, env: Env, nearer: dict[str, Any], key: str, above: set[str]
    ) -> None:
        service = self.file.services.get(key)
        if service is not None:
            nearer.setdefault(service.name, service.function(env))
            return
        knowledge = self.file.knowledge[key]
        if knowledge.name in nearer:
            return
        nearer[knowledge.name] = knowledge.function.value(env)
        for inner in knowledge.requires:
            if inner not in above:
                self._bind_knowledge(env, nearer, inner, above | {key})


def _columns(table: Table, outputs: Any) -> dict[str, Any]:
    """The outputs of a required table by their own names; lists if it gives rows."""
    names = [output.name for output in table.outputs]
    if isinstance(outputs, list):
        return {name: [row[name] for row in outputs] for name in names}
    return dict(outputs) if outputs is not None else dict.fromkeys(names)


@dataclass(frozen=True, slots=True)
class Service:
    """A decision service: some decisions of a file under one name, like a function.

    Its inputs are the data and decisions it is given; everything else is decided.
    """

    key: str
    name: str
    outputs: tuple[str, ...]
    input_decisions: tuple[str, ...]
    input_data: tuple[str, ...]
    type: ItemType = ANY
    file: File = field(default_factory=File, repr=False, compare=False)

    @property
    def variable(self) -> str:
        return self.name

    @property
    def required_keys(self) -> tuple[str, ...]:
        return self.outputs

    def made(self, run: Run) -> Any:
        """Its value for the variables of a run. ExpressionFailed."""
        for key in self.input_decisions:
            decision = self.file.decisions[key]
            names = (decision.variable, decision.name, decision.key)
            given = next((run.variables[n] for n in names if n in run.variables), None)
            value = decision.type.taken(lift(given), Env(run, run.variables), "input")
            if isinstance(decision.logic, Table):
                only = len(decision.logic.outputs) == 1
                value = {decision.logic.outputs[0].name: value} if only else value
            else:
                value = {decision.variable: value}
            run.decided[id(decision)] = value
        found = {
            decision.variable: decision.made(run)
            for decision in (self.file.decisions[key] for key in self.outputs)
        }
        value = next(iter(found.values())) if len(found) == 1 else found
        try:
            return self.type.taken(value, Env(run, run.variables), f"'{self.name}'")
        except Fault as fault:
            if run.forgives(fault):
                return None
            raise ExpressionFailed(f"service '{self.name}': {fault.cause}") from None

    def function(self, env: Env) -> Function:
        """The service as a function: data first, then decisions."""
        parameters = [
            (self.file.inputs[key].name, self.file.inputs[key].type)
            for key in self.input_data
        ]
        parameters += [
            (self.file.decisions[key].variable, self.file.decisions[key].type)
            for key in self.input_decisions
        ]

        def run(inner: Env) -> Any:
            outer = inner.frame
            given = {name: inner.values[name] for name, _ in parameters}
            own = Run(given, outer.now, standard=outer.standard)
            own.steps_left = outer.steps_left
            try:
                return self.made(own)
            finally:
                outer.steps_left = own.steps_left

        return Function(tuple((name, None) for name, _ in parameters), run, env)
