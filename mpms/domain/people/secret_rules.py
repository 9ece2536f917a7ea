"""What a login, a password, a PIN and a badge may look like."""

from __future__ import annotations

import re
from itertools import pairwise

from mpms.domain.errors import MpmsError

LOGIN = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?")
PIN = re.compile(r"[0-9]{4,8}")
PASSWORD_AT_LEAST = 12
PASSWORD_AT_MOST = 256
BADGE_AT_LEAST = 6
BADGE_AT_MOST = 256
# What people reach for first. A password made of one of them and of digits and signs
# around it, or of signs that look like its letters, is guessed as quickly.
COMMON_WORDS = frozenset(
    re.findall(
        r"\S+",
        """
    password passwords passwort kennwort contrasena clave secret geheim secreto letmein
    welcome willkommen bienvenido bienvenidos administrator administrador admin root
    supervisor worker operator benutzer usuario user guest changeme iloveyou
    qwertyuiop qwertzuiop qwerty qwertz asdfghjkl asdfgh yxcvbnm zxcvbnm
    qwertyuiopasdfghjkl qwertzuiopasdfghjkl qazwsxedc qazwsxedcrfv abcdefghijkl
    abcdefghijklmnopqrstuvwxyz sunshine princess football baseball superman batman
    dragon monkey master shadow summer winter spring autumn sommer fruhling herbst
    verano invierno primavera company firma empresa factory fabrik fabrica mpms
    productionfloor
    """,
    )
)
LOOKALIKES = str.maketrans("013457@$!ñéáíóúü", "oleastasineaiouu")


class LoginInvalid(MpmsError):
    """A login has 1 to 64 letters a-z, digits, dots, dashes or underscores, and
    begins and ends with a letter or a digit."""


class NameMissing(MpmsError):
    """A person needs a name."""


class PasswordTooWeak(MpmsError):
    """A password has at least 12 characters. A few words are easy to remember."""


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
    if len(set(plain)) < 5 or _counts(plain) or _is_common(plain):
        raise PasswordTooWeak("This password is one of the most common ones.")
    if plain.replace(login, "").strip("0123456789 !.-_") == "":
        raise PasswordTooWeak("The password must not be the login.")


def _counts(plain: str) -> bool:
    """Digits or letters in their order, up or down, perhaps again and again."""
    steps = [ord(b) - ord(a) for a, b in pairwise(plain)]
    return sum(step in (1, -1, -9, 9) for step in steps) >= len(steps) - 1


def _is_common(plain: str) -> bool:
    middle = re.sub(r"^[\W\d_]+|[\W\d_]+$", "", plain)
    for spelled in (middle, middle.translate(LOOKALIKES)):
        letters = re.sub(r"[^a-z]+", "", spelled)
        for word in COMMON_WORDS:
            if letters and letters == word * (len(letters) // len(word)):
                return True
    return False


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
