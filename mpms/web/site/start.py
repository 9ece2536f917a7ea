"""The address that everybody comes to first, where no plug-in has a page for it."""

from __future__ import annotations

from flask import Flask, redirect
from werkzeug.wrappers import Response as Answer

from mpms.plugins import Where
from mpms.web.rights import EVERYBODY, allowed
from mpms.web.site.menu import lines_for
from mpms.web.site.signed_in import current_person


def install(app: Flask) -> None:
    if not any(rule.rule == "/" for rule in app.url_map.iter_rules()):
        app.add_url_rule("/", "start", _first_of_menu)


@allowed(EVERYBODY)
def _first_of_menu() -> Answer:
    lines = lines_for(current_person().role, Where.BAR)
    return redirect(lines[0].address if lines else "/me", 303)
