"""The cells of decision tables: tests of one value.

``-`` holds always. ``< 5``, ``[1..5]``, ``"a", "b"`` and ``not(...)`` test the value;
an expression with ``?`` in it, or one that compares, is its own test; anything else
must be equal to the value, or a list or range that has it. Null is not a match.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import Any

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid

from ..expressions.faults import Fault, reported
from .comparing import passes
from .expression import NOTHING_KNOWN
from .nodes import Node
from .parser import Parser
from .values import Env, Frame, lift, shown

INPUT = "?"


@dataclass(frozen=True, slots=True)
class _Test:
    node: Node
    own: bool  # its value is the answer


@dataclass(frozen=True, slots=True)
class FeelTests:
    """A compiled cell."""

    text: str
    names: frozenset[str]
    only_name: str | None = None  # the cell is a single name and nothing else
    _tests: tuple[_Test, ...] = field(repr=False, compare=False, default=())
    _negated: bool = field(repr=False, compare=False, default=False)

    def matches(
        self,
        value: object,
        variables: Mapping[str, object],
        *,
        now: datetime | None = None,
    ) -> bool:
        frame = Frame(variables, now)
        try:
            return self.holds_in(Env(frame, variables), value)
        except RecursionError:
            deep = Fault("is nested too deeply")
            raise ExpressionFailed(deep.told("input entry", self.text)) from None

    def holds_in(self, env: Env, value: object) -> bool:
        if not self._tests:
            return True
        inner = Env(env.frame, {INPUT: value}, env)
        try:
            answer = _any(self._tests, inner, lift(value))
        except Fault as fault:
            if env.frame.forgives(fault):
                return False
            raise ExpressionFailed(fault.told("input entry", self.text)) from None
        return answer is False if self._negated else answer is True


def _any(tests: Sequence[_Test], env: Env, value: Any) -> bool | None:
    answer: bool | None = False
    for test in tests:
        found = test.node.run(env)
        if not test.own and not _answers(test.node, found, value):
            try:
                found = passes(env.frame, value, found)
            except Fault as fault:
                found = env.frame.answer(fault)
        elif found is not None and not isinstance(found, bool):
            cause = f"should be true or false, but is {shown(found)}"
            found = env.frame.answer(Fault(cause))
        if found:
            return True
        if found is None:
            answer = None
    return answer


def _answers(node: Node, found: Any, value: Any) -> bool:
    """A call that gives true or false for an input that is neither is a test."""
    is_answer = isinstance(found, bool) and not isinstance(value, bool)
    return is_answer and node.kind == "other"


@lru_cache(maxsize=4096)
def compile_unary_tests(
    text: str, known: frozenset[str] = NOTHING_KNOWN, *, standard: bool = False
) -> FeelTests:
    if text.strip() in ("", "-"):
        return FeelTests(text, frozenset())
    with reported(ExpressionInvalid, "input entry", text):
        parser = Parser(text, 0, known, tests=True, standard=standard)
        negated = _begins_negation(parser)
        tests = _listed(parser)
        if negated:
            parser.expect(")")
        if parser.peek().kind != "end":
            raise parser.unexpected("',' or the end")
        words = all(token.kind in ("word", "name", "end") for token in parser.tokens)
        single = words and tests[0].node.kind == "name"
        only = " ".join(t.text for t in parser.tokens[:-1]) if single else None
        return FeelTests(text, frozenset(parser.names), only, tuple(tests), negated)


def _begins_negation(parser: Parser) -> bool:
    """``not(`` around the whole cell; inside an expression it is the function."""
    if not (parser.peek().is_word("not") and parser.peek(1).is_op("(")):
        return False
    depth = 0
    for index, token in enumerate(parser.tokens[1:], start=1):
        depth += token.is_op("(") - token.is_op(")")
        if depth == 0:
            if parser.tokens[index + 1].kind == "end":
                parser.index += 2
                return True
            return False
    return False


def _listed(parser: Parser) -> list[_Test]:
    tests: list[_Test] = []
    while not tests or parser.took(","):
        parser.uses_input = False
        node = parser.test()
        own = parser.uses_input or node.kind == "boolean"
        tests.append(_Test(node, own))
    return tests
