"""Start, end, throwing, catching and boundary events."""

from __future__ import annotations

from typing import Any

from mpms.domain.errors import TaskGone
from mpms.domain.steps import EventWait, Throw, TimerWait, Variables, Wait
from mpms.engine import scope
from mpms.engine.expressions import Expression, compile_value
from mpms.engine.model import Element, EventTrigger
from mpms.engine.nodes.base import MappedValue, Node, evaluate, mapped
from mpms.engine.nodes.timers import Timer, due_at
from mpms.engine.tokens import Token, Tokens


class PassThrough(Node):
    """Start events, plain intermediate events and plain tasks: nothing to wait for."""


class Thrower:
    """A signal or message to be thrown, with its key and what it carries."""

    def __init__(self, kind: str, event: str, key: str | None) -> None:
        self.kind, self.event = kind, event
        self.key: Expression | None = None if key is None else compile_value(key)

    def throw(self, token: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        correlation = correlation_of(self.key, token)
        run.throws.append(Throw(self.kind, self.event, correlation, variables))
        run.note("thrown", token, kind=self.kind, event=self.event)


def correlation_of(key: Expression | None, token: Token) -> str | None:
    value = None if key is None else evaluate(key, token)
    return None if value is None else str(value)


class ThrowEvent(Node):
    """Throws a signal or message and goes on."""

    def __init__(self, wf_spec: Any, element: Element) -> None:
        super().__init__(wf_spec, element)
        trigger = element.trigger
        assert trigger is not None  # noqa: S101 - the builder chooses by it
        self.thrower = Thrower(trigger.kind, trigger.name, trigger.correlation)
        self.carries = [MappedValue(m) for m in element.settings.inputs]

    def _run_hook(self, token: Token) -> bool | None:
        self.thrower.throw(token, mapped(self.carries, token))
        return True


class TerminateEnd(Node):
    """Ends its scope at once: every other token in it is cancelled."""

    def leave(self, token: Token) -> None:
        run: Tokens = token.workflow
        parent = token.parent
        run.note("left", token)
        run.take(token)
        for other in list(parent.children):
            if other.id in run.tasks:
                run.cancel_token(other)
        run.close_scope_if_empty(parent)


class ErrorEnd(Node):
    """Raises an error to the nearest catcher; uncaught, it fails the instance."""

    def leave(self, token: Token) -> None:
        run: Tokens = token.workflow
        trigger = self._element.trigger
        code = (trigger.code or trigger.name) if trigger else ""
        message = self._element.name or code
        run.note("left", token)
        if self.throw_error(token, code, message):
            return
        run.error = (code, message)
        run.note("failed", token, code=code, message=message)
        for other in list(run.task_tree.children):
            if other.id in run.tasks:
                run.cancel_token(other)
        run.ready.clear()


class Catcher(Node):
    """Waits for a timer, a signal or a message."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        self.trigger = self.trigger_of(element)
        self.timer = Timer(self.trigger) if self.trigger.kind == "timer" else None
        key = self.trigger.correlation
        self.key: Expression | None = None if key is None else compile_value(key)

    @staticmethod
    def trigger_of(element: Element) -> EventTrigger:
        if element.trigger is not None:
            return element.trigger
        return EventTrigger(  # a receive task
            "message",
            name=element.message or "",
            correlation=element.message_correlation,
        )

    def _run_hook(self, token: Token) -> bool | None:
        if self.timer is not None:
            token.internal_data["timer"] = self.timer.start(token)
        else:
            token.internal_data["key"] = correlation_of(self.key, token)
        return None

    def wait(self, token: Token) -> Wait | None:
        facts = self.wait_facts(token)
        if "timer" in token.internal_data:
            return TimerWait(*facts, due_at(token.internal_data["timer"]))
        if "key" in token.internal_data:
            key = token.internal_data["key"]
            return EventWait(*facts, self.trigger.kind, self.trigger.name, key)
        return None

    def fire(self, token: Token) -> None:
        run: Tokens = token.workflow
        timer = token.internal_data.get("timer")
        if timer is None:
            raise TaskGone("This event does not wait for a timer.")
        if run.around.now >= due_at(timer):
            self.caught(token, {})

    def receive(self, token: Token, variables: Variables) -> None:
        if "key" not in token.internal_data:
            raise TaskGone("This event does not wait for a signal or message.")
        self.caught(token, variables)

    def caught(self, token: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        run.note("caught", token, kind=self.trigger.kind, event=self.trigger.name)
        won = getattr(token.parent.task_spec, "won", None)
        if won is not None:
            won(token.parent, token)
        self.keep(token, variables)
        token.complete()

    def keep(self, token: Token, variables: Variables) -> None:
        """Take over what came with the event."""
        scope.write(token.parent, variables, by=token)


class BoundaryEvent(Catcher):
    """Watches an activity; interrupting it or starting a path beside it."""

    def __init__(self, wf_spec: Any, element: Element) -> None:
        super().__init__(wf_spec, element)
        self.interrupting = element.interrupting

    def _run_hook(self, token: Token) -> bool | None:
        if self.trigger.kind == "error":
            return None
        return super()._run_hook(token)

    def watched(self, token: Token) -> Token:
        run: Tokens = token.workflow
        on = token.internal_data["on"]
        return next(t for t in run.tasks.values() if t.key == on)

    def caught(self, token: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        run.note("caught", token, kind=self.trigger.kind, event=self.trigger.name)
        if self.interrupting:
            self.interrupt(token, self.watched(token), variables)
            return
        parent = token.parent
        scope.write(parent, variables)
        beside = Token(run, self, parent, state=token._state)
        run.note("entered", beside)
        timer = token.internal_data.get("timer")
        following = None if timer is None else Timer.again(timer)
        if following is not None:
            token.internal_data["timer"] = following
        elif timer is not None:
            run.take(token)
        beside.complete()

    def interrupt(self, token: Token, activity: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        token.internal_data.pop("on")  # so that it outlives the activity it watched
        run.cancel_token(activity)
        scope.write(token.parent, variables, by=token)
        token.complete()

    def catches_error(self, code: str) -> int | None:
        if self.trigger.kind != "error":
            return None
        wanted = self.trigger.code or self.trigger.name
        if not wanted:
            return 1
        return 0 if wanted == code else None

    def catch_error(
        self, token: Token, activity: Token, code: str, message: str
    ) -> None:
        run: Tokens = token.workflow
        run.note("caught", token, kind="error", event=code)
        variables: Variables = {}
        if self.trigger.error_code_variable:
            variables[self.trigger.error_code_variable] = code
        if self.trigger.error_message_variable:
            variables[self.trigger.error_message_variable] = message
        self.interrupt(token, activity, variables)
