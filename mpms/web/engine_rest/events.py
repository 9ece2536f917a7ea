"""Messages and signals from outside."""

from __future__ import annotations

from typing import Any

from flask import Response

from mpms.domain.errors import NobodyWaits, SeveralWait
from mpms.services.messages.broadcast_signal import broadcast_signal
from mpms.services.messages.correlate import correlate_message
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import RequestInvalid, answer, done
from mpms.web.engine_rest.fetching import Id
from mpms.web.engine_rest.process_instances import instance_shape, known
from mpms.web.engine_rest.routes import Asked, offered, read_body
from mpms.web.engine_rest.values import read_all


class Message(Asked):
    message_name: Id
    business_key: str | None = None
    process_instance_id: str | None = None
    correlation_keys: dict[str, Any] | None = None
    process_variables: dict[str, Any] | None = None
    result_enabled: bool = False
    without_tenant_id: bool = False  # nothing here has a tenant


class Signal(Asked):
    name: Id
    variables: dict[str, Any] | None = None
    without_tenant_id: bool = False


@offered("POST", "/message")
def message(call: Call) -> Response:
    """RequestInvalid, NobodyWaits, SeveralWait, VariableTooLarge."""
    asked, desk = read_body(Message), call.desk
    named = _instance(call, asked)
    found = correlate_message(
        desk.uow,
        desk.advance,
        asked.message_name,
        correlation=None if named else _key(asked),
        business_key=asked.business_key,
        instance_id=named or asked.process_instance_id,
        variables=read_all(asked.process_variables, "processVariables"),
        by=call.by,
    )
    if not asked.result_enabled:
        return done()
    started = found.outcome == "started"
    ident = str(found.instance_id)
    execution = {
        "id": ident,
        "processInstanceId": ident,
        "ended": False,
        "tenantId": None,
    }
    shown = {
        "resultType": "ProcessDefinition" if started else "Execution",
        "execution": None if started else execution,
        "processInstance": instance_shape(known(call, ident)) if started else None,
        "variables": None,
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


def _instance(call: Call, asked: Message) -> str | None:
    """The one that waits and whose variables are the keys, as Camunda 7 finds it;
    None if its event must be found by a key of its own. SeveralWait."""
    keys = read_all(asked.correlation_keys, "correlationKeys")
    if not keys or asked.process_instance_id is not None:
        return None
    with call.desk.uow() as tx:
        found = tx.listings.waiting(
            asked.message_name, keys, business_key=asked.business_key
        )
    if len(found) > 1:
        raise SeveralWait(
            f"The message '{asked.message_name}' fits several instances:"
            f" {', '.join(found)}. Nobody got it."
        )
    return found[0] if found else None


def _key(asked: Message) -> str | None:
    """What the waiting event's own key is compared with; it has one."""
    keys = list(read_all(asked.correlation_keys, "correlationKeys").values())
    if len(keys) > 1:
        raise NobodyWaits(
            f"No instance that waits for the message '{asked.message_name}' has all"
            f" these variables: {', '.join(asked.correlation_keys or ())}."
        )
    if not keys or keys[0] is None:
        return None
    if isinstance(keys[0], bool | dict | list):
        raise RequestInvalid(
            "The entry of 'correlationKeys' is neither text nor number."
        )
    return str(keys[0])
