"""The dashboard of the plant: every number with the orders behind it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal

import pytest

from mpms.domain.people.people import Role
from mpms.factory.domain.shifts import shift_of
from mpms.factory.services import dashboard
from mpms.factory.services.orders.change import cancel_order
from tests.support.databases import Databases
from tests.support.factory import opened
from tests.support.site import Browser
from tests.support.web_orders import Plant


def at(plant: Plant, login: str, role: Role) -> Browser:
    plant.person(login, role, name=login.capitalize())
    return plant.browser_of(login)


@pytest.fixture
def plant(databases: Databases) -> Iterator[Plant]:
    with opened(databases, Plant) as plant:
        yield plant


def test_a_shift_begins_on_its_day_or_the_day_before() -> None:
    at = datetime(2026, 11, 20, 5, 59, tzinfo=UTC)
    assert shift_of(at) == datetime(2026, 11, 19, 22, tzinfo=UTC)
    assert shift_of(at + timedelta(minutes=1)) == at + timedelta(minutes=1)
    assert shift_of(at, (time(0),)) == datetime(2026, 11, 20, tzinfo=UTC)


def test_each_number_of_the_dashboard_opens_its_orders(plant: Plant) -> None:
    plant.make("MO-1", due=date.today() + timedelta(days=9))
    plant.answer_everything()
    plant.make("MO-2", due=date.today() - timedelta(days=9))
    plant.scale.readings = [1.0]  # then what is asked for
    plant.answer_everything()
    plant.add("MO-3")
    cancel_order(plant.uow, plant.advance, "MO-3", by="sofia", reason="not wanted")
    sofia = at(plant, "sofia", Role.SUPERVISOR)
    page = sofia.get("/dashboard").text
    assert "861\N{NO-BREAK SPACE}kg" in page
    assert "50 %" in page  # in time
    assert "75 %" in page  # weighed right first time
    behind = {
        "done": {"MO-1", "MO-2"},
        "late": {"MO-2"},
        "in-time": {"MO-1"},
        "again": {"MO-2"},
        "cancelled": {"MO-3"},
        "wait:Load material": {"MO-1", "MO-2"},
    }
    for what, expected in behind.items():
        orders = sofia.get("/dashboard/orders", query_string={"what": what}).text
        shown = {n for n in ("MO-1", "MO-2", "MO-3") if f">{n}<" in orders}
        assert shown == expected, what
    assert "/cockpit/i/" in sofia.get("/dashboard/orders?what=done").text
    assert sofia.get("/dashboard/orders?what=nothing").status_code == 404
    ana = at(plant, "ana", Role.WORKER)
    assert ana.get("/dashboard").status_code == 403


def test_waiting_is_told_in_money_where_an_hour_has_a_price(plant: Plant) -> None:
    plant.make("MO-1")
    plant.answer_everything()
    plant.person("vera", Role.VIEWER)
    priced = plant.browser_of("vera", cost_per_hour=Decimal(36000), currency="CHF")
    assert "What waiting has cost" in priced.get("/dashboard").text
    assert "CHF" in priced.get("/dashboard").text
    plain = plant.browser_of("vera").get("/dashboard").text
    assert "Where orders waited" in plain
    assert "CHF" not in plain


def test_a_dashboard_that_counts_only_some_orders_says_so(
    plant: Plant, monkeypatch: pytest.MonkeyPatch
) -> None:
    sofia = at(plant, "sofia", Role.SUPERVISOR)
    for number in ("MO-1", "MO-2"):
        plant.add(number)
        cancel_order(plant.uow, plant.advance, number, by="sofia", reason="no")
    assert "choose a shorter time" not in sofia.get("/dashboard").text
    monkeypatch.setattr(dashboard, "MOST_ORDERS", 1)
    assert "choose a shorter time" in sofia.get("/dashboard").text
