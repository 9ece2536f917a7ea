"""What ``mpms processes``, ``mpms messages`` and ``mpms signals`` do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC
from typing import Any

from mpms import bootstrap
from mpms.cli.database import plain, who, with_services
from mpms.domain.errors import MpmsError
from mpms.domain.numbers import NumberTooLarge, finite
from mpms.domain.people.people import Person, Role
from mpms.ports.store import Transaction
from mpms.services.instances.start import start_instance
from mpms.services.messages.broadcast_signal import broadcast_signal
from mpms.services.messages.correlate import correlate_message
from mpms.services.people.change_secret import PersonUnknown
from mpms.settings import Settings


class VariableUnreadable(MpmsError):
    """A variable on the command line looks like name=value."""


def read_variables(pairs: Sequence[str]) -> dict[str, Any]:
    """``a=1`` is a number, ``a=blue`` a text, ``a={"b": [1]}`` what JSON says."""
    variables: dict[str, Any] = {}
    for pair in pairs:
        name, equals, text = plain(pair).partition("=")
        if not name or not equals:
            raise VariableUnreadable(f"--var {pair!r} does not look like name=value.")
        try:
            variables[name] = _value(text)
        except NumberTooLarge as failure:
            raise VariableUnreadable(f"--var {name}: {failure}.") from None
    return variables


def _value(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=finite)
    except NumberTooLarge:
        raise
    except (ValueError, RecursionError):
        return text


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is no number")


def start(
    settings: Settings,
    key: str,
    *,
    version: int | None,
    at: str | None,
    business_key: str | None,
    variables: Sequence[str],
    login: str | None = None,
) -> int:
    """Start an instance and print its id, as a person if the model says who may."""
    given = read_variables(variables)

    def use(services: bootstrap.Services) -> None:
        with services.uow() as tx:
            person = _starter(tx, login)
            instance_id = start_instance(
                tx,
                services.advance,
                plain(key),
                version=version,
                at=at,
                business_key=business_key,
                variables=given,
                actor=who() if login is None else person.login,
                person=person,
            )
        print(instance_id)

    return with_services(settings, use)


def _starter(tx: Transaction, login: str | None) -> Person:
    """Who starts: the person named, else the one of the shell, who may be nobody here.
    PersonUnknown."""
    found = tx.people.get(plain(login or who()))
    if found is not None and found.active:
        return found
    if login is not None:
        raise PersonUnknown(f"There is no person with the login '{login}'.")
    return Person(0, who(), who(), Role.VIEWER)


def starts(settings: Settings) -> int:
    """Print which messages, signals and timers start which process."""

    def use(services: bootstrap.Services) -> None:
        with services.uow() as tx:
            for key, begin, due_at in tx.starts.listing():
                when = "over"
                if due_at is not None:
                    when = f"next {due_at.astimezone(UTC):%Y-%m-%d %H:%M:%S}Z"
                told = f"{begin.text}, {when}" if begin.kind == "timer" else begin.event
                print(f"{key}: {begin.element}: {begin.kind} {told}")

    return with_services(settings, use)


def send_message(
    settings: Settings,
    name: str,
    *,
    correlation: str | None,
    business_key: str | None,
    instance_id: str | None,
    keep: bool,
    variables: Sequence[str],
) -> int:
    """Send a message and print who got it."""
    given = read_variables(variables)

    def use(services: bootstrap.Services) -> None:
        done = correlate_message(
            services.uow,
            services.advance,
            plain(name),
            correlation=correlation,
            business_key=business_key,
            instance_id=instance_id,
            variables=given,
            keep=keep,
            by=who(),
        )
        print(" ".join(filter(None, (done.outcome, done.instance_id))))

    return with_services(settings, use)


def send_signal(settings: Settings, name: str, variables: Sequence[str]) -> int:
    """Send a signal and print how many it reached."""
    given = read_variables(variables)

    def use(services: bootstrap.Services) -> None:
        reached = broadcast_signal(
            services.uow,
            services.advance,
            plain(name),
            variables=given,
            by=who(),
        )
        print(f"reached {reached}")

    return with_services(settings, use)
