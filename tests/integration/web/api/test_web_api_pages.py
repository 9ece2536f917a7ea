"""Everything that the pages do, programs can do too: each route of a page names the
operations that do the same, or the reason why it needs none."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mpms.plugins import loading
from mpms.web.api import operations, sections
from mpms.web.rights import roles_of
from tests.support.web_api import Plant

SECTIONS = sections(loading.loaded())
OPERATIONS = operations(SECTIONS)
TABLE = Path(__file__).with_name("page_routes.toml")
MOST_REASONS = 8
BY_ID = {f"{one.tag.lower()}_{one.name}": one for one in OPERATIONS}


@pytest.fixture(scope="module")
def table() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads(TABLE.read_text("utf-8"))


@pytest.fixture
def endpoints(plant: Plant) -> dict[str, str]:
    """Endpoints of the pages by route."""
    return {
        f"{method} {rule.rule}": rule.endpoint
        for rule in plant.app().url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
        if not rule.rule.startswith(("/api/", "/engine-rest", "/v2"))
    }


def test_every_route_of_the_pages_stands_in_the_table(
    endpoints: dict[str, str], table: Mapping[str, Mapping[str, Any]]
) -> None:
    assert sorted(set(endpoints) - set(table["routes"])) == [], "add them to the table"
    assert sorted(set(table["routes"]) - set(endpoints)) == [], "no such route"


def test_the_table_names_operations_and_reasons_that_exist(
    table: Mapping[str, Mapping[str, Any]],
) -> None:
    unknown = []
    for route, answer in table["routes"].items():
        if isinstance(answer, str):
            unknown += [(route, answer)] if answer not in table["reasons"] else []
        else:
            assert answer, f"{route} names no operation"
            unknown += [(route, name) for name in answer if name not in BY_ID]
    assert unknown == []


def test_reasons_are_few_and_each_is_used(
    table: Mapping[str, Mapping[str, Any]],
) -> None:
    used = {answer for answer in table["routes"].values() if isinstance(answer, str)}
    assert used == set(table["reasons"])
    assert len(used) <= MOST_REASONS


def test_only_pages_that_change_nothing_of_the_plant_need_no_operation(
    plant: Plant, endpoints: dict[str, str], table: Mapping[str, Mapping[str, Any]]
) -> None:
    """Whoever changes something changes it over the API, too."""
    without = [
        route
        for route, answer in table["routes"].items()
        if isinstance(answer, str) and not route.startswith("GET ")
    ]
    about = {table["routes"][route] for route in without}
    assert about == {"sign_in", "language", "demo"}
    changing = {
        route
        for route, names in table["routes"].items()
        if not route.startswith("GET ") and route not in without
    }
    reading_only = {
        route
        for route in changing
        if not any(BY_ID[name].writes for name in table["routes"][route])
    }
    assert reading_only == set()


def test_who_may_open_a_page_may_use_its_operations(
    plant: Plant, endpoints: dict[str, str], table: Mapping[str, Mapping[str, Any]]
) -> None:
    narrower = set()
    for route, names in table["routes"].items():
        if isinstance(names, str):
            continue
        may_open = roles_of(plant.app(), endpoints[route]) or frozenset()
        if any(not may_open <= BY_ID[name].roles for name in names):
            narrower.add(route)
    assert narrower == set(table["narrower"])
