"""What a plug-in brings to pages of the core: menus, lights, words, links, alarms."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from flask import Flask, g

from mpms.domain.history.events import Cursor, Event
from mpms.domain.history.kinds import Kind, Kinds
from mpms.domain.incidents.causes import cause_of
from mpms.domain.people.people import Person, Role
from mpms.plugins import (
    Decision,
    IncidentKind,
    Link,
    MenuLine,
    Plugin,
    PluginRefused,
    Where,
)
from mpms.services.admin.health import Finding, Light
from mpms.services.instances.page import Details
from mpms.web.changes.hints import hint_of
from mpms.web.labels import admin
from mpms.web.labels.admin import Told
from mpms.web.site import menu, plugin_parts

OVEN = Finding("oven", Light.RED, "cold")
WORDS = "bakery_words"


@pytest.fixture
def bakery() -> Iterator[Plugin]:
    module: Any = ModuleType(WORDS)
    module.has_oven = lambda desk: desk.oven
    module.health = lambda desk: lambda uow, now: [OVEN]
    module.told = lambda finding: (
        Told("Oven", "It is cold.", "Light it.") if finding.part == "oven" else None
    )
    module.details = lambda tx, instance_id: Details(
        {"loaf": "rye/7"}, {"t1": {"loaf": "rye/7"}}
    )
    sys.modules[WORDS] = module
    yield Plugin(
        "bakery",
        menu=(
            MenuLine("/oven", "Oven", Where.BAR, 30, when=f"{WORDS}:has_oven"),
            MenuLine("/flour", "Flour", Where.PLANT, 55, roles=frozenset({Role.ADMIN})),
        ),
        health=f"{WORDS}:health",
        health_labels=f"{WORDS}:told",
        queues={"dough": "dough that rises"},
        details=f"{WORDS}:details",
        links={"loaf": Link("Loaf {value}", "/loaves/{value}")},
    )
    del sys.modules[WORDS]


def site_of(plugin: Plugin, *, oven: bool = True) -> Flask:
    site = Flask(__name__)
    site.extensions["desk"] = SimpleNamespace(oven=oven)
    menu.install(site, [plugin])
    plugin_parts.install(site, [plugin])
    return site


def _global(site: Flask, name: str) -> Any:
    return site.jinja_env.globals[name]


def titles(site: Flask, where: str, role: Role) -> list[str]:
    with site.test_request_context("/oven/two"):
        g.person = Person(1, "ana", "Ana", role, (), "en")
        return [each.title for each in _global(site, "menu_lines")(where)]


def test_its_lines_stand_in_menus_of_their_roles_by_their_ranks(bakery: Plugin) -> None:
    site = site_of(bakery)
    bar = titles(site, "bar", Role.SUPERVISOR)
    assert bar == ["Incidents", "Oven", "Cockpit", "Plant"]
    assert "Flour" in titles(site, "plant", Role.ADMIN)
    assert "Flour" not in titles(site, "plant", Role.SUPERVISOR)
    assert "Oven" not in titles(site_of(bakery, oven=False), "bar", Role.ADMIN)
    with site.test_request_context("/oven/two"):
        assert menu.is_here(bakery.menu[0])
        assert not menu.is_here(bakery.menu[1])


def test_a_light_is_told_in_its_words_and_one_without_words_by_its_name(
    bakery: Plugin,
) -> None:
    with site_of(bakery).app_context():
        (part,) = plugin_parts.current_parts().health_of(SimpleNamespace())  # type: ignore[arg-type]
        (found,) = part(None, datetime.now(UTC))  # type: ignore[arg-type]
        assert admin.finding_words(found) == Told("Oven", "It is cold.", "Light it.")
        other = Finding("mixer", Light.RED, "jammed")
        assert admin.finding_words(other) == Told("mixer", "jammed")
        assert admin.queue_word("dough") == "dough that rises"


def test_what_an_instance_works_for_is_a_link(bakery: Plugin) -> None:
    site = site_of(bakery)
    with site.app_context():
        known = plugin_parts.current_parts().details(None, "i")
    (link,) = _global(site, "links_of")(known.known)
    assert (link.value, link.address) == ("rye/7", "/loaves/rye%2F7")
    assert known.of_task == {"t1": {"loaf": "rye/7"}}


def test_a_part_that_is_not_there_keeps_the_site_from_starting(bakery: Plugin) -> None:
    del sys.modules[WORDS].told
    with pytest.raises(PluginRefused, match="told"):
        site_of(bakery)


def test_its_incidents_alarms_and_lists_are_known_like_ours() -> None:
    kinds = Kinds.of(
        [Kind("baked", ("ovens", "instances"))],
        incidents=[IncidentKind("oven", "cold oven", outside=True)],
        decisions=[Decision("bake_failed", "Loaf {key} is burnt")],
        lists={"ovens": "oven"},
        subjects=("loaf",),
    )
    assert kinds.incident("oven").title == "cold oven"
    assert "oven" in kinds.outside
    assert cause_of(kinds.incident("oven"), "1 °C") == cause_of(
        kinds.incident("oven"), "2 °C"
    )
    assert kinds.decision("bake_failed_twice") is kinds.decisions[0]
    assert kinds.decision("bake") is None
    assert kinds.decision(None) is None
    data = {"oven": "o2", "loaf": "rye"}
    line = Event(Cursor(1, 1), datetime.now(UTC), "baked", "x", "i", "e", "t", data)
    assert hint_of(line, "key", kinds) == {"ovens": "o2", "instances": "rye"}
    with pytest.raises(ValueError, match="stuck"):
        Kinds.of([], incidents=[IncidentKind("stuck", "stuck")])
