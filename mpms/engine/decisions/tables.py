"""Decision tables as they are evaluated, apart from how they are written down."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from mpms.domain.errors import ExpressionFailed

from ..expressions import Expression
from ..expressions.faults import shown
from .hit_policies import AGGREGATIONS, POLICIES, Hit, Outputs
from .unary_tests import UnaryTest


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: object) -> bool:
    if isinstance(value, float):
        return value.is_integer()
    return _is_number(value)


TYPES: dict[str, tuple[str, Callable[[object], bool]]] = {
    "string": ("a text", lambda value: isinstance(value, str)),
    "boolean": ("true or false", lambda value: isinstance(value, bool)),
    "number": ("a number", _is_number),
    "double": ("a number", _is_number),
    "integer": ("a whole number", _is_integer),
    "long": ("a whole number", _is_integer),
    "Any": ("anything", lambda value: True),
}


@dataclass(frozen=True, slots=True)
class Column:
    """What an input or output may hold: its type and, if listed, its values."""

    element: str
    label: str
    type_ref: str = "Any"
    allowed: UnaryTest | None = None

    def checked(self, value: object, variables: Mapping[str, object]) -> object:
        wanted, fits = TYPES[self.type_ref]
        if value is not None and not fits(value):
            raise ExpressionFailed(
                f"{self.label} should be {wanted}, but is {shown(value)}"
            )
        if self.allowed is not None and not self.allowed.holds(value, variables):
            raise ExpressionFailed(
                f"{self.label} is {shown(value)}, which is not among "
                f"{self.allowed.text.strip()}"
            )
        return value


@dataclass(frozen=True, slots=True)
class Input:
    column: Column
    expression: Expression


@dataclass(frozen=True, slots=True)
class Output:
    column: Column
    name: str


@dataclass(frozen=True, slots=True)
class Rule:
    id: str
    tests: tuple[UnaryTest, ...]
    results: tuple[Expression | None, ...]


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """What was decided: one set of outputs, a list of them, or nothing."""

    outputs: Outputs | list[Outputs] | None
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Decision:
    """One decision table, ready to decide."""

    key: str
    name: str
    hit_policy: str
    aggregation: str | None
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    rules: tuple[Rule, ...]

    @property
    def names(self) -> frozenset[str]:
        """The variables it reads."""
        found: set[str] = set()
        for entry in self.inputs:
            found |= entry.expression.names
        for rule in self.rules:
            for part in (*rule.tests, *rule.results):
                found |= part.names if part is not None else set()
        return frozenset(found)

    def decide(
        self, variables: Mapping[str, object], *, now: datetime | None = None
    ) -> DecisionResult:
        try:
            hits = self._hits(variables, now)
            if not hits:
                return DecisionResult(None, ())
            policy = POLICIES[self.hit_policy]
            settle = AGGREGATIONS[self.aggregation] if self.aggregation else policy
            return DecisionResult(settle(hits), tuple(rule for rule, _ in hits))
        except ExpressionFailed as cause:
            raise ExpressionFailed(f"decision '{self.key}': {cause}") from None

    def _hits(self, variables: Mapping[str, object], now: datetime | None) -> list[Hit]:
        values = [
            entry.column.checked(
                entry.expression.evaluate(variables, now=now), variables
            )
            for entry in self.inputs
        ]
        hits: list[Hit] = []
        for rule in self.rules:
            if all(
                test.holds(value, variables, now=now)
                for test, value in zip(rule.tests, values, strict=True)
            ):
                hits.append((rule.id, self._results(rule, variables, now)))
                if self.hit_policy == "FIRST":
                    break
        return hits

    def _results(
        self, rule: Rule, variables: Mapping[str, object], now: datetime | None
    ) -> Outputs:
        outputs: Outputs = {}
        for output, result in zip(self.outputs, rule.results, strict=True):
            value = None if result is None else result.evaluate(variables, now=now)
            outputs[output.name] = output.column.checked(value, variables)
        return outputs
