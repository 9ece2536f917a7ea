"""A customer follows an order through the link of its confirmation."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from mpms.domain.people.people import Role
from mpms.factory.domain.customer_links import (
    LinkExpired,
    LinkInvalid,
    read_link,
    write_link,
)
from mpms.factory.services.orders.follow import LINKS, follow_path
from tests.support.site import Browser
from tests.support.web_orders import Plant


def at(plant: Plant, login: str, role: Role) -> Browser:
    plant.person(login, role, name=login.capitalize())
    return plant.browser_of(login)


def test_a_link_tells_its_number_and_nothing_can_be_changed_in_it() -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    link = write_link(b"s", "MO-1", now + timedelta(days=1))
    assert read_link(b"s", link, now) == "MO-1"
    with pytest.raises(LinkExpired):
        read_link(b"s", link, now + timedelta(days=2))
    other = write_link(b"other", "MO-1", now + timedelta(days=1))
    said, signature = link.split(".")
    changed = write_link(b"s", "MO-2", now + timedelta(days=1)).split(".")[0]
    for wrong in (other, said, f"{changed}.{signature}", "", ".", "é.é", "x" * 999):
        with pytest.raises(LinkInvalid):
            read_link(b"s", wrong, now)


def test_a_customer_sees_progress_expected_time_and_nothing_else(plant: Plant) -> None:
    plant.make("MO-1", customer="buyer@example.com")
    plant.add("MO-2", product="Secret paint")
    with plant.uow() as tx:
        path = follow_path(tx, "MO-1")
    answer = plant.visitor().get(path)
    assert "Your order is being made" in answer.text
    assert "MO-1" in answer.text
    assert "0 of 2 materials" in answer.text
    assert "Expected" in answer.text
    for inside in ("robot", "MO-2", "Secret", "RM-001", "ada", "/orders"):
        assert inside not in answer.text.partition("<main")[2]
    assert answer.headers["Cache-Control"] == "private, no-store"
    assert plant.visitor().get("/orders/MO-1").status_code in (302, 303, 401)
    assert plant.visitor().get(f"{path}/certificate.pdf").status_code == 404
    assert plant.visitor().get("/follow/nonsense").status_code == 404
    with plant.uow() as tx:
        secret = tx.orders.link_secret(LINKS)
    old = write_link(secret, "MO-1", datetime(2020, 1, 1, tzinfo=UTC))
    assert plant.visitor().get(f"/follow/{old}").status_code == 410
    sofia = at(plant, "sofia", Role.SUPERVISOR)
    assert "/follow/" in sofia.get("/orders/MO-1").text


def test_at_the_end_there_is_the_certificate(plant: Plant) -> None:
    plant.make("MO-1", customer="buyer@example.com")
    plant.answer_everything()
    with plant.uow() as tx:
        path = follow_path(tx, "MO-1")
    assert "Your order is ready" in plant.visitor().get(path).text
    paper = plant.visitor().get(f"{path}/certificate.pdf")
    assert paper.status_code == 200
    assert paper.content_type == "application/pdf"
    assert paper.data.startswith(b"%PDF")
