"""Conditional events: triggered when a condition becomes true.

The condition is looked at when the event is entered and whenever a variable that it
can see has changed. An event that stays (not interrupting) triggers again only after
the condition was false in between, as BPMN says.
"""

from __future__ import annotations

from typing import Any

from mpms.domain.errors import ExpressionFailed
from mpms.engine import scope
from mpms.engine.expressions import ITS_BUSINESS_KEY, compile_condition
from mpms.engine.nodes.base import is_true
from mpms.engine.nodes.event_subprocess import Listener
from mpms.engine.nodes.events import BoundaryEvent, Catcher
from mpms.engine.tokens import Change, Token


class _Conditional(Catcher):
    is_conditional = True

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.condition = compile_condition(self.trigger.text)

    def _run_hook(self, token: Token) -> bool | None:
        token.internal_data["holds"] = False
        self._evaluate(token)
        return None

    def look(self, token: Token, changes: list[Change]) -> None:
        """Evaluate again if one of these changes concerns the condition."""
        if any(self._concerns(token, *change) for change in changes):
            self._evaluate(token)

    def _concerns(self, token: Token, holder: Token, name: str, kind: str) -> bool:
        wanted, kinds = self.trigger.variable_name, self.trigger.variable_events
        if (wanted and name != wanted) or (kinds and kind not in kinds):
            return False
        at = token
        while at is not holder and at.parent is not None:
            at = at.parent
        return at is holder

    def _evaluate(self, token: Token) -> None:
        held = token.internal_data["holds"]
        holds = self._holds(token)
        token.internal_data["holds"] = holds
        if holds and not held:
            self.caught(token, {})

    def _holds(self, token: Token) -> bool:
        """A variable that does not exist yet makes a condition false, not wrong."""
        try:
            return is_true(self.condition, token)
        except ExpressionFailed:
            seen = scope.visible(token)
            if self.condition.names - {ITS_BUSINESS_KEY} <= seen.keys():
                raise
            return False


class ConditionalCatch(_Conditional):
    """Waits in the flow, or after an event gateway."""


class ConditionalBoundary(_Conditional, BoundaryEvent):
    """Watches an activity."""


class ConditionalListener(_Conditional, Listener):
    """Starts an event subprocess."""
