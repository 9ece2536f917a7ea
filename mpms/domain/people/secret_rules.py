"""What a login, a password, a PIN and a badge may look like."""

from __future__ import annotations

import re
from itertools import pairwise

from mpms.domain.errors import MpmsError

LOGIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
PIN = re.compile(r"[0-9]{4,8}")
PASSWORD_AT_LEAST = 10
PASSWORD_AT_MOST = 256
BADGE_AT_LEAST = 6
BADGE_AT_MOST = 256
# With ten characters or more.
WORST_PASSWORDS = frozenset(
    re.findall(
        r"\S+",
        """
    1234567890 0123456789 0987654321 12345678910 123456789a a123456789 1q2w3e4r5t
    1qaz2wsx3edc qwertyuiop qwertzuiop qwerty1234 qwertz1234 qwerty12345 asdfghjkl1
    password12 password123 password1234 passwordpassword p@ssword123 passw0rd123
    passwort12 passwort123 passwort1234 contraseña contrasena contraseña1
    contrasena123 administrator administrador admin12345 admin123456 supervisor
    supervisor1 letmein123 welcome123 willkommen willkommen1 bienvenido bienvenidos
    iloveyou12 changeme123 mpmsmpmsmpms productionfloor
    """,
    )
)


class LoginInvalid(MpmsError):
    """A login has 1 to 64 letters a-z, digits, dots, dashes or underscores, and
    begins and ends with a letter or a digit."""


class NameMissing(MpmsError):
    """A person needs a name."""


class PasswordTooWeak(MpmsError):
    """A password has at least 10 characters. A few words are easy to remember."""


class PinTooWeak(MpmsError):
    """A PIN has 4 to 8 digits, not all the same and not counting up or down."""


class BadgeInvalid(MpmsError):
    """A badge has 6 to 256 characters."""


def login_of(typed: str) -> str:
    """The login as it is kept. LoginInvalid."""
    login = typed.strip().casefold()
    if not LOGIN.fullmatch(login):
        raise LoginInvalid(" ".join((LoginInvalid.__doc__ or "").split()))
    return login


def check_password(password: str, login: str) -> None:
    """PasswordTooWeak says why."""
    plain = password.casefold()
    if len(password) < PASSWORD_AT_LEAST:
        raise PasswordTooWeak
    if len(password) > PASSWORD_AT_MOST:
        raise PasswordTooWeak("A password has at most 256 characters.")
    if plain.strip() in WORST_PASSWORDS or len(set(plain)) < 4:
        raise PasswordTooWeak("This password is one of the most common ones.")
    if plain.replace(login, "").strip("0123456789 !.-_") == "":
        raise PasswordTooWeak("The password must not be the login.")


def check_pin(pin: str) -> None:
    """PinTooWeak."""
    steps = {int(b) - int(a) for a, b in pairwise(pin)} if PIN.fullmatch(pin) else {0}
    if steps in ({0}, {1}, {-1}):
        raise PinTooWeak


def badge_of(scanned: str) -> str:
    """What a scanner typed, without what it adds around it. BadgeInvalid."""
    badge = scanned.strip()
    if not BADGE_AT_LEAST <= len(badge) <= BADGE_AT_MOST or not badge.isprintable():
        raise BadgeInvalid
    return badge
