"""Scripts: assignments in a row, and nothing else.

No loops and no branches: a script always ends, and what it did is the list of the
variables it assigned. Logic beyond this belongs into a named handler or a decision.
"""

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache

from mpms.domain.errors import ExpressionFailed, ExpressionInvalid

from .bounds import Frame, json_copy
from .faults import Fault, reported
from .nodes import Node, chain, variable
from .operations import ARITHMETIC
from .parser import Parser
from .tokens import tokenize


@dataclass(frozen=True, slots=True)
class Script:
    """A compiled script: what it reads, what it assigns."""

    text: str
    names: frozenset[str]
    targets: frozenset[str]
    _assignments: tuple[tuple[str, Node], ...] = field(repr=False, compare=False)

    def run(
        self, variables: Mapping[str, object], now: datetime | None = None
    ) -> dict[str, object]:
        """The assigned values; the variables stay as they are."""
        assigned: dict[str, object] = {}
        seen = ChainMap(assigned, dict(variables))
        frame = Frame(seen, now)
        with reported(ExpressionFailed, "script", self.text):
            for target, node in self._assignments:
                assigned[target] = json_copy(node(frame), frame)
        return assigned


class _ScriptParser(Parser):
    def script(self) -> tuple[list[tuple[str, Node]], set[str]]:
        assignments: list[tuple[str, Node]] = []
        assigned: set[str] = set()
        free: set[str] = set()
        while self.peek().kind != "end":
            if self.peek().kind == "break":
                self.take()
                continue
            self.names = set()
            target, node = self.assignment()
            free |= self.names - assigned
            assigned.add(target)
            assignments.append((target, node))
            if self.peek().kind not in ("break", "end"):
                raise self.unexpected("the end of the line")
        if not assignments:
            raise Fault("assigns nothing")
        return assignments, free

    def assignment(self) -> tuple[str, Node]:
        target = self.take()
        if target.kind != "name":
            raise Fault(f"has {target} where 'name = ...' is expected", target.position)
        sign = self.peek()
        if self.took("="):
            return target.text, self.expression()
        if self.took("+="):
            self.names.add(target.text)
            before = variable(target.text, target.position)
            rest = [(sign.position, ARITHMETIC["+"], self.expression())]
            return target.text, chain(before, rest)
        raise self.unexpected("'=' or '+='")


@lru_cache(maxsize=512)
def compile_script(text: str) -> Script:
    """Lines ``name = expression`` or ``name += expression``; ``#`` begins a comment."""
    with reported(ExpressionInvalid, "script", text):
        assignments, names = _ScriptParser(tokenize(text, script=True)).script()
    targets = frozenset(target for target, _ in assignments)
    return Script(text, frozenset(names), targets, tuple(assignments))
