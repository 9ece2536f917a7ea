"""Compiled expressions, and the texts of a model that may hold one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from importlib import import_module
from types import ModuleType

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid

from .bounds import MAX_TEXT, Frame, json_copy
from .compiled import Expression
from .faults import Fault, reported
from .nodes import Node, constant, unary
from .operations import as_text, truth
from .parser import Parser
from .templates import Hole, is_template, pieces, whole_hole
from .tokens import tokenize

_CACHED = 1024


@dataclass(frozen=True, slots=True)
class OwnExpression(Expression):
    """A text in the language with the spelling of JUEL and Python."""

    _node: Node = field(repr=False, compare=False, default=constant(None))

    def evaluate(
        self,
        variables: Mapping[str, object],
        *,
        now: datetime | None = None,
        standard: bool = False,
    ) -> object:
        frame = Frame(variables, now)
        with reported(ExpressionFailed, "expression", self.text):
            return json_copy(self._node(frame), frame)


def is_feel(text: str) -> bool:
    """Camunda 8 marks FEEL with ``=`` before the whole."""
    return text.lstrip().startswith("=")


@lru_cache(maxsize=_CACHED)
def compile_expression(text: str) -> Expression:
    """A bare expression without ``${}`` around it, or FEEL after ``=``."""
    if is_feel(text):
        return _feel().compile_feel(text)
    return _understood(text, lambda: _parsed(text))


@lru_cache(maxsize=_CACHED)
def compile_input_test(text: str) -> Expression:
    """A bare expression in which ``?`` is the variable named ``?``."""
    return _understood(text, lambda: _parsed(text, input_allowed=True))


@lru_cache(maxsize=_CACHED)
def compile_condition(text: str) -> Expression:
    """``${...}``, ``=...`` or a bare expression; evaluates to true or false only."""
    if is_feel(text):
        return _feel().compile_feel_condition(text)

    def build() -> tuple[Node, set[str]]:
        hole = whole_hole(text)
        if hole is None and is_template(text):
            raise Fault("must stand in one ${...} as a whole")
        node, names = _parsed(text, *(hole or (0, None)))
        return unary(0, node, lambda v: truth(v, "as a condition")), names

    return _understood(text, build)


@lru_cache(maxsize=_CACHED)
def compile_value(text: str) -> Expression:
    """An attribute of a model.

    ``${...}`` or, in FEEL, ``=...`` as a whole: a value of any type. ``Order ${x}!``:
    text with values in it. Anything else: that text itself, and ``\\${`` a literal
    ``${``.
    """
    if is_feel(text):
        return _feel().compile_feel(text)

    def build() -> tuple[Node, set[str]]:
        if len(text) > MAX_TEXT:
            raise Fault(f"is longer than {MAX_TEXT} characters")
        hole = whole_hole(text)
        if hole is not None:
            return _parsed(text, *hole)
        names: set[str] = set()
        parts: list[Node] = []
        for piece in pieces(text):
            if isinstance(piece, str):
                parts.append(constant(piece))
            else:
                node, used = _parsed(text, *piece)
                names |= used
                parts.append(unary(piece.start, node, as_text))
        return _joined(parts), names

    return _understood(text, build)


def is_expression(text: str) -> bool:
    """Whether ``compile_value`` would evaluate anything in this text."""
    try:
        return is_feel(text) or any(isinstance(piece, Hole) for piece in pieces(text))
    except Fault:
        return True


def _feel() -> ModuleType:
    """FEEL is built on this package's bounds, so it can only be met late."""
    return import_module("mpms.engine.feel")


def _parsed(
    text: str, start: int = 0, end: int | None = None, *, input_allowed: bool = False
) -> tuple[Node, set[str]]:
    parser = Parser(tokenize(text, start, end), input_allowed=input_allowed)
    return parser.whole(), parser.names


def _joined(parts: list[Node]) -> Node:
    def run(frame: Frame) -> object:
        texts: list[str] = []
        length = 0
        for part in parts:
            text = str(part(frame))
            length += len(text)
            frame.spend_on_text(length)
            texts.append(text)
        return "".join(texts)

    return run


def _understood(text: str, build: Callable[[], tuple[Node, set[str]]]) -> Expression:
    with reported(ExpressionInvalid, "expression", text):
        node, names = build()
        return OwnExpression(text, frozenset(names), node)
