"""A new person who may sign in."""

from __future__ import annotations

from collections.abc import Sequence

from mpms.domain.people.people import Person, Role
from mpms.domain.people.secret_rules import (
    NameMissing,
    check_password,
    check_pin,
    login_of,
)
from mpms.ports.people.hasher import Hasher
from mpms.ports.store import UnitOfWork


def add_person(
    uow: UnitOfWork,
    hasher: Hasher,
    login: str,
    name: str,
    role: Role,
    *,
    by: str,
    groups: Sequence[str] = (),
    language: str = "en",
    password: str | None = None,
    pin: str | None = None,
    reason: str = "",
    once: bool = False,
) -> Person:
    """``once``: the password is to be changed after the first sign-in. LoginInvalid,
    LoginTaken, NameMissing, PasswordTooWeak, PinTooWeak."""
    kept_login = login_of(login)
    plain_name = " ".join(name.split())
    if not plain_name or not plain_name.isprintable():
        raise NameMissing
    if password is not None:
        check_password(password, kept_login)
        hasher.refuse_leaked(password)
    if pin is not None:
        check_pin(pin)
    password_hash = None if password is None else hasher.hash(password)
    pin_hash = None if pin is None else hasher.hash(pin)
    with uow() as tx:
        person = tx.people.add(
            kept_login, plain_name, role, groups=groups, language=language
        )
        tx.people.set_password(kept_login, password_hash)
        tx.people.set_password_once(kept_login, once)
        tx.people.set_pin(kept_login, pin_hash)
        told = {"login": kept_login, "role": str(role), "groups": list(groups)}
        if reason:
            told["reason"] = reason
        tx.events.append("person added", actor=by, data=told)
    return person
