"""Messages and signals from outside."""

from __future__ import annotations

from flask import Response
from pydantic import Field

from mpms.services.messages.broadcast_signal import broadcast_signal
from mpms.services.messages.correlate import correlate_message
from mpms.services.messages.publish import publish_message
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import answer
from mpms.web.camunda8.keys import Kind, key_of
from mpms.web.camunda8.routes import (
    TENANT,
    Asked,
    Id,
    Tenant,
    Variables,
    offered,
    read_body,
)
from mpms.web.engine_rest.fetching import LONGEST_MS


class Correlate(Asked):
    name: Id
    correlation_key: str = ""
    variables: Variables | None = None
    tenant_id: Tenant | None = None


class Publish(Correlate):
    time_to_live: int = Field(default=0, ge=0, le=LONGEST_MS)
    message_id: str | None = None


class Broadcast(Asked):
    signal_name: Id
    variables: Variables | None = None
    tenant_id: Tenant | None = None


@offered("POST", "/messages/publication")
def publish(call: Call) -> Response:
    """AlreadyPublished, VariableTooLarge."""
    asked, desk = read_body(Publish), call.desk
    publish_message(
        desk.uow,
        desk.advance,
        asked.name,
        correlation=asked.correlation_key or None,
        variables=asked.variables,
        message_id=asked.message_id,
        keep_s=asked.time_to_live / 1000,
        by=call.by,
    )
    return answer({"messageKey": _loose(call, Kind.MESSAGE), "tenantId": TENANT})


@offered("POST", "/messages/correlation")
def correlate(call: Call) -> Response:
    """NobodyWaits, SeveralWait, VariableTooLarge."""
    asked, desk = read_body(Correlate), call.desk
    found = correlate_message(
        desk.uow,
        desk.advance,
        asked.name,
        correlation=asked.correlation_key or None,
        variables=asked.variables,
        by=call.by,
    )
    with desk.uow() as tx:
        instance = tx.numbered.instance_number(str(found.instance_id))
    shown = {
        "messageKey": _loose(call, Kind.MESSAGE),
        "processInstanceKey": key_of(Kind.INSTANCE, instance),
        "tenantId": TENANT,
    }
    return answer(shown)


@offered("POST", "/signals/broadcast")
def broadcast(call: Call) -> Response:
    """VariableTooLarge."""
    asked, desk = read_body(Broadcast), call.desk
    broadcast_signal(
        desk.uow,
        desk.advance,
        asked.signal_name,
        variables=asked.variables,
        by=call.by,
    )
    return answer({"signalKey": _loose(call, Kind.SIGNAL), "tenantId": TENANT})


def _loose(call: Call, kind: Kind) -> str:
    with call.desk.uow() as tx:
        return key_of(kind, tx.numbered.loose())
