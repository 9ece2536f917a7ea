"""Who may open what, and that no text of others becomes a part of a page."""

from __future__ import annotations

import io
from decimal import Decimal

import pytest

from mpms.domain.people.people import Role
from mpms.factory.domain.orders import OrderLine, OrderStatus
from tests.support.web_orders import Plant

SCRIPT = '<script>alert("x")</script>'  # must never reach a page as it stands
FOR_ALL = (
    "/orders",
    "/orders/rows",
    "/orders/MO-2026-0001",
    "/orders/MO-2026-0001/now",
    "/orders/MO-2026-0001/timeline",
)
FOR_LEADERS = (
    "/orders/new",
    "/orders/sent",
    "/orders/MO-2026-0001/mail",
    "/orders/MO-2026-0001/mail.eml",
)
DECISIONS = (
    "/orders/MO-2026-0001/release",
    "/orders/MO-2026-0001/refuse",
    "/orders/new",
    "/orders/upload",
)
MAIL = b"From: a@b.example\r\nSubject: x\r\n\r\nsecret words\r\n"


@pytest.fixture
def waiting(plant: Plant) -> Plant:
    plant.add("MO-2026-0001", status=OrderStatus.WAITING)
    plant.add_mail(MAIL, number="MO-2026-0001")
    return plant


@pytest.mark.parametrize("role", list(Role))
def test_everybody_reads_orders_and_leaders_decide(waiting: Plant, role: Role) -> None:
    browser = waiting.browser(role.value)
    for path in FOR_ALL:
        assert browser.get(path).status_code == 200, path
    leads = role in (Role.ADMIN, Role.SUPERVISOR)
    for path in FOR_LEADERS:
        assert browser.get(path).status_code == (200 if leads else 403), path
    page = browser.get("/orders/MO-2026-0001").text
    assert ("Yes, release" in page) is leads
    assert ("mail.eml" in page) is leads
    assert ('href="/orders/new"' in browser.get("/orders").text) is leads
    if leads:
        return
    for path in DECISIONS:
        assert browser.post(path, data={"reason": "no"}).status_code == 403, path
    assert waiting.rows("SELECT status FROM orders") == [("waiting for release",)]
    assert waiting.mailed == []


def test_strangers_are_sent_to_the_login_and_change_nothing(waiting: Plant) -> None:
    stranger = waiting.app().test_client()
    for path in (*FOR_ALL, *FOR_LEADERS):
        answer = stranger.get(path)
        assert answer.status_code == 303, path
        assert answer.location.startswith("/login"), path
        fragment = stranger.get(path, headers={"HX-Request": "true"})
        assert fragment.status_code == 401, path
    for path in DECISIONS:
        assert stranger.post(path, data={"reason": "no"}).status_code == 401, path
    assert waiting.rows("SELECT status FROM orders") == [("waiting for release",)]


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}],
)
def test_pages_of_others_cannot_decide(waiting: Plant, headers: dict[str, str]) -> None:
    browser = waiting.browser("supervisor")
    for path in DECISIONS:
        data = {"reason": "no", "message": (io.BytesIO(MAIL), "x.eml")}
        assert browser.post(path, data=data, headers=headers).status_code == 403, path
    assert waiting.rows("SELECT status FROM orders") == [("waiting for release",)]
    assert waiting.mailed == []


@pytest.mark.parametrize("language", ["en", "de", "es"])
def test_a_script_in_any_text_stays_a_text(plant: Plant, language: str) -> None:
    lines = (OrderLine("RM-001", SCRIPT, Decimal(5), lot=SCRIPT),)
    instance_id = plant.make(
        "MO-2026-0001", product=SCRIPT, customer=SCRIPT, lines=lines
    )
    with plant.uow() as tx:
        tx.people.add("eve", SCRIPT, Role.WORKER)
        tx.claims.take(plant.forms()[0].task_id, "eve")
    browser = plant.browser("supervisor", language)
    pages = [browser.get("/orders").text, browser.get("/orders/MO-2026-0001").text]
    plant.answer(by="eve")
    plant.answer()
    with plant.uow() as tx:
        tx.incidents.open("goal", SCRIPT, instance_id=instance_id, element=SCRIPT)
        for kind in (
            *("order status", "job failed", "goal ended", "retry", "robot chosen"),
            *("form answered", "variable", "failed", "robot released"),
        ):
            tx.events.append(
                kind,
                actor=SCRIPT,
                instance_id=instance_id,
                element=SCRIPT,
                data={"new": SCRIPT, "error": SCRIPT, "place": SCRIPT}
                | {"message": SCRIPT, "reason": SCRIPT, "state": SCRIPT}
                | {"answers": {SCRIPT: SCRIPT}, "name": "measured_kg"},
            )
    variables = (
        '{"loaded": [{"code": "RM-001", "loaded_kg": 5, "lot": %s}],'
        ' "material": {"name": %s, "place": %s}, "robot": %s}'
    )
    quoted = '"' + SCRIPT.replace('"', '\\"') + '"'
    plant.rows("UPDATE instances SET variables = %s", variables % ((quoted,) * 4))
    plant.rows("UPDATE goals SET robot = %s, place = %s, reason = %s", *[SCRIPT] * 3)
    plant.rows("UPDATE tasks SET name = %s, groups = ARRAY[%s]", SCRIPT, SCRIPT)
    plant.add_mail(
        f"From: {SCRIPT} <a@b.example>\r\nSubject: {SCRIPT}\r\nDate: {SCRIPT}\r\n"
        f"\r\n{SCRIPT}\r\n".encode(),
        number="MO-2026-0001",
        sender=SCRIPT,
    )
    for path in (
        *("/orders?all=1", "/orders/rows", f"/orders?q={SCRIPT}"),
        *("/orders/MO-2026-0001", "/orders/MO-2026-0001/now"),
        *("/orders/MO-2026-0001/timeline", "/orders/MO-2026-0001/mail"),
        f"/orders/{SCRIPT.replace('/', '')}",
        f"/orders/sent?sender={SCRIPT}&message={SCRIPT}",
    ):
        pages.append(browser.get(path).text)
    pages.append(
        browser.post(
            "/orders/new",
            data=dict.fromkeys(
                (
                    *("number", "product", "due", "priority", "reference", "sender"),
                    *("message_id", "material", "kg", "action"),
                ),
                SCRIPT,
            ),
        ).text
    )
    for page in pages:
        assert "<script>alert" not in page
        assert "alert(&#34;x&#34;)" in page
        assert " style=" not in page


def test_no_page_of_orders_has_inline_code(waiting: Plant) -> None:
    browser = waiting.browser("supervisor")
    for path in (*FOR_ALL, *FOR_LEADERS[:3], "/orders/unknown"):
        page = browser.get(path).text
        for forbidden in (" onclick", " onload", "javascript:", "<style", " style="):
            assert forbidden not in page, (path, forbidden)
