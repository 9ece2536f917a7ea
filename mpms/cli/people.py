"""What ``mpms users`` does. Secrets come from the keyboard or from standard input,
never from the command line, which other users of the machine can read."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Sequence

from mpms import bootstrap
from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.cli.database import plain, who, with_services
from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Role
from mpms.domain.people.secret_rules import check_password, check_pin, login_of
from mpms.services.alerts.subscribe import address_of, set_mail
from mpms.services.people import change_secret
from mpms.services.people.add import add_person
from mpms.services.people.second_factor import drop_factors
from mpms.settings import Settings


class SecretMissing(MpmsError):
    """No password was typed."""


class SecretsDiffer(MpmsError):
    """The two entries are not the same."""


def add(
    settings: Settings,
    login: str,
    *,
    name: str,
    role: str,
    groups: Sequence[str] = (),
    language: str = "en",
    mail: str = "",
    pin: bool = False,
    password_stdin: bool = False,
) -> int:
    """A new person. With a PIN a worker needs no password."""
    kept = login_of(login)
    address = address_of(mail)
    only_pin = pin and not password_stdin and role == Role.WORKER
    password = None if only_pin else _new_password(kept, password_stdin)
    number = _new_pin(password_stdin) if pin else None

    def run(services: bootstrap.Services) -> None:
        person = add_person(
            services.uow,
            Argon2Hasher(leaked=settings.leaked_passwords),
            kept,
            plain(name),
            Role(role),
            by=who(),
            groups=[plain(group) for group in groups],
            language=language,
            password=password,
            pin=number,
        )
        if address is not None:
            set_mail(services.uow, person.login, address, by=who())
        print(f"{person.login}: {person.role}")

    return with_services(settings, run)


def listing(settings: Settings) -> int:
    """Everybody who may sign in, and who may no more."""

    def show(services: bootstrap.Services) -> None:
        with services.uow() as tx:
            people = tx.people.listing()
        for person in people:
            state = "" if person.active else "  disabled"
            groups = ", ".join(person.groups)
            print(
                f"{person.login:<20} {person.role:<11} {person.name}"
                f"{'  (' + groups + ')' if groups else ''}"
                f"{'  ' + person.mail if person.mail else ''}{state}"
            )

    return with_services(settings, show)


def mail(settings: Settings, login: str, address: str) -> int:
    """Where somebody is written to, or nowhere."""
    kept = login_of(login)

    def run(services: bootstrap.Services) -> None:
        set_mail(services.uow, kept, plain(address), by=who())

    return with_services(settings, run)


def password(settings: Settings, login: str, *, password_stdin: bool = False) -> int:
    """A new password; the person is signed out everywhere."""
    kept = login_of(login)
    new = _new_password(kept, password_stdin)
    return with_services(
        settings,
        lambda s: change_secret.set_password(
            s.uow, Argon2Hasher(leaked=settings.leaked_passwords), kept, new, by=who()
        ),
    )


def pin(
    settings: Settings, login: str, *, remove: bool = False, stdin: bool = False
) -> int:
    """A new PIN for tablets, or none."""
    kept = login_of(login)
    new = None if remove else _new_pin(stdin)
    return with_services(
        settings,
        lambda s: change_secret.set_pin(
            s.uow, Argon2Hasher(leaked=settings.leaked_passwords), kept, new, by=who()
        ),
    )


def badge(
    settings: Settings, login: str, *, remove: bool = False, stdin: bool = False
) -> int:
    """A badge, scanned by a scanner that types."""
    kept = login_of(login)
    scanned = None if remove else _read("Scan the badge: ", stdin)
    return with_services(
        settings, lambda s: change_secret.set_badge(s.uow, kept, scanned, by=who())
    )


def set_active(settings: Settings, login: str, active: bool) -> int:
    """Somebody leaves, or comes back."""
    kept = login_of(login)
    return with_services(
        settings, lambda s: change_secret.set_active(s.uow, kept, active, by=who())
    )


def unlock(settings: Settings, login: str) -> int:
    """Let somebody try again at once who was locked out by wrong passwords or PINs."""
    kept = login_of(login)

    def forget(services: bootstrap.Services) -> None:
        with services.uow() as tx:
            change_secret.known(tx.people.get(kept), kept)
            failed = tx.attempts.forget_login(kept)
            tx.events.append("person unlocked", actor=who(), data={"login": kept})
        print(f"{kept} may try again now; {failed} failed attempts are forgotten.")

    return with_services(settings, forget)


def drop_second_factors(settings: Settings, login: str, *, why: str) -> int:
    """The way back in for an administrator who has lost phone and keys."""
    kept = login_of(login)

    def drop(services: bootstrap.Services) -> None:
        dropped = drop_factors(services.uow, kept, by=who(), reason=plain(why))
        print(f"{kept} signs in with the password alone; {dropped} were taken away.")

    return with_services(settings, drop)


def _new_password(login: str, stdin: bool) -> str:
    typed = _read(f"Password of {login}: ", stdin)
    check_password(typed, login)
    if not stdin and _read("Once more: ", stdin) != typed:
        raise SecretsDiffer
    return typed


def _new_pin(stdin: bool) -> str:
    typed = _read("PIN: ", stdin)
    check_pin(typed)
    if not stdin and _read("Once more: ", stdin) != typed:
        raise SecretsDiffer
    return typed


def _read(prompt: str, stdin: bool) -> str:
    """A line of standard input, or what is typed unseen. SecretMissing."""
    if stdin:
        typed = sys.stdin.readline().rstrip("\r\n")
    elif sys.stdin.isatty():
        typed = getpass.getpass(prompt)
    else:
        raise SecretMissing(
            "Nobody can be asked here: standard input is no terminal."
            " Say --password-stdin to read it from there."
        )
    if not typed:
        raise SecretMissing
    return plain(typed)
