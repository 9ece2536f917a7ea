"""What starts an event subprocess: a token that waits beside a scope, not in its flow.

It listens as long as its scope is active and never keeps the scope from ending. One
that interrupts cancels everything else in the scope, other listeners too: then, BPMN
says, no other event subprocess can start any more.
"""

from __future__ import annotations

from typing import Any

from mpms.domain.instances.steps import Variables
from mpms.engine import scope
from mpms.engine.model import Element
from mpms.engine.nodes.events import Watcher
from mpms.engine.tokens import Token, Tokens


def listener_name(start: Element, number: int = 0) -> str:
    """Of the node that waits for one of the triggers."""
    return f"{start.id}#listener{'' if number == 0 else f'_{number}'}"


class Listener(Watcher):
    """The start event of an event subprocess while it waits."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name or listener_name(element))

    def interrupt(self, token: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        run.cancel_inside(token.parent, but=token)
        self.go_beside(token, variables)
        run.take(token)

    def go_beside(self, token: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        subprocess = self._wf_spec.task_specs[self._element.scope]
        if self.results:  # the start event inside maps what the event brought
            run.place(subprocess, token.parent, brought=variables)
            return
        scope.write(token.parent, variables, by=token)
        run.place(subprocess, token.parent)
