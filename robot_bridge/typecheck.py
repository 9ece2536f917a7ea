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


@dataclass(slots=True)
class TypeCheck:
    topics: dict[str, str]
    services: dict[str, str]
    timeout_s: float
    asked_at: float | None = None
    open: dict[str, tuple[str, str]] = field(default_factory=dict)

    def start(self, now_s: float, next_id: Callable[[], str]) -> list[Frame]:
        self.asked_at = now_s
        self.open.clear()
        frames: list[Frame] = []
        for kind, names in (("topic", self.topics), ("service", self.services)):
            for name in names:
                ident = next_id()
                self.open[ident] = (kind, name)
                frames.append(
                    messages.call_service(f"/rosapi/{kind}_type", ident, {kind: name})
                )
        return frames

    @property
    def done(self) -> bool:
        return not self.open

    def answer(self, ident: str, ok: bool, values: Any) -> Finding | None:
        kind, name = self.open.pop(ident)
        wanted = (self.topics if kind == "topic" else self.services)[name]
        found = values.get("type") if isinstance(values, dict) else None
        if not ok or not isinstance(found, str):
            return ("rosapi_refused", name, f"rosapi refused to name {name}: {values}")
        if not found:
            return (f"unknown_{kind}", name, f"the robot has no {kind} {name}")
        if not messages.same_type(found, wanted):
            text = f"{name} has type {found}, the profile says {wanted}"
            return ("wrong_type", name, text)
        return None

    def expire(self, now_s: float) -> Finding | None:
        """Give up on answers that did not come; one finding for all of them."""
        if not self.open or self.asked_at is None:
            return None
        if now_s - self.asked_at < self.timeout_s:
            return None
        names = ", ".join(sorted(name for _, name in self.open.values()))
        self.open.clear()
        return ("rosapi_silent", "/rosapi", f"rosapi did not answer for {names}")
