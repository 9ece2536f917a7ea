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
from ..feel.values import Env, lift
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


@dataclass(frozen=True, slots=True)
class Required:
    """A decision that another needs: by id, here or in another file."""

    key: str
    prefix: str | None = None  # the name under which its file is imported


@dataclass(slots=True)
class File:
    """All that stands in one file together."""

    decisions: dict[str, "Decision"] = field(default_factory=dict)
    knowledge: dict[str, Knowledge] = field(default_factory=dict)
    inputs: dict[str, InputData] = field(default_factory=dict)


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
    ) -> DecisionResult:
        """Decide, with ``others`` to find decisions of other files by their ids."""
        run = Run(variables, now, others)
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
        env = self._scope(run)
        if isinstance(self.logic, Table):
            outputs = self.logic.settled(env)
        else:
            value = self.type.taken(self.logic.value(env), env, f"'{self.variable}'")
            outputs = {self.variable: value}
        run.pending.pop()
        run.decided[id(self)] = outputs
        return outputs

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
            outputs = decision._settled_for(self, run)
            value = decision._bare(outputs)
            if isinstance(decision.logic, Table):
                outer.update(_columns(decision.logic, outputs))
            for name in filter(None, (decision.key, decision.name, decision.variable)):
                nearer[name] = value
            if required.prefix:
                nearer.setdefault(required.prefix, {})[decision.variable] = value
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
        elif data.name in self.logic.names:
            raise Fault(f"needs the input '{data.name}', which no variable holds")

    def _bind_knowledge(
        self, env: Env, nearer: dict[str, Any], key: str, above: set[str]
    ) -> None:
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
