"""Expressions and cells of a DMN file in either of two languages.

FEEL unless the file says otherwise; ``juel`` and ``${...}`` mean the language that
models without FEEL use. Both see the same names; what FEEL alone knows (dates,
decimals) goes to the other as JSON.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mpms.domain.errors import ExpressionInvalid

from ..expressions import Expression, compile_condition, compile_expression
from ..expressions.faults import Fault
from ..feel import FeelExpression, FeelTests, compile_feel, compile_unary_tests
from ..feel.results import outward
from ..feel.values import Env, Function, Range, lift
from .unary_tests import UnaryTest, compile_unary_test

FEEL, OWN = "FEEL", "own"


def language_named(name: str | None) -> str | None:
    """The language of an ``expressionLanguage``; None if it is refused."""
    if not name or "feel" in name.lower():
        return FEEL
    return OWN if name.lower() in ("juel", "mpms") else None


class _Seen(Mapping[str, object]):
    """The names in sight as the other language sees them: JSON."""

    def __init__(self, env: Env) -> None:
        self.env = env

    def __getitem__(self, name: str) -> object:
        at: Env | None = self.env
        while at is not None:
            if name in at.values:
                value = at.values[name]
                if isinstance(value, Function | Range):
                    raise Fault(f"cannot read '{name}', which only FEEL can")
                return outward(value, self.env.frame)
            at = at.up
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        at: Env | None = self.env
        while at is not None:
            if name in at.values:
                return True
            at = at.up
        return False

    def __iter__(self) -> Any:
        raise Fault("cannot list the names in sight")

    def __len__(self) -> int:
        raise Fault("cannot count the names in sight")


@dataclass(frozen=True, slots=True)
class Term:
    """An expression."""

    text: str
    names: frozenset[str]
    _feel: FeelExpression | None = field(repr=False, default=None)
    _own: Expression | None = field(repr=False, default=None)

    def value(self, env: Env) -> Any:
        if self._feel is not None:
            return lift(self._feel.value_in(env))
        assert self._own is not None  # noqa: S101 - it is in one of the two
        return lift(self._own.evaluate(_Seen(env), now=env.frame.now))


@dataclass(frozen=True, slots=True)
class Cell:
    """The test of one input; ``input_name`` is what Camunda 7 calls the value."""

    text: str
    names: frozenset[str]
    only_name: str | None = None
    _feel: FeelTests | None = field(repr=False, default=None)
    _own: UnaryTest | None = field(repr=False, default=None)
    _condition: Expression | None = field(repr=False, default=None)

    def holds(self, env: Env, value: Any, input_name: str) -> bool:
        if self._feel is not None:
            return self._feel.holds_in(env, value)
        inner = _Seen(Env(env.frame, {input_name: value}, env))
        if self._condition is not None:
            return self._condition.holds(inner, now=env.frame.now)
        assert self._own is not None  # noqa: S101 - it is in one of the three
        return self._own.holds(outward(value, env.frame), inner, now=env.frame.now)


def compile_term(
    text: str,
    language: str,
    known: frozenset[str],
    *,
    standard: bool = False,
    spans: bool = False,
) -> Term:
    if text.startswith(("${", "#{")):
        if not text.endswith("}"):
            raise ExpressionInvalid(f"expression '{text}' must stand in one ${{...}}")
        own = compile_expression(text[2:-1])
        return Term(text, own.names, None, own)
    if language == FEEL:
        feel = compile_feel(text, known, standard=standard, spans=spans)
        return Term(text, feel.names, feel)
    own = compile_expression(text)
    return Term(text, own.names, None, own)


def compile_cell(
    text: str, language: str, known: frozenset[str], *, standard: bool = False
) -> Cell:
    if text.startswith(("${", "#{")):
        condition = compile_condition(text)
        return Cell(text, condition.names, None, None, None, condition)
    if language == FEEL:
        feel = compile_unary_tests(text, known, standard=standard)
        return Cell(text, feel.names, feel.only_name, feel)
    own = compile_unary_test(text)
    return Cell(text, own.names, None, None, own)
