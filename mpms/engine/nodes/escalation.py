"""Escalations: told to the nearest event that catches them; nobody has to.

Unlike an error an escalation is not critical. Who threw it goes on, unless the event
that catches it interrupts the activity it is in.
"""

from __future__ import annotations

from typing import Any

from mpms.domain.instances.steps import Escalation
from mpms.engine.model import Element
from mpms.engine.nodes.base import Name, Node
from mpms.engine.nodes.catching import catcher_of
from mpms.engine.tokens import Token, Tokens


def told(token: Token, code: str) -> Token | None:
    """Note an escalation and find who catches it; nobody: the caller may."""
    run: Tokens = token.workflow
    found = catcher_of(token, "escalation", code)
    run.note("escalated", token, code=code, caught=found is not None)
    if found is None:
        run.escalations.append(Escalation(code, dict(run.task_tree.data)))
    return found


class EscalationThrow(Node):
    """Escalates on the way or at the end."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        trigger = element.trigger
        code = (trigger.code or trigger.name) if trigger else ""
        self.code = Name("escalation code", code)

    def leave(self, token: Token) -> None:
        run: Tokens = token.workflow
        code = self.code.of(token)
        catcher = told(token, code)
        if catcher is not None and catcher.task_spec.interrupting:
            run.note("left", token)
            catcher.task_spec.take_over(catcher, code)
            return
        if catcher is not None:
            catcher.task_spec.take_over(catcher, code)
        super().leave(token)
