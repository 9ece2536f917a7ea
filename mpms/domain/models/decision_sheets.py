"""Decision tables as people read and change them: cells of text, nothing compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeVar

Cell = TypeVar("Cell")

HIT_POLICIES = (
    *("UNIQUE", "FIRST", "ANY", "PRIORITY"),
    *("COLLECT", "RULE ORDER", "OUTPUT ORDER"),
)
AGGREGATIONS = ("SUM", "MIN", "MAX", "COUNT")


@dataclass(frozen=True)
class SheetColumn:
    """An input (its expression is looked up) or an output (its name is set)."""

    id: str
    label: str
    text: str
    type: str = ""
    values: str = ""  # the only ones allowed


@dataclass(frozen=True)
class SheetRule:
    """One row; without id it is new."""

    id: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class SheetExample:
    """Values to try the table with, as typed, and what should come of them."""

    given: Mapping[str, str]
    expected: str = ""  # as typed; empty: whatever comes is fine


@dataclass(frozen=True)
class DecisionSheet:
    """A decision; only those with ``is_table`` have columns and rules."""

    key: str
    name: str
    description: str = ""
    is_table: bool = False
    expression: str = ""  # of a decision that is no table
    hit_policy: str = "UNIQUE"
    aggregation: str = ""
    inputs: tuple[SheetColumn, ...] = ()
    outputs: tuple[SheetColumn, ...] = ()
    rules: tuple[SheetRule, ...] = ()
    requires: tuple[str, ...] = ()  # decisions, inputs and functions, by name
    needs: tuple[str, ...] = ()  # variables to be given when it is tried
    examples: tuple[SheetExample, ...] = ()  # kept in the file, beside the table

    def empty_rule(self) -> SheetRule:
        return SheetRule("", ("",) * len(self.inputs), ("",) * len(self.outputs))

    def with_input(self) -> DecisionSheet:
        """A new one after the others; any value fits it."""
        column = SheetColumn("", "", "")
        rules = tuple(replace(r, inputs=(*r.inputs, "")) for r in self.rules)
        return replace(self, inputs=(*self.inputs, column), rules=rules)

    def with_output(self) -> DecisionSheet:
        names = {column.text for column in self.outputs}
        free = next(n for i in count(1) if (n := f"result_{i}") not in names)
        column = SheetColumn("", free, free)
        rules = tuple(replace(r, outputs=(*r.outputs, "")) for r in self.rules)
        return replace(self, outputs=(*self.outputs, column), rules=rules)

    def without_input(self, place: int) -> DecisionSheet:
        rules = tuple(replace(r, inputs=_without(r.inputs, place)) for r in self.rules)
        return replace(self, inputs=_without(self.inputs, place), rules=rules)

    def without_output(self, place: int) -> DecisionSheet:
        """A table has one at least."""
        if len(self.outputs) < 2:
            return self
        rules = tuple(
            replace(r, outputs=_without(r.outputs, place)) for r in self.rules
        )
        return replace(self, outputs=_without(self.outputs, place), rules=rules)

    def with_rule(self, place: int) -> DecisionSheet:
        """An empty one before the rule at ``place``."""
        rules = (*self.rules[:place], self.empty_rule(), *self.rules[place:])
        return replace(self, rules=rules)

    def without_rule(self, place: int) -> DecisionSheet:
        return replace(self, rules=(*self.rules[:place], *self.rules[place + 1 :]))

    def moved(self, place: int, by: int) -> DecisionSheet:
        """Where the order counts, the place of a rule is its meaning."""
        rules, to = list(self.rules), place + by
        if 0 <= place < len(rules) and 0 <= to < len(rules):
            rules.insert(to, rules.pop(place))
        return replace(self, rules=tuple(rules))


def _without(cells: tuple[Cell, ...], place: int) -> tuple[Cell, ...]:
    return (*cells[:place], *cells[place + 1 :])


@dataclass(frozen=True)
class Decided:
    """What a decision gave, and the rules that held, by decision."""

    outputs: object
    fired: Mapping[str, tuple[str, ...]]
