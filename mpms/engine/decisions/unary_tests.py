"""The cells of a decision table's input columns in the language that is not FEEL.

``-`` anything; a literal; ``< 5``; ``[1..5]``, ``(1..5]``, ``]1..5[``; several with
commas between them, of which one must hold; ``not(...)``; and any expression in which
``?`` is the input. A bare word is refused: most often it is a text without quotes,
and reading it as a variable would make a rule that never fires.
"""

from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import cast

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid

from ..expressions import compile_input_test
from ..expressions.bounds import Frame
from ..expressions.faults import Fault, reported
from ..expressions.operations import COMPARISONS, Operation, equal
from ..expressions.parser import INPUT
from ..expressions.tokens import Lexeme, tokenize

Check = Callable[[object, Mapping[str, object], datetime | None], bool]

_COMPARISONS = ("<", "<=", ">", ">=")
_OPENING = {"[": ">=", "(": ">", "]": ">"}
_CLOSING = {"]": "<=", ")": "<", "[": "<"}


@dataclass(frozen=True, slots=True)
class UnaryTest:
    """A compiled cell."""

    text: str
    names: frozenset[str]
    _check: Check = field(repr=False, compare=False)

    def holds(
        self,
        value: object,
        variables: Mapping[str, object],
        *,
        now: datetime | None = None,
    ) -> bool:
        with reported(ExpressionFailed, "input entry", self.text):
            return self._check(value, variables, now)


def compile_unary_test(text: str) -> UnaryTest:
    if text.strip() in ("", "-"):
        return UnaryTest(text, frozenset(), lambda value, variables, now: True)
    with reported(ExpressionInvalid, "input entry", text):
        reader = _Reader(text)
        check = reader.alternatives()
        if reader.peek().kind != "end":
            raise reader.unexpected("',' or the end")
        return UnaryTest(text, frozenset(reader.names), check)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.index = 0
        self.nested = False
        self.names: set[str] = set()

    def peek(self, ahead: int = 0) -> Lexeme:
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def take(self) -> Lexeme:
        token = self.peek()
        self.index += 1
        return token

    def unexpected(self, wanted: str) -> Fault:
        token = self.peek()
        return Fault(f"has {token} where {wanted} is expected", token.position)

    def alternatives(self) -> Check:
        checks = [self.test()]
        while self.peek().is_op(","):
            self.take()
            checks.append(self.test())
        return lambda *given: any(check(*given) for check in checks)

    def test(self) -> Check:
        token = self.peek()
        if token.is_op("not") and self.peek(1).is_op("("):
            return self.negation()
        if token.is_op(*_COMPARISONS):
            sign = self.take().text
            return _compared(COMPARISONS[sign], self.literal())
        if self.is_interval():
            return self.interval()
        end = self.stretch()
        if any(part.is_op(INPUT) for part in self.tokens[self.index : end]):
            return self.expression(end)
        return _equals(self.literal())

    def negation(self) -> Check:
        if self.nested:
            raise Fault("has a 'not(' inside a 'not('", self.peek().position)
        self.index += 2
        self.nested = True
        check = self.alternatives()
        self.nested = False
        if not self.peek().is_op(")"):
            raise self.unexpected("')'")
        self.take()
        return lambda *given: not check(*given)

    def is_interval(self) -> bool:
        if not self.peek().is_op(*_OPENING):
            return False
        return any(self.peek(ahead).is_op("..") for ahead in (2, 3))

    def interval(self) -> Check:
        above = _compared(COMPARISONS[_OPENING[self.take().text]], self.literal())
        if not self.peek().is_op(".."):
            raise self.unexpected("'..'")
        self.take()
        upper = self.literal()
        if not self.peek().is_op(*_CLOSING):
            raise self.unexpected("']', ')' or '['")
        below = _compared(COMPARISONS[_CLOSING[self.take().text]], upper)
        return lambda *given: above(*given) and below(*given)

    def literal(self) -> object:
        token = self.peek()
        if token.is_op("-"):
            self.take()
            return -self.literal_number()
        if token.kind == "name":
            raise Fault(
                f"has {token}, which is no literal; quote it if it is a text, or "
                f"write '? == {token.text}'",
                token.position,
            )
        if token.kind != "constant":
            raise self.unexpected("a number, a text, true, false or null")
        return self.take().value

    def literal_number(self) -> int | float:
        value = self.peek().value
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.unexpected("a number")
        self.take()
        return value

    def stretch(self) -> int:
        """Where the current test ends: a comma or bracket that is not its own."""
        depth, index = 0, self.index
        while self.tokens[index].kind != "end":
            token = self.tokens[index]
            if depth == 0 and token.is_op(",", ")", "]", "}"):
                break
            depth += token.is_op("(", "[", "{") - token.is_op(")", "]", "}")
            index += 1
        return index

    def expression(self, end: int) -> Check:
        start_at, end_at = self.peek().position, self.tokens[end].position
        compiled = compile_input_test(self.text[start_at:end_at].strip())
        self.index = end
        self.names |= compiled.names

        def check(
            value: object, variables: Mapping[str, object], now: datetime | None
        ) -> bool:
            seen = ChainMap({INPUT: value}, cast(dict[str, object], variables))
            return compiled.holds(seen, now=now)

        return check


def _compared(operation: Operation, bound: object) -> Check:
    if isinstance(bound, bool) or bound is None:
        raise Fault("needs a number or a text to compare with")

    def check(
        value: object, variables: Mapping[str, object], now: datetime | None
    ) -> bool:
        if value is None:
            return False
        return operation(Frame(variables, now), value, bound) is True

    return check


def _equals(wanted: object) -> Check:
    def check(
        value: object, variables: Mapping[str, object], now: datetime | None
    ) -> bool:
        return equal(Frame(variables, now), value, wanted)

    return check
