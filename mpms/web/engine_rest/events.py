"""Messages and signals from outside."""

from __future__ import annotations

from typing import Any

from flask import Response

from mpms.services.broadcast_signal import broadcast_signal
from mpms.services.correlate_message import correlate_message
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import RequestInvalid, answer, done
from mpms.web.engine_rest.fetching import Id
from mpms.web.engine_rest.routes import Asked, offered, read_body
from mpms.web.engine_rest.values import read_all


class Message(Asked):
    message_name: Id
    business_key: str | None = None
    process_instance_id: str | None = None
    correlation_keys: dict[str, Any] | None = None
    process_variables: dict[str, Any] | None = None
    result_enabled: bool = False


class Signal(Asked):
    name: Id
    variables: dict[str, Any] | None = None


@offered("POST", "/message")
def message(call: Call) -> Response:
    """RequestInvalid, NobodyWaits, SeveralWait, VariableTooLarge."""
    asked, desk = read_body(Message), call.desk
    found = correlate_message(
        desk.uow,
        desk.advance,
        asked.message_name,
        correlation=_key(asked),
        business_key=asked.business_key,
        instance_id=asked.process_instance_id,
        variables=read_all(asked.process_variables, "processVariables"),
        by=call.by,
    )
    if not asked.result_enabled:
        return done()
    started = found.outcome == "started"
    shown = {
        "resultType": "ProcessDefinition" if started else "Execution",
        "execution": None
        if started
        else {"id": found.instance_id, "processInstanceId": found.instance_id},
        "processInstance": {"id": found.instance_id} if started else None,
    }
    return answer([shown])


@offered("POST", "/signal")
def signal(call: Call) -> Response:
    """VariableTooLarge."""
    asked, desk = read_body(Signal), call.desk
    broadcast_signal(
        desk.uow,
        desk.advance,
        asked.name,
        variables=read_all(asked.variables),
        by=call.by,
    )
    return done()


def _key(asked: Message) -> str | None:
    """What the waiting event's own key is compared with; it has one."""
    keys = list(read_all(asked.correlation_keys, "correlationKeys").values())
    if len(keys) > 1:
        raise RequestInvalid(
            "'correlationKeys' has several entries; an event here waits with one key."
        )
    if not keys or keys[0] is None:
        return None
    if isinstance(keys[0], bool | dict | list):
        raise RequestInvalid(
            "The entry of 'correlationKeys' is neither text nor number."
        )
    return str(keys[0])
