"""Link events: a sequence flow that is not drawn."""

from __future__ import annotations

from mpms.domain.errors import ModelRefused
from mpms.engine.model import Element, Process
from mpms.engine.nodes.base import Node
from mpms.engine.tokens import Token, Tokens


def is_link(element: Element) -> bool:
    return element.trigger is not None and element.trigger.kind == "link"


def link_target(process: Process, throw: Element) -> str:
    """The catching link of the same name in the same scope."""
    for element in process.within(throw.scope):
        catches = element.tag == "intermediateCatchEvent" and is_link(element)
        if catches and element.triggers[0].name == throw.triggers[0].name:
            return element.id
    raise ModelRefused(f"{throw.id}: no link event catches this.")


class LinkThrow(Node):
    """Goes on at the catching link of the same name in the same scope."""

    target: str  # filled by build

    def leave(self, token: Token) -> None:
        run: Tokens = token.workflow
        scope_token = token.parent
        run.note("left", token)
        run.take(token)
        run.place(self._wf_spec.task_specs[self.target], scope_token)
