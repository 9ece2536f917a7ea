"""A supervisor changes an order on its page; programs do the same by the API."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

import pytest
from flask import render_template

from mpms.domain.people.people import Role
from mpms.factory.domain.order_mail import Catalogue, Recipe, RecipeLine
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.ports.store import Transaction
from mpms.factory.services.catalogue.current import CurrentCatalogue, InForce
from mpms.factory.services.catalogue.picture import save_picture
from mpms.factory.services.orders.change import (
    OrderBegun,
    OrderEnded,
    ShareInvalid,
    ask_decision,
    cancel_order,
    change_order,
    split_order,
)
from mpms.factory.services.schedule.what_if import Difference, WhatIf
from tests.support.site import Browser, shipped_catalogue
from tests.support.web_orders import Plant


def at(plant: Plant, login: str, role: Role) -> Browser:
    plant.person(login, role, name=login.capitalize())
    return plant.browser_of(login)


def test_priority_and_due_date_change_and_the_history_says_who(plant: Plant) -> None:
    sofia = at(plant, "sofia", Role.SUPERVISOR)
    plant.add("MO-1", due=date(2026, 12, 1))
    said = {"priority": "urgent", "due": "2026-12-24"}
    assert sofia.post("/orders/MO-1/change", data=said).location == "/orders/MO-1"
    with plant.uow() as tx:
        order = tx.orders.get("MO-1")
    assert (order.priority, order.due) == ("urgent", date(2026, 12, 24))
    page = sofia.get("/orders/MO-1").text
    assert "changed the order" in page
    assert "Priority: urgent" in page
    for wrong in ({"priority": "at once", "due": ""}, said | {"due": "soon"}):
        sofia.post("/orders/MO-1/change", data=wrong)
    with plant.uow() as tx:
        assert tx.orders.get("MO-1") == order
    ana = at(plant, "ana", Role.WORKER)
    assert ana.post("/orders/MO-1/change", data=said).status_code == 403


def test_an_order_is_cancelled_with_a_reason_before_and_while_it_is_made(
    plant: Plant,
) -> None:
    sofia = at(plant, "sofia", Role.SUPERVISOR)
    plant.add("MO-1")
    plant.make("MO-2")
    for number in ("MO-1", "MO-2"):
        sofia.post(f"/orders/{number}/cancel", data={"reason": " "})
        with plant.uow() as tx:
            assert not tx.orders.get(number).status.ended
        sofia.post(f"/orders/{number}/cancel", data={"reason": "not wanted"})
        with plant.uow() as tx:
            assert tx.orders.get(number).status is OrderStatus.CANCELLED
        assert number in sofia.get("/orders?status=finished").text
        assert number not in sofia.get("/orders").text
        with pytest.raises(OrderEnded):
            cancel_order(plant.uow, plant.advance, number, by="sofia", reason="x")
    with plant.uow() as tx:
        assert tx.robot_holds.held() == {}


def test_a_part_becomes_an_order_of_its_own_and_nothing_gets_lost(
    plant: Plant,
) -> None:
    plant.add("MO-1", priority="high", customer="Colours Ltd")
    new = split_order(plant.uow, plant.engine, "MO-1", by="sofia", share_percent=30)
    with plant.uow() as tx:
        old, part = tx.orders.get("MO-1"), tx.orders.get(new)
    assert new == "MO-1-2"
    assert [str(line.required_kg) for line in part.lines] == ["93.000", "36.150"]
    assert [float(line.required_kg) for line in old.lines] == [217.0, 84.35]
    assert (part.priority, part.customer) == ("high", "Colours Ltd")
    with pytest.raises(ShareInvalid):
        split_order(plant.uow, plant.engine, "MO-1", by="sofia", share_percent=100)
    plant.make("MO-9")
    with pytest.raises(OrderBegun):
        split_order(plant.uow, plant.engine, "MO-9", by="sofia", share_percent=50)


def test_a_note_stays_with_the_order_and_a_question_is_an_alarm(plant: Plant) -> None:
    sofia = at(plant, "sofia", Role.SUPERVISOR)
    ana = at(plant, "ana", Role.WORKER)
    plant.make("MO-1")
    ana.post("/orders/MO-1/note", data={"text": "the drum is dented"})
    ana.post("/orders/MO-1/ask", data={"text": "take the other drum?"})
    page = sofia.get("/orders/MO-1").text
    assert "the drum is dented" in page
    assert "take the other drum?" in page
    assert "1 thing waits for a decision" in page
    assert "take the other drum?" in sofia.get("/incidents").text
    cancel_order(plant.uow, plant.advance, "MO-1", by="sofia", reason="no")
    with pytest.raises(OrderEnded):
        ask_decision(plant.uow, "MO-1", by="ana", question="and now?")


def test_the_list_is_sorted_by_every_column_and_filtered(plant: Plant) -> None:
    sofia = at(plant, "sofia", Role.SUPERVISOR)
    plant.add("MO-1", due=date(2026, 12, 3), priority="low")
    plant.add("MO-2", due=date(2026, 12, 1), priority="urgent")
    plant.add("MO-3", priority="normal")

    def listed(query: str) -> list[str]:
        page = sofia.get(f"/orders/rows?{query}").text
        found = [(page.find(f">{n}<"), n) for n in ("MO-1", "MO-2", "MO-3")]
        return [number for at, number in sorted(found) if at >= 0]

    assert listed("") == ["MO-3", "MO-2", "MO-1"]
    assert listed("sort=order-up") == ["MO-1", "MO-2", "MO-3"]
    assert listed("sort=due-up") == ["MO-2", "MO-1", "MO-3"]
    assert listed("sort=due-down") == ["MO-1", "MO-2", "MO-3"]
    assert listed("sort=priority-up") == ["MO-2", "MO-3", "MO-1"]
    assert listed("priority=urgent") == ["MO-2"]
    assert listed("days=1") == ["MO-3", "MO-2", "MO-1"]
    for column in ("status", "waits", "loaded", "received"):
        for way in ("up", "down"):
            assert len(listed(f"sort={column}-{way}")) == 3
    assert 'aria-sort="ascending"' in sofia.get("/orders?sort=due-up").text


def test_what_if_tells_who_would_be_late_and_saves_nothing(plant: Plant) -> None:
    sofia = at(plant, "sofia", Role.SUPERVISOR)
    plant.add("MO-1", priority="normal")
    plant.add("MO-2", priority="normal")
    asked = "/schedule/MO-2/what-if?priority=urgent&due="
    said = sofia.get(asked).text
    assert "<strong>MO-2</strong>" in said
    assert "instead of" in said
    with plant.uow() as tx:
        assert tx.orders.get("MO-2").priority == "normal"
    assert "Choose low" in sofia.get("/schedule/MO-2/what-if?priority=now").text


def test_the_chart_has_what_was_beside_what_is_planned(plant: Plant) -> None:
    sofia = at(plant, "sofia", Role.SUPERVISOR)
    plant.make("MO-1")
    plant.answer_everything()
    plant.make("MO-2", run=False)
    plant.add("MO-3")
    page = sofia.get("/schedule").text
    for bar in ("gantt-bar gantt-made", "gantt-bar gantt-usual gantt-planned"):
        assert f'"{bar}"' in page
    assert "gantt-now" in page
    for name in ("MO-1", "MO-2", "MO-3", ">robot", "person 1", ">tank"):
        assert name in page
    change_order(plant.uow, "MO-3", by="sofia", priority="high", due=None)
    assert 'data-level="high"' in sofia.get("/schedule/now").text


def test_what_if_names_orders_that_would_be_late_or_no_more(plant: Plant) -> None:
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    later = noon + timedelta(hours=2)
    found = WhatIf(
        Difference("MO-1", "", noon, noon, False, False),
        (
            Difference("MO-2", "", noon, later, False, True),
            Difference("MO-3", "", later, noon, True, False),
        ),
    )
    with plant.app().test_request_context("/"):
        said = render_template("_schedule_what_if.html", found=found, problem="")
    assert said.count("would be late") == 1
    assert said.count("in time") == 1


def test_a_card_has_the_recipes_timer_and_the_materials_picture(plant: Plant) -> None:
    plant.make("MO-1")
    plant.person("ana", Role.WORKER, groups=("worker",))
    materials = shipped_catalogue()
    known = materials.file.catalogue
    assert known is not None
    png = bytes.fromhex("89504e470d0a1a0a") + bytes(64)
    save_picture(plant.uow, materials, "RM-001", png, by="adam", reason="new")
    with plant.uow() as tx:
        pictured = materials(tx).catalogue
    assert pictured is not None
    line = RecipeLine("RM-001", Decimal(1))
    recipe = Recipe(
        "Matt white wall paint",
        *((), Decimal(100), "kg", (line,)),
        mixing_minutes=Decimal(25),
    )
    timed = replace(pictured, recipes=(recipe,))
    ana = plant.browser_of("ana", materials=FixedCatalogue(timed))
    page = ana.get(f"/tasks/{plant.forms()[0].task_id}").text
    assert '<img class="material-picture"' in page
    assert "data-timer" not in page
    while plant.forms()[0].form != "start_mixing":
        plant.answer()
    page = ana.get(f"/tasks/{plant.forms()[0].task_id}").text
    assert 'data-timer="25.0"' in page


class FixedCatalogue(CurrentCatalogue):
    """One that nobody changes."""

    def __init__(self, catalogue: Catalogue) -> None:
        super().__init__(lambda: catalogue)

    def __call__(self, tx: Transaction) -> InForce:
        return self.file
