"""The menus of the pages: lines of ours, and those that plug-ins add."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Flask, current_app, g, request

from mpms.domain.people.people import Role
from mpms.plugins import MenuLine, Plugin, Where, loading
from mpms.web.rights import ADMINS, LEADERS, READERS

BAR, MORE, COCKPIT, PLANT = Where.BAR, Where.MORE, Where.COCKPIT, Where.PLANT
CORE = (
    MenuLine("/incidents", "Incidents", BAR, 20, "warn", LEADERS),
    MenuLine("/cockpit", "Cockpit", BAR, 60, "flow", READERS),
    MenuLine("/admin", "Plant", BAR, 70, "gear", LEADERS),
    MenuLine("/tablets", "Tablets", MORE, 100, "tablet", LEADERS),
    MenuLine("/tokens", "API tokens", MORE, 110, "key", ADMINS),
    MenuLine("/webhooks", "Webhooks", MORE, 120, "send", ADMINS),
    MenuLine("/design", "Design system", MORE, 130, "palette", LEADERS),
    MenuLine("/cockpit", "Processes", COCKPIT, 10, roles=READERS),
    MenuLine("/incidents", "Incidents", COCKPIT, 20, roles=READERS),
    MenuLine("/batches", "Bulk actions", COCKPIT, 30, roles=READERS),
    MenuLine("/models", "Models", COCKPIT, 50, roles=READERS),
    MenuLine("/admin", "Health", PLANT, 10, roles=LEADERS),
    MenuLine("/admin/people", "People", PLANT, 20, roles=ADMINS),
    MenuLine("/admin/groups", "Groups", PLANT, 30, roles=ADMINS),
    MenuLine("/tablets", "Tablets", PLANT, 40, roles=ADMINS),
    MenuLine("/admin/retention", "Retention", PLANT, 100, roles=ADMINS),
    MenuLine("/admin/settings", "Settings and logs", PLANT, 110, roles=ADMINS),
    MenuLine("/tokens", "API tokens", PLANT, 120, roles=ADMINS),
    MenuLine("/webhooks", "Webhooks", PLANT, 130, roles=ADMINS),
    MenuLine("/admin/audit", "Log of actions", PLANT, 140, roles=LEADERS),
)


def install(app: Flask, plugins: Sequence[Plugin]) -> None:
    """PluginRefused."""
    lines = [(line, _always) for line in CORE]
    for plugin in plugins:
        lines += [
            (MenuLine(page.address, page.title, roles=page.roles), _always)
            for page in plugin.pages
            if page.in_menu
        ]
        lines += [
            (line, loading.brought(plugin, line.when) if line.when else _always)
            for line in plugin.menu
        ]
    lines.sort(key=lambda each: each[0].rank)
    app.extensions["menu lines"] = lines
    app.jinja_env.globals.update(menu_lines=_shown, is_here=is_here)


def lines_for(role: Role, where: str) -> list[MenuLine]:
    """What somebody with this role finds in this menu."""
    return [
        line
        for line, is_there in current_app.extensions.get("menu lines", ())
        if line.where == where
        and role in line.roles
        and (not line.when or is_there(current_app.extensions["desk"]))
    ]


def _shown(where: str) -> list[MenuLine]:
    person = g.get("person")
    return [] if person is None else lines_for(person.role, where)


def is_here(line: MenuLine) -> bool:
    """Whether this page is the line's, or one below it that has no line of its own."""
    alone = line.address == "/" or (line.where is PLANT and line.address == "/admin")
    return request.path == line.address or (
        not alone and request.path.startswith(f"{line.address}/")
    )


def _always(desk: Any) -> bool:
    return True
