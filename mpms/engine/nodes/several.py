"""Events with several triggers: one of them is enough, or all must come.

Each trigger waits as a token of its own inside the event's, so that it has a row of
its own; the event goes on when one has come, or all have.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from SpiffWorkflow.util.task import TaskState

from mpms.domain.instances.steps import Variables, Wait
from mpms.engine import scope
from mpms.engine.model import Element
from mpms.engine.nodes.base import MappedValue, Node, mapped
from mpms.engine.nodes.conditional import ConditionalCatch
from mpms.engine.nodes.escalation import told
from mpms.engine.nodes.events import (
    BoundaryEvent,
    Catcher,
    TerminateEnd,
    Thrower,
)
from mpms.engine.tokens import Token, Tokens


def single(element: Element) -> list[Element]:
    """The event as one for each of its triggers."""
    return [replace(element, triggers=(trigger,)) for trigger in element.triggers]


def part_name(element: Element, number: int) -> str:
    return f"{element.id}#trigger_{number}"


class Part(Catcher):
    """One trigger of an event with several."""

    def caught(self, token: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        run.note("caught", token, kind=self.trigger.kind, event=self.awaited(token))
        token.parent.task_spec.one_came(token.parent, token, variables)


class ConditionalPart(Part, ConditionalCatch):
    """A condition among the triggers."""


class Several(Catcher):
    """Waits for one of several triggers, or for all."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        Node.__init__(self, wf_spec, element, name)
        self.results = [MappedValue(m) for m in element.settings.outputs]
        self.parts = []
        for number, one in enumerate(single(element)):
            kind = ConditionalPart if one.triggers[0].kind == "conditional" else Part
            self.parts.append(kind(wf_spec, one, part_name(element, number)).name)

    def _run_hook(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        for name in self.parts:
            spec = self._wf_spec.task_specs[name]
            part = Token(run, spec, token, state=TaskState.READY)
            part.internal_data["part"] = True
            if "on" in token.internal_data:
                part.internal_data["on"] = token.internal_data["on"]
            run.ready.append(part)
        return None

    def wait(self, token: Token) -> Wait | None:
        return None  # its parts do

    def one_came(self, token: Token, part: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        if self._element.waits_for_all:
            self.keep(token, variables)
            run.take(part)
            if not token.children:
                self.came(token, {})
            return
        for other in list(token.children):
            run.take(other)
        self.came(token, variables)

    def came(self, token: Token, variables: Variables) -> None:
        """What it waited for is there."""
        won = getattr(token.parent.task_spec, "won", None)
        if won is not None:
            won(token.parent, token)
        self.keep(token, variables)
        token.complete()


class SeveralAtBorder(Several, BoundaryEvent):
    """Watches an activity until all of its triggers have come."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        Several.__init__(self, wf_spec, element, name)
        self.interrupting, self.trigger = element.interrupting, element.triggers[0]

    def _run_hook(self, token: Token) -> bool | None:
        return Several._run_hook(self, token)

    def keep(self, token: Token, variables: Variables) -> None:
        if variables:
            scope.write(token.parent, variables, by=token)

    def came(self, token: Token, variables: Variables) -> None:
        if self.interrupting:
            self.interrupt(token, variables)
            return
        self.go_beside(token, variables)
        if token.id in token.workflow.tasks:
            self._run_hook(token)

    def catches(self, kind: str, code: str) -> int | None:
        return None


class SeveralThrow(TerminateEnd):
    """Throws signals and messages, then escalates; an end may then end its scope."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        self.throwers = [
            Thrower(one.kind, one.name, one.correlation)
            for one in element.triggers
            if one.kind in ("signal", "message")
        ]
        self.codes = [
            one.code or one.name for one in element.triggers if one.kind == "escalation"
        ]
        self.terminates = any(one.kind == "terminate" for one in element.triggers)
        self.carries = [MappedValue(m) for m in element.settings.inputs]

    def _run_hook(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        carried = mapped(self.carries, token)
        for thrower in self.throwers:
            thrower.throw(token, carried)
            if token.id not in run.tasks:
                return None
        return True

    def leave(self, token: Token) -> None:
        run: Tokens = token.workflow
        for code in () if "stage" in token.internal_data else self.codes:
            catcher = told(token, code)
            if catcher is None:
                continue
            interrupts = catcher.task_spec.interrupting
            if interrupts:
                run.note("left", token)
            catcher.task_spec.take_over(catcher, code)
            if interrupts:
                return
        if self.terminates:
            super().leave(token)
        else:
            Node.leave(self, token)
