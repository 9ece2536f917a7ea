"""What one wants to be told of incidents, where, and on which devices."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mpms.domain.alerts.push_endpoints import KEY, EndpointRefused, check_endpoint
from mpms.domain.alerts.rules import AlertWish
from mpms.domain.errors import MpmsError, NotFound
from mpms.ports.alerts import Subscription
from mpms.ports.store import UnitOfWork

MOST_DEVICES = 10
ADDRESS = re.compile(r"[!-;=?A-~]+@[A-Za-z0-9.\-]+")


class AddressInvalid(MpmsError):
    """This is no mail address."""


class AddressMissing(MpmsError):
    """Alerts by mail need a mail address."""


class TooManyDevices(MpmsError):
    """Alerts are already on for ten devices. Switch one of them off first."""


@dataclass(frozen=True)
class Asked:
    """What somebody has asked for."""

    mail: str | None
    wish: AlertWish
    devices: int


def alerts_of(uow: UnitOfWork, login: str) -> Asked:
    """NotFound."""
    with uow() as tx:
        person = tx.people.get(login)
        if person is None:
            raise NotFound(f"There is no person {login}.")
        return Asked(person.mail, tx.alerts.wish(login), tx.alerts.subscriptions(login))


def address_of(text: str) -> str | None:
    """A mail address as somebody typed it; None for none. AddressInvalid."""
    plain = text.strip()
    if not plain:
        return None
    if len(plain) > 254 or not ADDRESS.fullmatch(plain):
        raise AddressInvalid
    return plain


def set_mail(uow: UnitOfWork, login: str, address: str, *, by: str) -> str | None:
    """Where somebody is written to. AddressInvalid, AddressMissing, NotFound."""
    new = address_of(address)
    with uow() as tx:
        person = tx.people.get(login)
        if person is None:
            raise NotFound(f"There is no person {login}.")
        if new is None and tx.alerts.wish(login).by_mail:
            raise AddressMissing
        if person.mail != new:
            # It goes to the old address.
            tx.notices.add(login, "mail address changed", by=by)
            tx.people.set_mail(login, new)
            tx.events.append("mail address changed", actor=by, data={"login": login})
    return new


def set_wish(
    uow: UnitOfWork, login: str, wish: AlertWish, *, by: str | None = None
) -> None:
    """AddressMissing, NotFound."""
    with uow() as tx:
        person = tx.people.get(login)
        if person is None:
            raise NotFound(f"There is no person {login}.")
        if wish.by_mail and not person.mail:
            raise AddressMissing
        if tx.alerts.wish(login) != wish:
            tx.alerts.set_wish(login, wish)
            tx.events.append(
                "alerts chosen",
                actor=by or login,
                data={
                    "login": login,
                    "by_mail": wish.by_mail,
                    "when_over": wish.when_over,
                    "processes": wish.processes,
                },
            )


def subscribe(
    uow: UnitOfWork, login: str, to: Subscription, *, by: str | None = None
) -> None:
    """Alerts on this device. EndpointRefused, TooManyDevices."""
    check_endpoint(to.endpoint)
    if not KEY.fullmatch(to.p256dh) or not KEY.fullmatch(to.auth):
        raise EndpointRefused("The browser sent no keys that could be used.")
    with uow() as tx:
        if tx.alerts.subscriptions(login) >= MOST_DEVICES:
            raise TooManyDevices
        tx.alerts.subscribe(login, to)
        told = {"login": login, "on": True}
        tx.events.append("alerts on a device", actor=by or login, data=told)


def unsubscribe(
    uow: UnitOfWork, login: str, endpoint: str, *, by: str | None = None
) -> None:
    """No more alerts on this device."""
    with uow() as tx:
        if tx.alerts.unsubscribe(endpoint, login):
            told = {"login": login, "on": False}
            tx.events.append("alerts on a device", actor=by or login, data=told)
