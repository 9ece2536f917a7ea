"""Every setting with its value, where it comes from and what it means; no secret."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, fields
from urllib.parse import urlsplit, urlunsplit

from mpms.log_lines import HIDDEN
from mpms.ports.admin.plant_desk import SettingShown
from mpms.settings import Settings

ADDRESSES = frozenset({"database_url", "imap_url", "smtp_url", "robots_url"})
_ROW = re.compile(
    r"^\| (?P<names>`MPMS_[^|]*) \| (?P<means>[^|]*) \|(?P<without>[^|]*)\|"
)


@dataclass(frozen=True)
class _Meaning:
    text: str
    without: str


def settings_shown(
    settings: Settings,
    environment: Mapping[str, str],
    page: str,
    *,
    embedded: Sequence[str] = (),
) -> list[SettingShown]:
    """In the order of the program. ``embedded`` names those whose server is our own."""
    meanings = _meanings(page)
    shown = []
    for each in fields(Settings):
        name = f"MPMS_{each.name.upper()}"
        given = bool(environment.get(name))
        source = "environment" if given else "default"
        if not given and each.name in embedded:
            source = "embedded"
        meaning = meanings.get(name, _Meaning("", ""))
        shown.append(
            SettingShown(
                name,
                _value(each, getattr(settings, each.name)),
                source,
                meaning.text,
                meaning.without,
            )
        )
    return shown


def _value(setting: Field[object], value: object) -> str:
    """What is not to be printed with the settings is a secret or holds one."""
    if value is None:
        return ""
    if setting.name in ADDRESSES:
        return without_password(str(value))
    if not setting.repr:
        return HIDDEN
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def without_password(url: str) -> str:
    """An address as far as everybody may read it: whatever may hide a secret goes."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = "" if parts.port is None else f":{parts.port}"
    except ValueError:
        return HIDDEN
    user = ""
    if parts.username or parts.password:
        user = (parts.username or "") + (f":{HIDDEN}" if parts.password else "") + "@"
    if ":" in host:
        host = f"[{host}]"
    return urlunsplit(
        (
            parts.scheme,
            f"{user}{host}{port}",
            parts.path,
            HIDDEN if parts.query else "",
            HIDDEN if parts.fragment else "",
        )
    )


def _meanings(page: str) -> dict[str, _Meaning]:
    found: dict[str, _Meaning] = {}
    for line in page.splitlines():
        row = _ROW.match(line)
        if row is None:
            continue
        meaning = _Meaning(_plain(row["means"]), _plain(row["without"]))
        for name in re.findall(r"`(MPMS_\w+)`", row["names"]):
            found[name] = meaning
    return found


def _plain(text: str) -> str:
    return text.replace("`", "").strip()
