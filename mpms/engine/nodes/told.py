"""Listeners of Camunda 7 that are executed in the step: expressions and scripts.

The order is Camunda's: ``start`` and, for a user task, ``create`` when the inputs are
there; ``complete`` and ``end`` before the outputs are mapped; ``take`` when a flow has
been chosen. A user task has also ``assignment``, ``update`` and ``delete``; ``timeout``
is a timer at its border (``reading/timeouts.py``).
"""

from __future__ import annotations

from collections.abc import Iterable

from mpms.engine import scope
from mpms.engine.expressions import Expression, Script, compile_script, compile_value
from mpms.engine.model import ListenerScript
from mpms.engine.tokens import Token, Tokens


class Told:
    """The listeners of one element or flow, compiled."""

    def __init__(self, listeners: Iterable[ListenerScript]) -> None:
        self._work: dict[str, list[tuple[ListenerScript, Script | Expression]]] = {}
        for one in listeners:
            work: Script | Expression = (
                compile_value(one.value or "")
                if one.script is None
                else compile_script(one.script)
            )
            self._work.setdefault(one.event, []).append((one, work))

    def run(self, token: Token, *events: str) -> None:
        """Do the work for these events. ExpressionFailed."""
        run: Tokens = token.workflow
        around = run.around
        for event in events:
            for one, work in self._work.get(event, ()):
                seen = scope.visible(token)
                if isinstance(work, Script):
                    scope.write(token, work.run(seen, now=around.now), by=token)
                    continue
                value = work.evaluate(
                    scope.seen_by(work, seen, around.business_key),
                    now=around.now,
                    standard=around.standard_feel,
                )
                if one.target is None:
                    continue
                write = scope.write_local if one.local else scope.write
                write(token, {one.target: value})
