"""Start, end, throwing, catching and boundary events."""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from uuid import UUID

from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import TaskGone
from mpms.domain.instances.steps import EventWait, Throw, TimerWait, Variables, Wait
from mpms.engine import scope
from mpms.engine.expressions import Expression, compile_value
from mpms.engine.limits import check_given
from mpms.engine.model import Element, EventTrigger
from mpms.engine.nodes.base import MappedValue, Name, Node, evaluate, mapped
from mpms.engine.nodes.timers import MISSED_TURNS, Timer, due_at
from mpms.engine.tokens import Token, Tokens

THROWN_INSIDE = frozenset({"error", "escalation", "cancel"})
"""What comes from within the instance, so that nothing outside is waited for."""


class PassThrough(Node):
    """Start events, plain intermediate events and plain tasks: nothing to wait for."""


class StartEvent(Node):
    """Takes what came with its message or signal; with outputs only what they map."""

    def __init__(self, wf_spec: Any, element: Element) -> None:
        super().__init__(wf_spec, element)
        self.results = [MappedValue(m) for m in element.settings.outputs]

    def _run_hook(self, token: Token) -> bool | None:
        brought = token.parent.internal_data.pop("brought", None)
        if brought:
            scope.write_local(token, brought)
        return True

    def map_outputs(self, token: Token) -> None:
        if self.results:
            scope.write_local(token.parent, mapped(self.results, token))


class Thrower:
    """A signal or message to be thrown, with its key and what it carries."""

    def __init__(self, kind: str, event: str, key: str | None) -> None:
        self.kind, self.event = kind, Name(kind, event)
        self.key: Expression | None = None if key is None else compile_value(key)

    def throw(self, token: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        correlation = correlation_of(self.key, token)
        event = self.event.of(token)
        check_given(variables, run.around.limits)
        run.throws.append(Throw(self.kind, event, correlation, variables))
        run.note("thrown", token, kind=self.kind, event=event)
        if self.kind == "signal":
            _tell_own(run, event, variables)


def _tell_own(run: Tokens, event: str, variables: Variables) -> None:
    """Everybody in this instance who waits gets a signal before its thrower goes on;
    the others get it with the end of the step."""
    waiting = [
        t
        for t in run.tasks.values()
        if isinstance(t.task_spec, Catcher)
        and t._state == TaskState.STARTED
        and "key" in t.internal_data
        and (t.task_spec.trigger.kind, t.task_spec.awaited(t)) == ("signal", event)
    ]
    for token in waiting:
        if token.id in run.tasks:
            token.task_spec.receive(token, deepcopy(variables))


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
        run: Tokens = token.workflow
        self.thrower.throw(token, mapped(self.carries, token))
        return True if token.id in run.tasks else None


class TerminateEnd(Node):
    """Ends its scope at once: every other token in it is cancelled."""

    def leave(self, token: Token) -> None:
        run: Tokens = token.workflow
        parent = token.parent
        run.note("left", token)
        run.take(token)
        run.cancel_inside(parent)
        run.close_scope_if_empty(parent)


class ErrorEnd(Node):
    """Raises an error to the nearest catcher; uncaught, it fails the instance."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        trigger = element.trigger
        code = (trigger.code or trigger.name) if trigger else ""
        self.code = Name("error code", code)
        said = trigger and trigger.error_message
        self.message = None if said is None else compile_value(said)

    def leave(self, token: Token) -> None:
        run: Tokens = token.workflow
        code = self.code.of(token)
        message = self._element.name or code
        if self.message is not None:
            message = str(evaluate(self.message, token) or message)
        run.note("left", token)
        if self.throw_error(token, code, message):
            return
        run.error = (code, message)
        run.note("failed", token, code=code, message=message)
        run.cancel_inside(run.task_tree)
        run.ready.clear()


class Catcher(Node):
    """Waits for a timer, a signal or a message."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        self.trigger = self.trigger_of(element)
        self.timer = None
        if self.trigger.kind == "timer":
            asked = dict(element.settings.properties).get(MISSED_TURNS)
            self.timer = Timer(self.trigger, takes_all=asked == "all")
        self.event = Name(self.trigger.kind, self.trigger.name)
        key = self.trigger.correlation
        self.key: Expression | None = None if key is None else compile_value(key)
        self.results = [MappedValue(m) for m in element.settings.outputs]

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
            name = self.event.of(token)
            if name != self.trigger.name:
                token.internal_data["event"] = name
        return None

    def awaited(self, token: Token) -> str:
        """The name of what a token waits for."""
        name: str = token.internal_data.get("event", self.trigger.name)
        return name

    def wait(self, token: Token) -> Wait | None:
        facts = self.wait_facts(token)
        if "timer" in token.internal_data:
            return TimerWait(*facts, due_at(token.internal_data["timer"]))
        if "key" in token.internal_data:
            key = token.internal_data["key"]
            return EventWait(*facts, self.trigger.kind, self.awaited(token), key)
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
        run.note("caught", token, kind=self.trigger.kind, event=self.awaited(token))
        won = getattr(token.parent.task_spec, "won", None)
        if won is not None:
            won(token.parent, token)
        self.keep(token, variables)
        token.complete()

    def keep(self, token: Token, variables: Variables) -> None:
        """Take over what came with the event; with outputs only what they map."""
        if self.results:
            scope.write_local(token, variables)
        else:
            scope.write(token.parent, variables, by=token)

    def map_outputs(self, token: Token) -> None:
        if self.results:
            scope.write(token.parent, mapped(self.results, token), by=token)


class Watcher(Catcher):
    """An event beside the flow, which interrupts what it watches or does not."""

    is_beside = True

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        self.interrupting = element.interrupting

    def _run_hook(self, token: Token) -> bool | None:
        if self.trigger.kind in THROWN_INSIDE:
            return None
        return super()._run_hook(token)

    def caught(
        self, token: Token, variables: Variables, event: str | None = None
    ) -> None:
        run: Tokens = token.workflow
        name = self.awaited(token) if event is None else event
        run.note("caught", token, kind=self.trigger.kind, event=name)
        if self.interrupting:
            self.interrupt(token, variables)
            return
        timer = token.internal_data.get("timer")
        following, missed = None, 0
        if timer is not None and self.timer is not None:
            following, missed = self.timer.again(timer, run.around.now)
        if missed:
            run.note("turns missed", token, missed=missed)
        if following is not None:
            token.internal_data["timer"] = following
        self.go_beside(token, variables)
        if timer is not None and following is None:
            run.take(token)

    def interrupt(self, token: Token, variables: Variables) -> None:
        """Cancel what is watched and go on from here."""
        raise NotImplementedError

    def go_beside(self, token: Token, variables: Variables) -> None:
        """Start a path beside what is watched."""
        raise NotImplementedError

    def catches(self, kind: str, code: str) -> int | None:
        if self.trigger.kind != kind:
            return None
        if not self.trigger.code:
            return 1
        return 0 if self.trigger.code == code else None

    def take_over(self, token: Token, code: str, message: str = "") -> None:
        """An error or escalation came up to here."""
        trigger, variables = self.trigger, {}
        if trigger.error_code_variable:
            variables[trigger.error_code_variable] = code
        if trigger.error_message_variable:
            variables[trigger.error_message_variable] = message
        if trigger.escalation_code_variable:
            variables[trigger.escalation_code_variable] = code
        self.caught(token, variables, code)


class BoundaryEvent(Watcher):
    """Watches an activity."""

    def interrupt(self, token: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        activity = run.tasks[UUID(token.internal_data.pop("on"))]
        run.cancel_token(activity)  # without "on" this token outlives the activity
        run.note("entered", token)
        self.keep(token, variables)
        token.complete()

    def go_beside(self, token: Token, variables: Variables) -> None:
        run: Tokens = token.workflow
        beside = Token(run, self, token.parent, state=TaskState.STARTED)
        run.note("entered", beside)
        self.keep(beside, variables)
        beside.complete()
