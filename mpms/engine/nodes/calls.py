"""Call activities: another process as an instance of its own."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from mpms.domain.errors import ExpressionFailed
from mpms.domain.instances.steps import CallWait, Variables, Wait
from mpms.engine import scope
from mpms.engine.expressions import compile_value
from mpms.engine.model import Element
from mpms.engine.nodes.activities import Activity
from mpms.engine.nodes.base import MappedValue, Name, evaluate, mapped
from mpms.engine.nodes.escalation import told
from mpms.engine.reading.settings import SAME_BUSINESS_KEY
from mpms.engine.tokens import Token, Tokens


class CallActivity(Activity):
    """Another process as an instance of its own; only what is mapped passes."""

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        settings = element.settings
        self.called = Name("called process", element.called or "")
        self.passes = [MappedValue(m) for m in settings.call_in]
        self.returns = [MappedValue(m) for m in settings.call_out]
        key = settings.call_business_key
        self.same_business_key = key == SAME_BUSINESS_KEY
        self.business_key = None if key is None else compile_value(key)

    def prepare(self, token: Token) -> dict[str, Any]:
        run: Tokens = token.workflow
        settings = self._element.settings
        variables = dict(scope.visible(token)) if settings.call_in_all else {}
        variables |= mapped(self.passes, token)
        key: Any = None
        if self.same_business_key:
            key = run.around.business_key
        elif self.business_key is not None:
            key = evaluate(self.business_key, token)
        return {
            "call": {
                "called": self.called.of(token),
                "inputs": variables,
                "business_key": None if key is None else str(key),
            }
        }

    def perform(self, token: Token) -> bool | None:
        return None

    def accept(self, token: Token, results: Variables) -> None:
        """Keep the results until they are mapped, which may take a retry."""
        token.internal_data["returned"] = results
        token.complete()

    def map_outputs(self, token: Token) -> None:
        """Out mappings read the called process's variables, not ours."""
        returned = token.internal_data["returned"]
        values = mapped(self.returns, token, returned)
        everything = returned if self._element.settings.call_out_all else {}
        self.keep(token, {**everything, **values})
        super().map_outputs(token)

    def escalate(self, token: Token, code: str, returned: Variables) -> None:
        """The called process escalated; if it is caught here, results come along."""
        catcher = told(token, code)
        if catcher is None:
            return
        found: Variables = {}
        for value in self.returns:
            if value.variable is not None and value.variable not in returned:
                continue
            with suppress(ExpressionFailed):  # not there yet, but when it is done
                found |= mapped([value], token, returned)
        everything = returned if self._element.settings.call_out_all else {}
        self.keep(token, {**everything, **found})
        catcher.task_spec.take_over(catcher, code)

    def wait(self, token: Token) -> Wait | None:
        call = token.internal_data["call"]
        return CallWait(
            *self.wait_facts(token),
            call["called"],
            call["inputs"],
            call["business_key"],
            self._element.settings.binding,
        )
