"""Gateways. Joins count what came on each flow, so they are right inside loops."""

from __future__ import annotations

from typing import Any

from SpiffWorkflow.util.task import TaskState

from mpms.domain.errors import ExpressionFailed
from mpms.engine import scope
from mpms.engine.expressions import compile_condition
from mpms.engine.model import Element
from mpms.engine.nodes.base import Node, Way, is_true
from mpms.engine.tokens import Token, Tokens

WAITING_FOR_START = "waitingForStart"
"""What conditions behind a complex gateway see: false when it begins anew."""


class ExclusiveGateway(Node):
    """The first flow whose condition holds, else the default."""

    def choose(self, token: Token) -> list[Way]:
        for way in self.ways:
            if not way.default and (
                way.condition is None or is_true(way.condition, token)
            ):
                return [way]
        for way in self.ways:
            if way.default:
                return [way]
        raise ExpressionFailed(
            f"No way leads on from {self._element.name or self._element.id!r}:"
            " no condition is true and there is no default flow."
        )


class Join(Node):
    """Keeps one waiting token a scope, with the number of arrivals on each flow."""

    def arrive(self, flow: str, scope_token: Token) -> None:
        run: Tokens = scope_token.workflow
        if len(self._element.incoming) < 2:
            run.place(self, scope_token, via=flow)
            return
        waiting = next(
            (
                t
                for t in scope_token.children
                if t.task_spec is self and t._state == TaskState.WAITING
            ),
            None,
        )
        if waiting is None:
            waiting = Token(run, self, scope_token, state=TaskState.WAITING)
            waiting.internal_data["arrived"] = {}
        arrived = waiting.internal_data["arrived"]
        arrived[flow] = arrived.get(flow, 0) + 1
        run.note("entered", waiting, via=flow)

    def consume(self, token: Token, flows: list[str]) -> None:
        """Take one arrival of each flow and let one token through."""
        run: Tokens = token.workflow
        arrived = token.internal_data["arrived"]
        for flow in flows:
            arrived[flow] -= 1
            if not arrived[flow]:
                del arrived[flow]
        if arrived:
            passing = Token(run, self, token.parent, state=TaskState.READY)
            run.note("entered", passing)
        else:
            passing = token
            passing.internal_data.pop("arrived")
            passing._set_state(TaskState.READY)
        run.ready.append(passing)


class ParallelGateway(Join):
    """Waits for one token on every incoming flow; sends one along every outgoing."""

    def fire_if_complete(self, token: Token) -> bool:
        arrived = token.internal_data["arrived"]
        if not all(flow in arrived for flow in self._element.incoming):
            return False
        self.consume(token, list(self._element.incoming))
        return True

    def choose(self, token: Token) -> list[Way]:
        return self.ways


class InclusiveGateway(Join):
    """Waits as long as another token can still reach an empty incoming flow.

    That is BPMN's rule: a token counts as still to come if it has a path to an empty
    incoming flow and none to a flow that already holds a token, the paths not going
    through this gateway.
    """

    reach: dict[str, frozenset[str]]  # element -> flows it can reach, filled by build

    def fire_if_complete(self, token: Token) -> bool:
        arrived = set(token.internal_data["arrived"])
        empty = set(self._element.incoming) - arrived
        if empty:
            for other in token.parent.children:
                if other is token or "on" in other.internal_data:
                    continue
                flows = self.reach.get(other.task_spec.position, frozenset())
                if flows & empty and not flows & arrived:
                    return False
        self.consume(token, sorted(arrived))
        return True

    def choose(self, token: Token) -> list[Way]:
        if len(self.ways) == 1 and self.ways[0].condition is None:
            return self.ways
        chosen = [
            w
            for w in self.ways
            if not w.default and (w.condition is None or is_true(w.condition, token))
        ]
        chosen = chosen or [w for w in self.ways if w.default]
        if not chosen:
            raise ExpressionFailed(
                f"No way leads on from {self._element.name or self._element.id!r}:"
                " no condition is true and there is no default flow."
            )
        return chosen


class ComplexGateway(InclusiveGateway):
    """Goes on as soon as its activation condition is true, once for all that come.

    The condition sees ``activationCount``, the tokens that have come, and how many
    came on each flow under the flow's id. What comes later is taken and told in the
    history, until nothing more can come: then it begins anew. As BPMN has it, those
    flows whose conditions ask for ``waitingForStart`` are looked at once more then.
    """

    def __init__(self, wf_spec: Any, element: Element, name: str | None = None) -> None:
        super().__init__(wf_spec, element, name)
        text = element.activation
        self.activation = None if text is None else compile_condition(text)

    def arrive(self, flow: str, scope_token: Token) -> None:
        super().arrive(flow, scope_token)
        run: Tokens = scope_token.workflow
        for token in scope_token.children:
            if token.task_spec is self and "reset" in token.internal_data:
                run.note("came late", token, via=flow)

    def choose(self, token: Token) -> list[Way]:
        starting, asking = "resetting" not in token.internal_data, self._asking()
        if asking:
            scope.write_local(token, {WAITING_FOR_START: starting})
        if starting:
            return super().choose(token)
        return [w for w in asking if w.condition and is_true(w.condition, token)]

    def _asking(self) -> list[Way]:
        """The flows that may be taken again when the gateway begins anew."""
        return [
            w
            for w in self.ways
            if w.condition and WAITING_FOR_START in w.condition.names
        ]

    def fire_if_complete(self, token: Token) -> bool:
        arrived = token.internal_data["arrived"]
        if "reset" in token.internal_data:
            if self._more_may_come(token):
                return False
            run: Tokens = token.workflow
            if self._asking():
                token.internal_data["resetting"] = True
                token._set_state(TaskState.READY)
                run.ready.append(token)
                return True
            run.take(token)
            run.close_scope_if_empty(token.parent)
            return True
        if not self._activated(token, arrived):
            return False
        run = token.workflow
        passing = Token(run, self, token.parent, state=TaskState.READY)
        run.note("entered", passing)
        run.ready.append(passing)
        token.internal_data["reset"] = True
        return True

    def _activated(self, token: Token, arrived: dict[str, int]) -> bool:
        if self.activation is None:
            return False
        counts = {flow: arrived.get(flow, 0) for flow in self._element.incoming}
        seen: dict[str, Any] = {"activationCount": sum(arrived.values()), **counts}
        run: Tokens = token.workflow
        around = run.around
        try:
            return bool(
                self.activation.holds(
                    {**scope.visible(token), **seen},
                    now=around.now,
                    standard=around.standard_feel,
                )
            )
        except ExpressionFailed as failure:
            run.get_stuck(token, "joining", str(failure))
            return False

    def _more_may_come(self, token: Token) -> bool:
        empty = set(self._element.incoming) - set(token.internal_data["arrived"])
        return any(
            self.reach.get(other.task_spec.position, frozenset()) & empty
            for other in token.parent.children
            if other is not token and "on" not in other.internal_data
        )


class EventGateway(Node):
    """Opens all its events; the first that happens wins and the others go."""

    def _run_hook(self, token: Token) -> bool | None:
        run: Tokens = token.workflow
        for way in self.ways:
            if way.told is not None:
                way.told.run(token, "take")
            run.place(self._wf_spec.task_specs[way.target], token, via=way.flow)
        return None

    def won(self, token: Token, event: Token) -> Token:
        """Close the other events; the winner goes on in the gateway's own scope."""
        run: Tokens = token.workflow
        scope_token: Token = token.parent
        for other in list(token.children):
            if other is not event:
                run.note("cancelled", other)
                run.take(other)
        token._children.remove(event.id)
        event.parent = scope_token
        scope_token._children.append(event.id)
        run.note("left", token)
        run.take(token)
        return scope_token
