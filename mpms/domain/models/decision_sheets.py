"""Decision tables as people read and change them: cells of text, nothing compiled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

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

    def empty_rule(self) -> SheetRule:
        return SheetRule("", ("",) * len(self.inputs), ("",) * len(self.outputs))

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


@dataclass(frozen=True)
class Decided:
    """What a decision gave, and the rules that held, by decision."""

    outputs: object
    fired: Mapping[str, tuple[str, ...]]
