"""Keeps the demo and a plant apart: the passwords of the demo are known to everybody.

A database is the demo's as long as one of its people can sign in with what the demo
prints. That holds for those that older versions have made, for copies of them, and for
whatever database the settings name; and it ends when the last of them is changed.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import replace

from mpms import bootstrap
from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.cli.database import who
from mpms.demo.people import PEOPLE, DemoPerson
from mpms.domain.errors import MpmsError
from mpms.factory.ports.store import UnitOfWork
from mpms.services.people import change_secret
from mpms.settings import Settings, home_state_dir

DIRECTORY = "demo"
REASON = "the demo's data are kept, its known passwords are not"


class DemoData(MpmsError):
    """The database was made by the demo."""


class PlantData(MpmsError):
    """The database was not made by the demo."""


def apart(settings: Settings) -> Settings:
    """The settings of the demo: all that it keeps is below a directory of its own, in
    the home of whoever plays, also of root, whose plant is the machine's."""
    given = os.environ.get("MPMS_STATE_DIR")
    base = settings.state_dir if given else home_state_dir(os.environ)
    return replace(settings, state_dir=base / DIRECTORY)


def require_plant(database_url: str, *, keep_demo_data: bool = False) -> None:
    """Before a plant is served or worked for. DemoData; or, if the data are to be kept,
    those of the demo's people who can be anybody get passwords that nobody knows."""
    with_uow(database_url, lambda uow: _require_plant(uow, keep_demo_data))


def require_demo(database_url: str) -> None:
    """Before people with known passwords are added. PlantData."""
    with_uow(database_url, _require_demo)


def with_uow(database_url: str, use: Callable[[UnitOfWork], None]) -> None:
    services = bootstrap.connect(database_url)
    try:
        use(services.uow)
    finally:
        services.close()


def _require_plant(uow: UnitOfWork, keep: bool) -> None:
    found = known_to_everybody(uow)
    if not found:
        return
    if not keep:
        names = ", ".join(person.login for person in found)
        raise DemoData(
            f"This database was made by mpms demo: everybody knows how to sign in as"
            f" {names}. Set MPMS_STATE_DIR to another directory or MPMS_DATABASE_URL to"
            " another database. To go on with the data of the demo, start once with"
            " --keep-demo-data, which takes these passwords away, and give"
            " somebody a new one: mpms users password LOGIN."
        )
    hasher, by = Argon2Hasher(), who()
    for person in found:
        unknown = secrets.token_urlsafe(32)
        change_secret.set_password(
            uow, hasher, person.login, unknown, by=by, reason=REASON
        )
        if person.pin:
            change_secret.set_pin(uow, hasher, person.login, None, by=by, reason=REASON)


def _require_demo(uow: UnitOfWork) -> None:
    with uow() as tx:
        empty = not tx.people.listing() and not tx.definitions.listing()
    if not empty and not known_to_everybody(uow):
        raise PlantData(
            "This database was not made by mpms demo, which would let everybody sign in"
            " to it. Leave MPMS_DATABASE_URL out and the demo makes one of its own."
        )


def known_to_everybody(uow: UnitOfWork) -> list[DemoPerson]:
    """People of the demo who can still be signed in as. A PIN counts with the name
    only: a plant may well have an Ana who likes the middle of the keyboard."""
    with uow() as tx:
        known = [
            (person, kept, there)
            for person in PEOPLE
            if (kept := tx.people.secrets(person.login)) is not None
            and (there := tx.people.get(person.login)) is not None
        ]
    if not known:
        return []  # a hasher costs as much as a sign-in, and a plant has no use for it
    verify = Argon2Hasher().verify
    return [
        person
        for person, kept, there in known
        if (kept.password_hash and verify(kept.password_hash, person.password))
        or (
            person.pin
            and kept.pin_hash
            and there.name == person.name
            and verify(kept.pin_hash, person.pin)
        )
    ]
