"""Pause, resume and the custom actions of a profile: one message or one call each.

They are not goals: nothing lists them and nothing proves what became of them. So
each is made once, and an answer that does not come in time, or a lost link, ends
it as UNKNOWN; it is never made again by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from robot_bridge import messages
from robot_bridge.profiles import CallSpec
from robot_bridge.reports import CommandState, Ended, Output, Send


@dataclass(slots=True)
class Call:
    command_id: str
    spec: CallSpec
    args: Mapping[str, Any]
    expires_at: float
    made_at: float | None = None
    ident: str = ""


class CallDesk:
    def __init__(
        self,
        resolve: Callable[[str], str],
        next_id: Callable[[], str],
        emit: Callable[[Output], None],
        timeout_s: float,
    ) -> None:
        self._resolve = resolve
        self._next_id = next_id
        self._emit = emit
        self._timeout_s = timeout_s
        self._open: list[Call] = []

    def place(self, call: Call) -> None:
        if all(each.command_id != call.command_id for each in self._open):
            self._open.append(call)

    def drive(self, now_s: float, ready: bool) -> None:
        for call in list(self._open):
            if call.made_at is None:
                if now_s >= call.expires_at:
                    reason = "expired before it could be sent"
                    self._end(now_s, call, CommandState.EXPIRED, False, reason)
                elif ready:
                    self._make(now_s, call)
            elif now_s - call.made_at >= self._timeout_s:
                reason = f"no answer for {self._timeout_s:g} s"
                self._end(now_s, call, CommandState.UNKNOWN, False, reason)

    def _make(self, now_s: float, call: Call) -> None:
        call.made_at = now_s
        body = {**call.spec.message, **call.args}
        if call.spec.service is not None:
            call.ident = self._next_id()
            service = self._resolve(call.spec.service)
            self._emit(Send(messages.call_service(service, call.ident, body)))
            return
        topic = self._resolve(call.spec.topic or "")
        self._emit(Send(messages.publish(topic, body)))
        reason = "published; this robot does not answer"
        self._end(now_s, call, CommandState.SUCCEEDED, True, reason)

    def answer(self, now_s: float, ident: str, ok: bool, values: Any) -> None:
        for call in list(self._open):
            if call.ident and call.ident == ident:
                fields = values if isinstance(values, Mapping) else {}
                done = ok and fields.get("success", True) is not False
                state = CommandState.SUCCEEDED if done else CommandState.ABORTED
                text = values if isinstance(values, str) else fields.get("message", "")
                self._end(now_s, call, state, False, str(text or ""))

    def cancel(self, now_s: float, command_id: str) -> bool:
        """A call that was made cannot be taken back; one that waits can."""
        for call in list(self._open):
            if call.command_id == command_id:
                if call.made_at is None:
                    reason = "cancelled before start"
                    self._end(now_s, call, CommandState.CANCELLED, False, reason)
                return True
        return False

    def disconnected(self, now_s: float) -> None:
        for call in list(self._open):
            if call.made_at is not None:
                reason = "the link broke before the answer"
                self._end(now_s, call, CommandState.UNKNOWN, False, reason)

    def _end(
        self, now_s: float, call: Call, state: CommandState, inferred: bool, reason: str
    ) -> None:
        self._open.remove(call)
        self._emit(Ended(now_s, call.command_id, state, inferred, reason, None))
