"""Where a person settles what an incident tells of, as plug-ins say it."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import quote

from flask import Flask

from mpms.domain.incidents.causes import quoted_first
from mpms.plugins import Plugin, Remedy
from mpms.web.texts import t


def install(app: Flask, plugins: Sequence[Plugin]) -> None:
    known: dict[str, Remedy] = {}
    for plugin in plugins:
        known |= plugin.remedies

    def remedy_of(kind: str, message: str) -> tuple[str, str] | None:
        """(Text, address), if there is such a page."""
        remedy = known.get(kind)
        if remedy is None:
            return None
        value = quote(quoted_first(message), safe="")
        return t(remedy.text), remedy.address.replace("{value}", value)

    app.jinja_env.globals["remedy_of"] = remedy_of
