"""Tasks and subprocesses, with their mappings and boundary events."""

from __future__ import annotations

import json
import logging
from copy import deepcopy
from typing import Any

from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import BusinessError, ExpressionFailed
from mpms.domain.instances.steps import (
    USUAL_PRIORITY,
    FormWait,
    JobWait,
    Variables,
    Wait,
)
from mpms.domain.people.people import group_of
from mpms.engine import scope
from mpms.engine.expressions import (
    Expression,
    compile_script,
    compile_value,
    is_template,
)
from mpms.engine.model import Element
from mpms.engine.nodes.base import MappedValue, Name, Node, evaluate, mapped
from mpms.engine.nodes.compensation import remember
from mpms.engine.nodes.events import Catcher, Thrower
from mpms.engine.nodes.listeners import ListenerJob, listener_names
from mpms.engine.nodes.retries import retry_delays_s
from mpms.engine.nodes.task_times import TaskTimes, instant
from mpms.engine.reading.zeebe import AS_IN_DMN
from mpms.engine.tokens import Token, Tokens

log = logging.getLogger(__name__)


class Activity(Node):
    """Maps inputs when entered, opens its boundary events, maps outputs when left."""

    tells_itself = True

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        self.maps_in = [MappedValue(m) for m in element.settings.inputs]
        self.maps_out = [MappedValue(m) for m in element.settings.outputs]
        self.undone_by: str | None = None  # catches its compensation; filled by build
        self.listeners_at: dict[str, list[str]] = {}
        role = "turn_listener" if name else "listener"
        for event in ("start", "end"):
            self.listeners_at[event] = names = listener_names(element, event, role)
            told = [one for one in element.settings.listeners if one.event == event]
            for spec_name, listener in zip(names, told, strict=True):
                ListenerJob(wf_spec, element, spec_name, listener)

    def _run_hook(self, token: Token) -> bool | None:
        own = dict(token.data)
        try:
            if self.maps_in:
                scope.write_local(token, mapped(self.maps_in, token))
            if self.told is not None:
                self.told.run(token, "start", "create")
            token.internal_data.update(self.prepare(token))
        except ExpressionFailed:
            token.data = own  # a retry must not read the inputs of this try
            raise
        if self.listeners_at["start"]:
            self.tell(token, "start", 0)
            return None
        return self.open(token, own)

    def tell(self, token: Token, event: str, number: int) -> None:
        """Let the next listener do its work."""
        run: Tokens = token.workflow
        token.internal_data["listening"] = [event, number]
        name = self.listeners_at[event][number]
        run.place(self._wf_spec.task_specs[name], token)

    def heard(self, token: Token, results: Variables) -> None:
        """A listener is done: the next one, or what they all waited for."""
        event, number = token.internal_data.pop("listening")
        if event == "start":
            scope.write_local(token, results)
        else:
            scope.write(token.parent, results, by=token)
        if number + 1 < len(self.listeners_at[event]):
            self.tell(token, event, number + 1)
        elif event == "end":
            token.internal_data["stage"] = "choosing"
            token.complete()
        elif self.open(token, dict(token.data)):
            token.complete()

    def map_outputs_then_listen(self, token: Token) -> bool:
        """Whether listeners have to be waited for after the results are mapped."""
        self.map_outputs(token)
        if not self.listeners_at["end"] or "skipped" in token.internal_data:
            return False
        token._set_state(TaskState.STARTED)
        self.tell(token, "end", 0)
        return True

    def open(self, token: Token, own: Variables) -> bool | None:
        """Open the boundary events and do the work."""
        run: Tokens = token.workflow
        for name in self.boundary:
            spec = self._wf_spec.task_specs[name]
            watcher = run.place(spec, token.parent, on=token.key)
            if spec.is_conditional:
                run.run_now(watcher)  # true from the start: before anything is done
                if token.id not in run.tasks:
                    return None
        try:
            return self.perform(token)
        except ExpressionFailed as failure:
            if self.throw_error(token, type(failure).__name__, str(failure)):
                return None
            run.drop_watchers(token)
            token.data = own
            raise

    def prepare(self, token: Token) -> dict[str, Any]:
        """Evaluate everything that may fail, before anything outside is changed."""
        return {}

    def perform(self, token: Token) -> bool | None:
        """Do the work, or return None to wait for it."""
        return True

    def map_outputs(self, token: Token) -> None:
        if self.maps_out:
            values = mapped(self.maps_out, token)
            scope.write(token.parent, values, by=token)

    def remember(self, token: Token) -> None:
        if "skipped" not in token.internal_data:
            remember(token, self.undone_by)

    def accept(self, token: Token, results: Variables) -> None:
        """The work is done elsewhere; take its results and go on."""
        self.keep(token, results)
        token.complete()

    def keep(self, token: Token, results: Variables) -> None:
        """With output mappings results are local to the task, else the instance's.

        In Camunda 8 a result also stays with the task if the task has its name.
        """
        if self.maps_out:
            scope.write_local(token, results)
        else:
            inside = self._element.settings.camunda_8
            scope.write(token if inside else token.parent, results, by=token)


class ReceiveTask(Activity, Catcher):
    """Waits for a message."""

    def perform(self, token: Token) -> bool | None:
        return Catcher._run_hook(self, token)

    def _run_hook(self, token: Token) -> bool | None:
        return Activity._run_hook(self, token)


class SendTask(Activity):
    """Throws a message."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        self.thrower = Thrower(
            "message", element.message or "", element.message_correlation
        )

    def perform(self, token: Token) -> bool | None:
        carried = {value.target: token.data[value.target] for value in self.maps_in}
        self.thrower.throw(token, carried)
        return True


class UserTask(Activity):
    """A form for a person."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        settings = element.settings
        self.assignee = compile_value(settings.assignee) if settings.assignee else None
        self.times = TaskTimes(settings)
        self.groups = [compile_value(g) for g in settings.candidate_groups]
        self.users = [compile_value(u) for u in settings.candidate_users]
        self.named = named(element)
        self.form = Name("form", settings.form) if settings.form else None

    def prepare(self, token: Token) -> dict[str, Any]:
        assignee = None if self.assignee is None else evaluate(self.assignee, token)
        groups: list[str] = []
        for group in self.groups:
            value = evaluate(group, token)
            groups += value if isinstance(value, list) else [str(value)]
        for user in self.users:
            value = evaluate(user, token)
            logins = value if isinstance(value, list) else [value]
            groups += [group_of(login) for login in logins]
        if not groups and assignee is None and self._element.lane:
            groups = [self._element.lane.casefold()]
        who = None if assignee is None else str(assignee)
        form: dict[str, Any] = {"assignee": who, "groups": groups}
        if self.form is not None and (key := self.form.of(token)) != self.form.text:
            form["key"] = key
        if self.named is not None:
            form["name"] = str(evaluate(self.named, token))
        form |= self.times.of(token)
        return {"form": form}

    def wait_facts(self, token: Token) -> tuple[str, str, str, str | None]:
        key, element, name, lane = super().wait_facts(token)
        name = token.internal_data.get("form", {}).get("name", name)
        return key, element, name, lane

    def perform(self, token: Token) -> bool | None:
        if token.internal_data["form"]["assignee"] is not None:
            self.hear(token, "assignment")
        return None

    def hear(self, token: Token, *events: str) -> None:
        """Listeners of what is done with the open form. ExpressionFailed."""
        if self.told is not None:
            self.told.run(token, *events)

    def cancelled(self, token: Token) -> None:
        if self.told is None or token._state != TaskState.STARTED:
            return
        try:
            self.hear(token, "delete")
        except ExpressionFailed as failure:  # it goes all the same, and says so
            run: Tokens = token.workflow
            run.note("failed", token, code="listener", message=str(failure))

    def wait(self, token: Token) -> Wait | None:
        form = token.internal_data["form"]
        return FormWait(
            *self.wait_facts(token),
            form.get("key", self._element.settings.form),
            form["assignee"],
            tuple(form["groups"]),
            token.data,
            due_at=instant(form.get("due")),
            follow_up_at=instant(form.get("follow_up")),
            priority=form.get("priority", USUAL_PRIORITY),
        )


def named(element: Element) -> Expression | None:
    """A user task's name with ``${...}`` in it; in Camunda 8 a name is only a name."""
    if element.settings.camunda_8 or not is_template(element.name):
        return None
    return compile_value(element.name)


class ServiceTask(Activity):
    """Work for a handler: a pure one at once, others through a job."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        self.topic = Name("topic", element.settings.topic or "")
        self.retry_delays_s = retry_delays_s(element.settings)

    def prepare(self, token: Token) -> dict[str, Any]:
        topic = self.topic.of(token)
        found: dict[str, Any] = {} if topic == self.topic.text else {"topic": topic}
        if self.job_priority is not None and (first := self.job_priority.of(token)):
            found["job_priority"] = first
        return found

    def topic_of(self, token: Token) -> str:
        topic: str = token.internal_data.get("topic", self.topic.text)
        return topic

    def perform(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        topic = self.topic_of(token)
        handler = run.around.pure.get(topic)
        if handler is None:
            return None
        inputs = self.given(token)
        if inputs is None:
            inputs = dict(scope.visible(token))
        try:
            results = json_object(handler(deepcopy(inputs)) or {})
        except Exception as failure:
            code = getattr(failure, "code", None) or type(failure).__name__
            if not isinstance(failure, BusinessError):
                log.warning("handler %s failed", topic, exc_info=True)
            if self.throw_error(token, code, str(failure)):
                return None
            raise ExpressionFailed(f"{topic}: {code}: {failure}") from failure
        self.keep(token, results)
        return True

    def wait(self, token: Token) -> Wait | None:
        inputs = self.given(token)
        facts, topic = self.wait_facts(token), self.topic_of(token)
        priority = token.internal_data.get("job_priority", 0)
        return JobWait(*facts, topic, inputs, self.retry_delays_s, priority)

    def given(self, token: Token) -> Variables | None:
        """What the handler sees: its inputs, in Camunda 8 everything; None: all."""
        if self.maps_in and not self._element.settings.camunda_8:
            return token.data
        return scope.local_view(token)


def json_object(results: Any) -> Variables:
    """What a handler gave, if it can be kept as variables. TypeError."""
    if not isinstance(results, dict):
        raise TypeError(f"a handler gives a dict of variables, not {results!r}")
    json.dumps(results, allow_nan=False)
    return results


class ScriptTask(Activity):
    """A few assignments, evaluated in the step."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        expression = element.settings.expression
        self.value = None if expression is None else compile_value(expression)
        if self.value is None:
            self.script = compile_script(element.script or "")

    def perform(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        if self.value is not None:
            name = self._element.settings.result_variable or ""
            self.keep(token, {name: evaluate(self.value, token)})
            return True
        values = self.script.run(scope.visible(token), now=run.around.now)
        self.keep(token, values)
        return True


class RuleTask(Activity):
    """A decision table, evaluated in the step."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        self.decision = Name("decision", element.settings.decision or "")

    def perform(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        settings = self._element.settings
        key = self.decision.of(token)
        around, binding = run.around, settings.binding
        decision = around.decision(key, binding) if around.decision else None
        if decision is None:
            which = f" in version {binding}" if binding.isdigit() else ""
            raise ExpressionFailed(f"No decision {key!r} is deployed{which}.")
        result = decision.decide(
            scope.visible(token),
            now=around.now,
            others=around.decision,
            standard=around.standard_feel or None,
        )
        every = [
            {"decision": one, "rules": list(rules), "inputs": asked}
            if (asked := result.inputs.get(one))
            else {"decision": one, "rules": list(rules)}
            for one, rules in result.fired
        ]
        run.note("decided", token, decision=key, rules=list(result.rules), tables=every)
        shape = settings.decision_result
        as_in_dmn = shape == AS_IN_DMN
        value = result.value if as_in_dmn else shaped(result.outputs, shape, key)
        self.keep(token, {settings.result_variable or key: value})
        return True


def shaped(outputs: Any, shape: str | None, key: str) -> Any:
    """A decision's result in the form that ``mapDecisionResult`` asks for."""
    rows = outputs if isinstance(outputs, list) else [outputs]
    rows = [] if outputs is None else rows
    if shape in ("singleEntry", "singleResult"):
        if len(rows) > 1:
            raise ExpressionFailed(f"The decision {key!r} gives several results.")
        if not rows:
            return None
        if shape == "singleResult":
            return rows[0]
        if isinstance(rows[0], dict):
            if len(rows[0]) != 1:
                raise ExpressionFailed(f"The decision {key!r} gives several values.")
            return next(iter(rows[0].values()))
        return rows[0]
    if shape == "collectEntries":
        return [next(iter(r.values())) if isinstance(r, dict) else r for r in rows]
    return rows


class SubProcess(Activity):
    """Its own scope; done when the last token inside is gone."""

    start: str

    def perform(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        run.listen(token)
        # An operator's move enters it at other elements, which may be nested.
        places = token.internal_data.pop("begin_at", None) or {self.start: {}}
        for name, inner in places.items():
            within = {"begin_at": inner} if inner else {}
            run.place(self._wf_spec.task_specs[name], token, **within)
        return None
