"""Alerts by the API: what somebody is told of incidents, and on which devices."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mpms.domain.alerts.push_endpoints import LONGEST as LONGEST_ENDPOINT
from mpms.domain.alerts.rules import AlertWish
from mpms.ports.alerts import Subscription
from mpms.services.alerts.send import push_key
from mpms.services.alerts.subscribe import alerts_of, set_wish, subscribe, unsubscribe
from mpms.web.api.operation import Call, Given, Shape
from mpms.web.api.people import Login, section
from mpms.web.rights import ADMINS, LEADERS

__all__ = ["section"]

Endpoint = Annotated[str, Field(min_length=1, max_length=LONGEST_ENDPOINT)]
PushKey = Annotated[str, Field(min_length=1, max_length=200)]
Processes = Annotated[
    list[Annotated[str, Field(max_length=200)]], Field(max_length=500)
]


class AlertsShape(Shape):
    mail: str | None = Field(description="Where mails go; changed with the person.")
    by_mail: bool
    when_over: bool = Field(description="Also told when a cause is over.")
    processes: list[str] | None = Field(
        description="Null: all; an empty name: what belongs to no process."
    )
    devices: int = Field(description="On how many a message is shown.")


class NewWish(Given):
    by_mail: bool | None = None
    when_over: bool | None = None
    processes: Processes | None = Field(default=None, description="Null: all of them.")


class Device(Given):
    """A subscription as a browser writes it."""

    endpoint: Endpoint
    p256dh: PushKey
    auth: PushKey


class KnownDevice(Given):
    endpoint: Endpoint


class PlantKey(Shape):
    key: str | None = Field(
        description="What a browser subscribes with; null: no push."
    )


@section.get("/people/{login}/alerts", ADMINS)
def alerts(call: Call, login: Login) -> AlertsShape:
    """What somebody is told of incidents; leaders only are."""
    asked = alerts_of(call.desk.uow, login)
    wish = asked.wish
    return AlertsShape(
        mail=asked.mail,
        by_mail=wish.by_mail,
        when_over=wish.when_over,
        processes=None if wish.processes is None else list(wish.processes),
        devices=asked.devices,
    )


@section.patch("/people/{login}/alerts", ADMINS)
def choose_alerts(call: Call, login: Login, body: NewWish) -> AlertsShape:
    """Tell somebody more or less; what is not given stays."""
    old = alerts_of(call.desk.uow, login).wish
    chosen = old.processes
    if "processes" in body.model_fields_set:
        chosen = None if body.processes is None else tuple(body.processes)
    wish = AlertWish(
        old.by_mail if body.by_mail is None else body.by_mail,
        old.when_over if body.when_over is None else body.when_over,
        chosen,
    )
    set_wish(call.desk.uow, login, wish, by=call.by)
    return alerts(call, login)


@section.post("/people/{login}/alerts/devices", ADMINS)
def add_device(call: Call, login: Login, body: Device) -> AlertsShape:
    """Also tell somebody on a device."""
    alerts_of(call.desk.uow, login)
    to = Subscription(body.endpoint, body.p256dh, body.auth)
    subscribe(call.desk.uow, login, to, by=call.by)
    return alerts(call, login)


@section.post("/people/{login}/alerts/devices/remove", ADMINS)
def remove_device(call: Call, login: Login, body: KnownDevice) -> AlertsShape:
    """Tell somebody no more on a device."""
    unsubscribe(call.desk.uow, login, body.endpoint, by=call.by)
    return alerts(call, login)


@section.get("/alerts/key", LEADERS)
def alerts_key(call: Call) -> PlantKey:
    """The plant's public key, which a browser subscribes with."""
    desk = call.desk
    if desk.pusher is None:
        return PlantKey(key=None)
    return PlantKey(key=desk.pusher.public_key(push_key(desk.uow, desk.pusher)))
