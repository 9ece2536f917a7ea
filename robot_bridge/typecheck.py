"""Asks rosapi on every connect whether the configured names exist.

rosbridge says nothing when a topic or a type is wrong: the subscription is simply
never served. The only way to tell a misconfigured robot from a silent one is to
ask for every type beforehand and to report the unknown ones by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from robot_bridge import messages
from robot_bridge.messages import Frame

Finding = tuple[str, str, str]
"""kind, name, text of a problem"""

AGAIN_S = 5.0
BLOCKING = "/rosbridge_websocket:send_action_goals_in_new_thread"


@dataclass(slots=True)
class TypeCheck:
    topics: dict[str, str]
    services: dict[str, str]
    timeout_s: float
    asked_at: float | None = None
    open: dict[str, tuple[str, str]] = field(default_factory=dict)
    actions: dict[str, str] = field(default_factory=dict)
    spoken: frozenset[str] = frozenset()
    """Topics that the robot must speak on: whoever listens makes a name exist, too."""
    missing: set[str] = field(default_factory=set)
    """Actions that nobody offers now."""
    absent: set[str] = field(default_factory=set)
    again_at: float = 0.0

    def start(self, now_s: float, next_id: Callable[[], str]) -> list[Frame]:
        self.asked_at = now_s
        self.open.clear()
        self.missing.clear()
        self.absent.clear()
        self.again_at = now_s + AGAIN_S
        frames: list[Frame] = []
        for kind, names in (("topic", self.topics), ("service", self.services)):
            for name in names:
                ident = next_id()
                self.open[ident] = (kind, name)
                frames.append(
                    messages.call_service(f"/rosapi/{kind}_type", ident, {kind: name})
                )
        for name in sorted(self.spoken & self.topics.keys()):
            ident = next_id()
            self.open[ident] = ("publishers", name)
            args = {"topic": name}
            frames.append(messages.call_service("/rosapi/publishers", ident, args))
        if self.actions:
            frames += self._ask_actions(next_id)
            ident = next_id()
            self.open[ident] = ("setting", BLOCKING)
            args = {"name": BLOCKING, "default": ""}
            frames.append(messages.call_service("/rosapi/get_param", ident, args))
        return frames

    def ask_again(self, now_s: float, next_id: Callable[[], str]) -> list[Frame]:
        """For actions that were missing: a navigation node starts late or anew."""
        if not self.missing or now_s < self.again_at or self.open:
            return []
        self.again_at = now_s + AGAIN_S
        self.asked_at = now_s
        return self._ask_actions(next_id)

    def _ask_actions(self, next_id: Callable[[], str]) -> list[Frame]:
        ident = next_id()
        self.open[ident] = ("actions", "/rosapi/action_servers")
        return [messages.call_service("/rosapi/action_servers", ident, {})]

    @property
    def done(self) -> bool:
        return not self.open

    def answer(self, ident: str, ok: bool, values: Any) -> Finding | None:
        kind, name = self.open.pop(ident)
        if kind == "actions":
            return self._found_actions(ok, values)
        if kind == "setting":
            return _found_setting(ok, values)
        if kind == "publishers":
            found = values.get("publishers") if isinstance(values, dict) else None
            if ok and found == [] and name not in self.absent:
                text = f"the robot has no topic {name}, others only listen to it"
                return ("unknown_topic", name, text)
            return None
        wanted = (self.topics if kind == "topic" else self.services)[name]
        found = values.get("type") if isinstance(values, dict) else None
        if not ok or not isinstance(found, str):
            return ("rosapi_refused", name, f"rosapi refused to name {name}: {values}")
        if not found:
            self.absent.add(name)
            return (f"unknown_{kind}", name, f"the robot has no {kind} {name}")
        if not messages.same_type(found, wanted):
            text = f"{name} has type {found}, the profile says {wanted}"
            return ("wrong_type", name, text)
        return None

    def _found_actions(self, ok: bool, values: Any) -> Finding | None:
        found = values.get("action_servers") if isinstance(values, dict) else None
        if not ok or not isinstance(found, list):
            return ("rosapi_refused", "/rosapi/action_servers", f"rosapi: {values}")
        self.missing = {name for name in self.actions if name not in found}
        if not self.missing:
            return None
        name = min(self.missing)
        others = ", ".join(sorted(set(map(str, found)))[:5]) or "none"
        text = f"the robot has no action {name}; it offers {others}"
        return ("unknown_action", name, text)

    def expire(self, now_s: float) -> Finding | None:
        """Give up on answers that did not come; one finding for all of them."""
        if not self.open or self.asked_at is None:
            return None
        if now_s - self.asked_at < self.timeout_s:
            return None
        names = ", ".join(sorted(name for _, name in self.open.values()))
        self.open.clear()
        return ("rosapi_silent", "/rosapi", f"rosapi did not answer for {names}")


def _found_setting(ok: bool, values: Any) -> Finding | None:
    """Servers before 2025 do not have it and block as well."""
    value = values.get("value") if ok and isinstance(values, dict) else None
    if not isinstance(value, str) or value.strip('"').lower() == "true":
        return None
    text = (
        "rosbridge reads nothing from a connection while a goal of it is driven: "
        "send_action_goals_in_new_thread is not true. MPMS therefore sends goals over "
        "a connection of their own and cancels over another; start rosbridge with "
        "send_action_goals_in_new_thread:=true, so that other clients can cancel, too"
    )
    return ("goals_block", "send_action_goals_in_new_thread", text)
