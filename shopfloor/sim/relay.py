"""ROS 2 action operations of one connection.

A goal goes to whoever offers the action: a simulated robot, or another client
that advertised it. As on the real server, goal ids are shared by all clients:
whoever knows an id may cancel it, and sending an id again starts a new goal.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shopfloor.sim.framing import Operation
from shopfloor.sim.graph import GraphRefused, OnFeedback, OnResult, resolve
from shopfloor.sim.message_types import Message

if TYPE_CHECKING:
    from shopfloor.sim.session import Session

UNKNOWN = 0
SUCCEEDED = 4


@dataclass(frozen=True)
class _Forwarded:
    goal_id: str
    action: str
    on_feedback: OnFeedback
    on_result: OnResult


class ActionRelay:
    def __init__(self, session: "Session") -> None:
        self._session = session
        self._graph = session.graph
        self._offered: dict[str, _ClientAction] = {}
        self.forwarded: dict[str, _Forwarded] = {}
        self.operations: dict[str, Callable[[Operation], None]] = {
            "advertise_action": self._advertise,
            "unadvertise_action": self._unadvertise,
            "send_action_goal": self._send_goal,
            "cancel_action_goal": self._cancel_goal,
            "action_feedback": self._feedback,
            "action_result": self._result,
        }

    def close(self) -> None:
        for name in list(self._offered):
            self._withdraw(name)

    def _advertise(self, operation: Operation) -> None:
        given = _text(operation, "action")
        name = resolve(given)
        kind = self._graph.registry.canonical(_text(operation, "type"), "action")
        if name in self._graph.actions and name not in self._offered:
            raise GraphRefused(f"{name} is already offered")
        action = _ClientAction(self._session, self, given, kind)
        self._offered[name] = action
        self._graph.actions[name] = action

    def _unadvertise(self, operation: Operation) -> None:
        name = resolve(_text(operation, "action"))
        if name not in self._offered:
            raise GraphRefused(f"{name} is not offered by this connection")
        self._withdraw(name)

    def _withdraw(self, name: str) -> None:
        action = self._offered.pop(name)
        self._graph.actions.pop(name, None)
        for key, goal in list(self.forwarded.items()):
            if goal.action == action.given:
                del self.forwarded[key]
                goal.on_result(False, UNKNOWN, f"Action {name} was unadvertised")

    def _send_goal(self, operation: Operation) -> None:
        given = _text(operation, "action")
        name = resolve(given)
        goal_id = operation.get("id")
        wants_feedback = bool(operation.get("feedback", False))

        def reply(op: str, facts: Message) -> None:
            message: Message = {"op": op, "action": given, **facts}
            if goal_id is not None:
                message["id"] = goal_id
            self._session.send(message)

        def on_feedback(values: Message) -> None:
            if wants_feedback:
                reply("action_feedback", {"values": values})

        ended = False

        def on_result(result: bool, status: int, values: Any) -> None:
            nonlocal ended
            ended = True
            self._graph.goals_by_client_id.pop(str(goal_id), None)
            if not result and not self._graph.answers_refusals:
                return  # its connection stays busy, if it was
            reply(
                "action_result", {"values": values, "status": status, "result": result}
            )
            self._session.unblock(str(goal_id))

        if self._graph.goals_block:
            self._session.block(str(goal_id))
        provider = self._graph.actions.get(name)
        if provider is None:
            on_result(False, UNKNOWN, f"Action {name} does not exist")
            return
        kind = self._graph.registry.actions[provider.type]
        args = operation.get("args") or {}
        if isinstance(args, list):
            names = (field.name for field in kind.goal)
            args = dict(zip(names, args, strict=False))
        try:
            asked = self._graph.registry.canonical(
                _text(operation, "action_type"), "action"
            )
            if asked != provider.type:
                raise GraphRefused(f"{name} is {provider.type}, not {asked}")
            goal = self._graph.registry.complete_fields(
                f"{provider.type}Goal", kind.goal, args, self._graph.clock.now()
            )
        except ValueError as error:
            facts = {"values": str(error), "status": UNKNOWN, "result": False}
            reply("action_result", facts)
            self._session.unblock(str(goal_id))
            return

        def deliver() -> None:
            handle = provider.send(str(goal_id), goal, on_feedback, on_result)
            if not ended:
                self._graph.goals_by_client_id[str(goal_id)] = (name, handle)

        self._graph.links.carry(self._graph.owner_of(name), deliver)

    def _cancel_goal(self, operation: Operation) -> None:
        _text(operation, "action")
        known = self._graph.goals_by_client_id.get(str(operation.get("id")))
        if known is None:
            raise GraphRefused(f"No goal {operation.get('id')!r} is under way")
        name, handle = known
        provider = self._graph.actions.get(name)
        if provider is not None:
            self._graph.links.carry(
                self._graph.owner_of(name), lambda: provider.cancel(handle)
            )

    def _feedback(self, operation: Operation) -> None:
        goal = self.forwarded.get(str(operation.get("id")))
        if goal is None:
            raise GraphRefused(f"No goal {operation.get('id')!r} is under way")
        goal.on_feedback(operation.get("values", {}))

    def _result(self, operation: Operation) -> None:
        goal = self.forwarded.pop(str(operation.get("id")), None)
        if goal is None:
            raise GraphRefused(f"No goal {operation.get('id')!r} is under way")
        result = bool(operation.get("result", True))
        status = int(operation.get("status", SUCCEEDED if result else UNKNOWN))
        goal.on_result(result, status, operation.get("values", {}))


class _ClientAction:
    """An action executed by the client that advertised it."""

    def __init__(
        self, session: "Session", relay: ActionRelay, given: str, kind: str
    ) -> None:
        self.type = kind
        self.node = session.node
        self.given = given
        self._session = session
        self._relay = relay

    def send(
        self, goal_id: str, goal: Message, on_feedback: OnFeedback, on_result: OnResult
    ) -> object:
        if self._session.outbox.full:
            on_result(False, UNKNOWN, f"{self.given} does not read its requests")
            return ""
        key = f"action_request:{self.given}:{self._session.next_id()}"
        self._relay.forwarded[key] = _Forwarded(
            goal_id, self.given, on_feedback, on_result
        )
        registry = self._session.graph.registry
        self._session.send(
            {
                "op": "send_action_goal",
                "id": key,
                "action": self.given,
                "action_type": registry.display(self.type, "action"),
                "args": goal,
                "feedback": True,
            }
        )
        return key

    def cancel(self, handle: object) -> None:
        if handle in self._relay.forwarded:
            self._session.send(
                {"op": "cancel_action_goal", "id": handle, "action": self.given}
            )


def _text(operation: Operation, key: str) -> str:
    value = operation.get(key)
    if not isinstance(value, str) or not value:
        raise GraphRefused(f"{key} is missing")
    return value
