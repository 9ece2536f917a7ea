"""Compiled FEEL expressions, which nodes use like those of the other language."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid

from ..expressions.compiled import Expression
from ..expressions.faults import Fault, reported
from . import builtins as _builtins  # noqa: F401 - declares the functions
from .nodes import Run
from .parser import Parser
from .results import outward
from .values import Env, Frame, shown

NOTHING_KNOWN: frozenset[str] = frozenset()
_CACHED = 1024


@dataclass(frozen=True, slots=True)
class FeelExpression(Expression):
    """A FEEL text that was understood; evaluating it changes nothing."""

    is_feel = True

    kind: str = "other"
    _run: Run = field(repr=False, compare=False, default=lambda env: None)

    def evaluate(
        self,
        variables: Mapping[str, object],
        *,
        now: datetime | None = None,
        standard: bool = False,
    ) -> object:
        frame = Frame(variables, now, standard=standard)
        try:
            return outward(self._run(Env(frame, variables)), frame)
        except Fault as fault:
            if frame.forgives(fault):
                return None
            raise ExpressionFailed(fault.told("expression", self.text)) from None
        except RecursionError:
            deep = Fault("is nested too deeply")
            raise ExpressionFailed(deep.told("expression", self.text)) from None

    def value_in(self, env: Env) -> object:
        """The FEEL value, for whoever goes on computing with it."""
        try:
            return self._run(env)
        except Fault as fault:
            if env.frame.forgives(fault):
                return None
            raise ExpressionFailed(fault.told("expression", self.text)) from None


@lru_cache(maxsize=_CACHED)
def compile_feel(
    text: str,
    known: frozenset[str] = NOTHING_KNOWN,
    *,
    standard: bool = False,
    spans: bool = False,
) -> FeelExpression:
    """An expression, with or without the ``=`` before it.

    ``known``: names with signs in them, and names of functions that the variables hold.
    ``standard``: calls of unknown functions are null when they are made.
    ``spans``: it may also be ``1..3``, for a loop that is drawn as a box.
    """
    with reported(ExpressionInvalid, "expression", text):
        start = len(text) - len(text.lstrip())
        if text.startswith("=", start):
            start += 1
        parser = Parser(text, start, known, standard=standard)
        node = parser.whole(spans=spans)
        return FeelExpression(text, frozenset(parser.names), node.kind, node.run)


@lru_cache(maxsize=_CACHED)
def compile_feel_condition(text: str) -> FeelExpression:
    """The same, but it must come out true or false; null is an error."""
    compiled = compile_feel(text)
    inner = compiled._run

    def run(env: Env) -> object:
        value = inner(env)
        if value is not True and value is not False:
            if env.frame.standard:
                return False
            raise Fault(f"needs true or false as a condition, not {shown(value)}")
        return value

    return FeelExpression(text, compiled.names, "boolean", run)
