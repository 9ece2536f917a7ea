"""Listeners of Camunda 8: jobs that are done before an activity begins, or after it.

Each is a token of its own inside the activity, so that its job has a key of its own.
They are done one after the other; what they give belongs to the activity at its start,
and goes to the instance at its end.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mpms.domain.instances.steps import JobWait, Variables, Wait
from mpms.engine import scope
from mpms.engine.model import Element, Listener, Settings
from mpms.engine.nodes.base import Name, Node
from mpms.engine.nodes.retries import retry_delays_s
from mpms.engine.tokens import Token, Tokens


def listener_names(element: Element, event: str, role: str) -> list[str]:
    return [
        f"{element.id}#{role}_{event}_{number}"
        for number, listener in enumerate(element.settings.listeners)
        if listener.event == event
    ]


class ListenerJob(Node):
    """The job of one listener."""

    def __init__(self, wf_spec: Any, element: Element, name: str, of: Listener) -> None:
        super().__init__(wf_spec, element, name)
        self.topic = Name("topic", of.topic)
        settings = replace(Settings(), attempts=of.attempts)
        self.retry_delays_s = retry_delays_s(settings)

    def _run_hook(self, token: Token) -> bool | None:
        token.internal_data["topic"] = self.topic.of(token)
        return None

    def wait(self, token: Token) -> Wait | None:
        facts, topic = self.wait_facts(token), token.internal_data["topic"]
        return JobWait(*facts, topic, scope.local_view(token), self.retry_delays_s)

    def accept(self, token: Token, results: Variables) -> None:
        run: Tokens = token.workflow
        activity: Token = token.parent
        run.note("left", token)
        run.take(token)
        activity.task_spec.heard(activity, results)
