"""Decision tables as they are evaluated, apart from how they are written down."""

from dataclasses import dataclass
from typing import Any

from ..expressions.faults import Fault
from ..feel.values import Env, lift, shown
from .hit_policies import AGGREGATIONS, LISTED, POLICIES, Hit, Outputs
from .item_types import ItemType
from .running import Run
from .terms import Cell, Term

CELL_INPUT = "cellInput"  # what Camunda 7 calls the value under test


@dataclass(frozen=True, slots=True)
class Column:
    """What an input or output may hold: its type and, if listed, its values."""

    label: str
    type: ItemType
    allowed: Cell | None = None

    def checked(self, value: Any, env: Env) -> Any:
        taken = self.type.taken(value, env, self.label)
        if self.allowed is None or self.allowed.holds(env, taken, CELL_INPUT):
            return taken
        raise Fault(
            f"{self.label} is {shown(taken)}, which is not among "
            f"{self.allowed.text.strip()}"
        )


@dataclass(frozen=True, slots=True)
class Input:
    column: Column
    term: Term
    cell_name: str = CELL_INPUT


@dataclass(frozen=True, slots=True)
class Output:
    column: Column
    name: str
    default: Term | None = None
    priorities: tuple[Any, ...] | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    row: int
    cells: tuple[Cell, ...]
    results: tuple[Term | None, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """The logic of a decision, as a table."""

    owner: str
    hit_policy: str
    aggregation: str | None
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    rules: tuple[Rule, ...]

    @property
    def names(self) -> frozenset[str]:
        """The variables it reads."""
        parts: list[Term | Cell | None] = [entry.term for entry in self.inputs]
        parts += [output.default for output in self.outputs]
        for rule in self.rules:
            parts += [*rule.cells, *rule.results]
        return frozenset[str]().union(*(part.names for part in parts if part))

    def value(self, env: Env) -> Any:
        """As DMN has it: one output stands bare, several make a context."""
        rows = self.settled(env)
        if rows is None or len(self.outputs) > 1:
            return rows
        name = self.outputs[0].name
        if isinstance(rows, list):
            return [row[name] for row in rows]
        return rows[name]

    def settled(self, env: Env) -> Outputs | list[Outputs] | None:
        hits = self._hits(env)
        if isinstance(env.frame, Run):
            env.frame.fired.append((self.owner, tuple(hit.rule for hit in hits)))
        if not hits:
            return self._otherwise(env)
        policy = POLICIES[self.hit_policy]
        settle = AGGREGATIONS[self.aggregation] if self.aggregation else policy
        return settle(env, hits, [output.priorities for output in self.outputs])

    def _otherwise(self, env: Env) -> Outputs | list[Outputs] | None:
        """No rule holds: the defaults, if there are any."""
        if any(output.default for output in self.outputs):
            made = self._made(env, tuple(output.default for output in self.outputs))
            is_list = self.hit_policy in LISTED and not self.aggregation
            return [made] if is_list else made
        if self.aggregation == "COUNT":
            return {self.outputs[0].name: lift(0)}
        return None

    def _hits(self, env: Env) -> list[Hit]:
        values = [
            entry.column.checked(entry.term.value(env), env) for entry in self.inputs
        ]
        if isinstance(env.frame, Run):
            env.frame.inputs[self.owner] = tuple(values)
        hits: list[Hit] = []
        for rule in self.rules:
            if all(
                cell.holds(env, value, entry.cell_name)
                for cell, value, entry in zip(
                    rule.cells, values, self.inputs, strict=True
                )
            ):
                hits.append(Hit(rule.id, rule.row, self._made(env, rule.results)))
                if self.hit_policy == "FIRST":
                    break
        return hits

    def _made(self, env: Env, results: tuple[Term | None, ...]) -> Outputs:
        outputs: Outputs = {}
        for output, term in zip(self.outputs, results, strict=True):
            if term is None:  # an empty cell says nothing, which no list forbids
                outputs[output.name] = None
            else:
                outputs[output.name] = output.column.checked(term.value(env), env)
        return outputs
