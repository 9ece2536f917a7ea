"""Every setting with its value, where it comes from and what it means; no secret."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit, urlunsplit

from mpms.log_lines import HIDDEN
from mpms.plugins import Plugin, loading
from mpms.ports.admin.plant_desk import SettingShown
from mpms.settings import Settings, own_fields
from mpms.settings.secrets import secret_in_file

ADDRESSES = frozenset({"database_url", "smtp_url"})
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
    """In the order of the program, those of plug-ins last.

    ``embedded`` names those whose server is our own.
    """
    meanings = _meanings(page)

    def source(name: str) -> str:
        if environment.get(name):
            return "environment"
        if secret_in_file(environment, name):
            return "file"
        return "embedded" if name in embedded else "default"

    shown = []
    for each in own_fields():
        name = f"MPMS_{each.name.upper()}"
        meaning = meanings.get(name, _Meaning("", ""))
        value = _value(
            getattr(settings, each.name),
            secret=not each.repr,
            address=each.name in ADDRESSES,
        )
        shown.append(
            SettingShown(name, value, source(name), meaning.text, meaning.without)
        )
    for plugin in loading.usable():
        shown += [
            replace(each, source=source(each.name))
            for each in plugin_settings_shown(plugin, settings)
        ]
    return shown


def plugin_settings_shown(plugin: Plugin, settings: Settings) -> list[SettingShown]:
    """Those of a plug-in, which says itself what they mean."""
    values = settings.plugins.get(plugin.name, {})
    return [
        SettingShown(
            plugin.variable_of(name),
            _value(
                values.get(name, setting.default),
                secret=setting.secret,
                address=setting.address,
            ),
            "",
            setting.about,
            setting.without or _value(setting.default, secret=setting.secret),
        )
        for name, setting in plugin.settings.items()
    ]


def _value(value: object, *, secret: bool, address: bool = False) -> str:
    if value is None or value == "":
        return ""
    if address:
        return without_password(str(value))
    if secret:
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
