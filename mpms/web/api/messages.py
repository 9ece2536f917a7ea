"""Messages and signals by the API: told to whoever waits for them."""

from __future__ import annotations

from pydantic import Field

from mpms.services.messages.broadcast_signal import broadcast_signal
from mpms.services.messages.correlate import correlate_message
from mpms.web.api.instances import section
from mpms.web.api.operation import Call, Given, Shape
from mpms.web.api.values import InstanceId, Name, Variables
from mpms.web.rights import LEADERS

__all__ = ["section"]


class NewMessage(Given):
    name: Name
    correlation: Name | None = None
    business_key: Name | None = None
    instance_id: InstanceId | None = None
    variables: Variables = Field(default={})
    keep: bool = Field(default=False, description="Keep it until somebody waits.")


class NewSignal(Given):
    name: Name
    variables: Variables = Field(default={})


class Correlated(Shape):
    outcome: str
    instance_id: str | None
    element: str | None


class Reached(Shape):
    reached: int


@section.post("/messages", LEADERS, fails=(404,))
def message(call: Call, body: NewMessage) -> Correlated:
    """Hand a message to the one who waits for it, or start what begins with it."""
    desk = call.desk
    done = correlate_message(
        desk.uow,
        desk.advance,
        body.name,
        correlation=body.correlation,
        business_key=body.business_key,
        instance_id=None if body.instance_id is None else str(body.instance_id),
        variables=dict(body.variables),
        keep=body.keep,
        by=call.by,
    )
    return Correlated.model_validate(done)


@section.post("/signals", LEADERS)
def signal(call: Call, body: NewSignal) -> Reached:
    """Send a signal to everybody who waits for it."""
    desk = call.desk
    reached = broadcast_signal(
        desk.uow,
        desk.advance,
        body.name,
        variables=dict(body.variables),
        by=call.by,
    )
    return Reached(reached=reached)
