"""Ad-hoc subprocesses: which of the activities inside run is decided on the way.

A collection of ids says it (Camunda 8), or people do: then a form waits in the scope
as long as something may be chosen. The scope ends when nothing is left in it, or when
its completion condition is true after something inside has been left.
"""

from __future__ import annotations

from typing import Any

from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import ExpressionFailed
from mpms.domain.instances.steps import FormWait, Variables, Wait
from mpms.engine.expressions import Expression, compile_condition, compile_value
from mpms.engine.model import AdHoc, Element
from mpms.engine.nodes.activities import SubProcess
from mpms.engine.nodes.base import Node, evaluate, is_true
from mpms.engine.reading.inner_forms import NEXT, NOTHING_MORE
from mpms.engine.tokens import Token, Tokens


def choice_name(element_id: str) -> str:
    return f"{element_id}#choice"


class AdHocSubProcess(SubProcess):
    """The scope."""

    is_ad_hoc = True
    startable: tuple[str, ...] = ()  # activities that no flow leads to; set by build

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        self.ad_hoc = element.ad_hoc or AdHoc()
        active, completion = self.ad_hoc.active, self.ad_hoc.completion
        self.active: Expression | None = (active and compile_value(active)) or None
        self.completion = compile_condition(completion) if completion else None
        if choice_name(element.id) not in wf_spec.task_specs:
            AdHocChoice(wf_spec, element)

    def prepare(self, token: Token) -> dict[str, Any]:
        if self.active is None:
            return {}
        found = evaluate(self.active, token)
        if not isinstance(found, list):
            raise ExpressionFailed(f"Active elements must be a list, not {found!r}.")
        unknown = [str(id_) for id_ in found if id_ not in self.startable]
        if unknown:
            raise ExpressionFailed(
                f"There is no activity {', '.join(unknown)} to begin here."
            )
        return {"active": found}

    def perform(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        run.listen(token)
        moved = token.internal_data.pop("begin_at", None)
        active = token.internal_data.pop("active", None)
        if moved is None and active is None:
            self.offer(token)
            return None
        names: dict[str, Any] = moved or dict.fromkeys(active or ())
        if not names:
            return True
        for name, inner in names.items():
            within = {"begin_at": inner} if inner else {}
            run.place(self._wf_spec.task_specs[name], token, **within)
        return None

    def offer(self, token: Token) -> None:
        """Let people choose what comes next."""
        run: Tokens = token.workflow
        run.place(self._wf_spec.task_specs[choice_name(self._element.id)], token)

    def choices(self, token: Token) -> list[Token]:
        return [t for t in token.children if isinstance(t.task_spec, AdHocChoice)]

    def chosen(self, token: Token, name: str) -> None:
        run: Tokens = token.workflow
        run.place(self._wf_spec.task_specs[name], token)
        if not self.ad_hoc.one_at_a_time:
            self.offer(token)

    def one_left(self, token: Token) -> None:
        """Something inside has been left: is it enough?"""
        run: Tokens = token.workflow
        if self.completion is not None and is_true(self.completion, token):
            if self.ad_hoc.cancels_remaining:
                run.cancel_inside(token)
            for choice in self.choices(token):
                run.cancel_token(choice)
            token.internal_data["enough"] = True
        enough = "enough" in token.internal_data
        by_people = self.active is None and self.ad_hoc.one_at_a_time
        if by_people and not enough and run.is_empty(token):
            self.offer(token)

    def fire_if_complete(self, token: Token) -> bool:
        """An operator has corrected what the condition reads."""
        run: Tokens = token.workflow
        token._set_state(TaskState.STARTED)
        run.close_scope_if_empty(token)
        return True


class AdHocChoice(Node):
    """Waits for a person's choice of the next activity."""

    def __init__(self, wf_spec: Any, element: Element) -> None:
        super().__init__(wf_spec, element, choice_name(element.id))

    def _run_hook(self, token: Token) -> bool | None:
        return None

    def wait(self, token: Token) -> Wait | None:
        element = self._element
        groups = element.settings.candidate_groups
        if not groups and element.lane:
            groups = (element.lane.casefold(),)
        facts = self.wait_facts(token)
        return FormWait(*facts, element.choice_form, None, groups, {})

    def accept(self, token: Token, answers: Variables) -> None:
        run: Tokens = token.workflow
        scope_token: Token = token.parent
        name = answers.get(NEXT)
        scope_node = scope_token.task_spec
        if name != NOTHING_MORE and name not in scope_node.startable:
            raise ExpressionFailed(f"There is no activity {name!r} to begin here.")
        run.note("left", token)
        run.take(token)
        if name == NOTHING_MORE:
            scope_token.internal_data["enough"] = True
            run.close_scope_if_empty(scope_token)
        else:
            scope_node.chosen(scope_token, name)
