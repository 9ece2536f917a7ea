"""One order: its materials, its story, its mail, and the decision to make it."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import uuid4

import pytest

from mpms.domain.people.people import Role
from mpms.factory.domain.orders import OrderLine, OrderStatus
from mpms.ports.tasks.attachments import Attachment
from tests.support.web_orders import Plant

HEAD = (
    "From: Jo {0} <buyer@example.com>\r\nTo: orders@plant.example.com\r\n"
    "Date: Mon, 2 Mar 2026 08:00:00 +0000\r\nMessage-ID: <1@example.com>\r\n"
    "Subject: Order {0}\r\n"
)
PNG = b"\x89PNG\r\n\x1a\n not really"


def words_of(page: str) -> list[str]:
    """The sentences of the timeline, newest first."""
    found = re.findall(r'timeline-text">(.*?)(?:<span|</span>)', page)
    return [" ".join(text.split()) for text in found]


def cells(page: str, material: str) -> list[str]:
    row = next(r for r in page.split("<tr")[1:] if material in r)
    return [" ".join(c.split()) for c in re.findall(r"<td[^>]*>(.*?)</td>", row)]


def attach(plant: Plant, instance_id: str, media_type: str, content: bytes) -> str:
    attachment_id = str(uuid4())
    with plant.uow() as tx:
        tx.attachments.add(
            Attachment(
                attachment_id,
                instance_id,
                str(uuid4()),
                "photo",
                media_type,
                content,
            ),
            by="ada",
        )
    return attachment_id


def test_the_lines_show_what_was_asked_for_and_what_was_loaded(plant: Plant) -> None:
    plant.make("MO-2026-0001")
    plant.scale.readings = [310.4]
    plant.answer()
    plant.answer()
    page = plant.browser("worker").get("/orders/MO-2026-0001").text
    assert cells(page, "Water") == [
        "310 kg",
        "310.4 kg",
        "+0.4 kg",
        "L-2026-0042",
    ]
    assert cells(page, "Titanium dioxide")[1:] == ["–", "–", "–"]


def test_the_same_material_twice_is_loaded_line_by_line(plant: Plant) -> None:
    lines = (
        OrderLine("RM-001", "Water", Decimal(5)),
        OrderLine("RM-001", "Water again", Decimal(7)),
    )
    plant.make("MO-2026-0001", lines=lines)
    plant.answer()
    plant.answer()
    page = plant.browser("worker").get("/orders/MO-2026-0001").text
    assert cells(page, ">Water <")[1] == "5 kg"
    assert cells(page, "Water again")[1] == "–"


@pytest.mark.parametrize("loaded", ['"x"', "null", '[1, {"code": 5}]', '{"a": 1}'])
def test_whatever_a_model_keeps_as_loaded_the_page_opens(
    plant: Plant, loaded: str
) -> None:
    plant.make("MO-2026-0001")
    plant.rows(
        "UPDATE instances SET variables = json_build_object('loaded', %s::json)",
        loaded,
    )
    browser = plant.browser("viewer")
    assert browser.get("/orders/MO-2026-0001").status_code == 200
    assert browser.get("/orders").status_code == 200


def test_a_process_writes_the_story_of_its_order_in_plain_words(plant: Plant) -> None:
    with plant.uow() as tx:
        tx.people.add("ana", "Ana Pérez", Role.WORKER)
    plant.make("MO-2026-0001", lines=(OrderLine("RM-001", "Water", Decimal(5)),))
    robot = plant.rows("SELECT robot FROM robot_holds")[0][0]
    plant.answer(by="ana", posted_by="ben")
    plant.answer()
    plant.answer()
    page = plant.browser("viewer").get("/orders/MO-2026-0001").text
    told = list(reversed(words_of(page)))
    assert told[:7] == [
        f"{robot} was chosen",
        f"{robot} drives to A",
        f"{robot} reached A",
        "Ana Pérez confirmed: Load material",
        "The scale shows 5 kg",
        f"5 kg of RM-001 onto {robot}",
        f"{robot} drives to the tank",
    ]
    assert set(told[-4:]) >= {"The order is now: done", "The process ended"}
    assert "handed in by ben" in page
    assert "Took" in page
    assert "Connect to the web server" in page  # the time of each step


def test_the_story_begins_before_the_process_does(plant: Plant) -> None:
    plant.add("MO-2026-0001", status=OrderStatus.WAITING)
    plant.add("MO-2026-0002", status=OrderStatus.WAITING)
    with plant.uow() as tx:
        for number in ("MO-2026-0001", "MO-2026-0002"):
            tx.events.append(
                "order accepted", actor="buyer@example.com", data={"order": number}
            )
            tx.events.append(
                "order waits for release",
                actor="mail",
                data={"order": number, "why": f"first order, {number}"},
            )
    browser = plant.browser("supervisor")
    browser.post("/orders/MO-2026-0001/release")
    page = browser.get("/orders/MO-2026-0001").text
    assert words_of(page) == [
        "Supervisor Doe released the order",
        "The order waits for release",
        "The order came from buyer@example.com",
    ]
    assert "first order, MO-2026-0002" not in page


def test_a_long_story_is_read_in_pages(plant: Plant) -> None:
    plant.add("MO-2026-0001")
    with plant.uow() as tx:
        for place in range(250):
            tx.events.append(
                "order waits for release",
                actor="mail",
                data={"order": "MO-2026-0001", "why": f"line {place}."},
            )
    browser = plant.browser("viewer")
    text = browser.get("/orders/MO-2026-0001").text
    told = re.findall(r"line (\d+)\.", text)
    while more := re.search(r'hx-get="(/orders/[^"]*before=\d+)"', text):
        text = browser.get(more[1]).text
        told += re.findall(r"line (\d+)\.", text)
    assert [int(n) for n in told] == list(range(249, -1, -1))


def test_the_expected_end_is_the_usual_time_after_the_start(plant: Plant) -> None:
    now = datetime.now(UTC)
    for number, minutes in ((1, 10), (2, 20), (3, 90)):
        plant.add(
            f"MO-2026-000{number}",
            status=OrderStatus.DONE,
            started_at=now - timedelta(days=1),
            ended_at=now - timedelta(days=1) + timedelta(minutes=minutes),
        )
    plant.make("MO-2026-0009")
    started_at = now - timedelta(hours=2)
    plant.rows("UPDATE orders SET started_at = %s WHERE status <> 'done'", started_at)
    page = plant.browser("viewer").get("/orders/MO-2026-0009").text
    expected = started_at + timedelta(minutes=20)
    assert f'datetime="{expected:%Y-%m-%dT%H:%M:%SZ}"' in page
    assert "20 min" in page
    assert "slower than usual" in page


def test_incidents_stand_on_the_page_also_when_they_are_settled(plant: Plant) -> None:
    instance_id = plant.make("MO-2026-0001")
    with plant.uow() as tx:
        tx.incidents.open("goal", "blocked by a pallet", instance_id=instance_id)
        tx.incidents.resolve(by="boss", instance_id=instance_id)
        tx.incidents.open("goal", "blocked again", instance_id=instance_id)
    page = plant.browser("viewer").get("/orders/MO-2026-0001").text
    assert page.index("blocked again") < page.index("blocked by a pallet")
    assert "settled by boss" in page


def test_the_parts_that_change_can_be_fetched_alone(plant: Plant) -> None:
    plant.make("MO-2026-0001")
    browser = plant.browser("viewer")
    now = browser.get("/orders/MO-2026-0001/now").text
    assert "<html" not in now
    assert "to load Water" in now
    assert 'id="order-steps" hx-swap-oob="innerHTML"' in now
    timeline = browser.get("/orders/MO-2026-0001/timeline").text
    assert "<html" not in timeline
    assert "drives to A" in timeline


@pytest.mark.parametrize("path", ["", "/mail", "/mail.eml", "/timeline", "/now"])
@pytest.mark.parametrize("number", ["MO-1999-0001", "x%00y", "%F0%9F%98%80"])
def test_an_unknown_number_leads_to_a_search(
    plant: Plant, number: str, path: str
) -> None:
    answer = plant.browser("supervisor").get(f"/orders/{number}{path}")
    assert answer.status_code == 404
    assert 'role="search"' in answer.text
    fragment = plant.browser("supervisor").get(
        f"/orders/{number}{path}", headers={"HX-Request": "true"}
    )
    assert (fragment.status_code, fragment.text) == (404, "There is no such order.")


# -- photos ------------------------------------------------------------------------


def test_a_photo_is_shown_with_headers_that_lock_it_up(plant: Plant) -> None:
    instance_id = plant.make("MO-2026-0001")
    photo = attach(plant, instance_id, "image/png", PNG)
    browser = plant.browser("viewer")
    address = f"/orders/MO-2026-0001/attachments/{photo}"
    assert f'src="{address}"' in browser.get("/orders/MO-2026-0001").text
    answer = browser.get(address)
    assert (answer.status_code, answer.data) == (200, PNG)
    assert answer.content_type == "image/png"
    assert answer.headers["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("media_type", ["text/html", "image/svg+xml", "x\r\nA: b"])
def test_what_is_no_picture_is_only_downloaded(plant: Plant, media_type: str) -> None:
    instance_id = plant.make("MO-2026-0001")
    page = attach(plant, instance_id, media_type, b"<script>alert(1)</script>")
    answer = plant.browser("viewer").get(f"/orders/MO-2026-0001/attachments/{page}")
    assert answer.content_type == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment;")


def test_a_photo_of_another_order_is_not_found(plant: Plant) -> None:
    photo = attach(plant, plant.make("MO-2026-0001"), "image/png", PNG)
    plant.make("MO-2026-0002")
    plant.add("MO-2026-0003")
    browser = plant.browser("supervisor")
    for number in ("MO-2026-0002", "MO-2026-0003", "MO-2026-0004"):
        answer = browser.get(f"/orders/{number}/attachments/{photo}")
        assert answer.status_code == 404
    for ident in ("nonsense", str(uuid4()), "..%2f..%2fetc%2fpasswd"):
        answer = browser.get(f"/orders/MO-2026-0001/attachments/{ident}")
        assert answer.status_code == 404


# -- the mail ------------------------------------------------------------------------


def test_the_mail_is_shown_as_plain_text_and_downloaded_as_it_came(
    plant: Plant,
) -> None:
    raw = (HEAD.format("weiß") + "\r\nHello,\r\n\r\n310 kg Water\r\n").encode()
    plant.add("MO-2026-0001")
    plant.add_mail(raw, number="MO-2026-0001")
    browser = plant.browser("supervisor")
    page = browser.get("/orders/MO-2026-0001/mail").text
    assert "Hello,\n\n310 kg Water" in page
    assert "Order weiß" in page
    assert "Mon, 2 Mar 2026 08:00:00 +0000" in page
    fragment = browser.get(
        "/orders/MO-2026-0001/mail", headers={"HX-Request": "true"}
    ).text
    assert "310 kg Water" in fragment
    assert "<html" not in fragment
    file = browser.get("/orders/MO-2026-0001/mail.eml")
    assert file.data == raw
    assert file.content_type == "application/octet-stream"
    disposition = 'attachment; filename="MO-2026-0001.eml"'
    assert file.headers["Content-Disposition"] == disposition


def test_a_mail_of_html_is_shown_by_its_words_alone(plant: Plant) -> None:
    raw = (
        HEAD.format("x")
        + "Content-Type: text/html\r\n\r\n<b>Please</b> make<br>paint"
        + "<img src=//evil.example/x.png><script>alert(1)</script>"
    ).encode()
    plant.add("MO-2026-0001")
    plant.add_mail(raw, number="MO-2026-0001")
    page = plant.browser("supervisor").get("/orders/MO-2026-0001/mail").text
    assert "Please make\npaint" in page
    assert "<b>" not in page
    assert "evil.example" not in page


def test_the_files_of_a_mail_are_named(plant: Plant) -> None:
    raw = (
        HEAD.format("x")
        + 'Content-Type: multipart/mixed; boundary="b"\r\n\r\n'
        + "--b\r\nContent-Type: text/plain\r\n\r\nSee the file\r\n"
        + "--b\r\nContent-Type: text/csv\r\n"
        + 'Content-Disposition: attachment; filename="../<i>order.csv"\r\n\r\na;b\r\n'
        + "--b--\r\n"
    ).encode()
    plant.add("MO-2026-0001")
    plant.add_mail(raw, number="MO-2026-0001")
    page = plant.browser("supervisor").get("/orders/MO-2026-0001/mail").text
    assert "See the file" in page
    assert "../&lt;i&gt;order.csv" in page


@pytest.mark.parametrize(
    "raw",
    [
        b"Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nno end",
        b"Subject: x\r\n\r\nwith \0 in it",
        b"",
        None,
    ],
)
def test_a_mail_that_cannot_be_read_is_offered_for_download(
    plant: Plant, raw: bytes | None
) -> None:
    plant.add("MO-2026-0001")
    plant.add_mail(raw, number="MO-2026-0001")
    answer = plant.browser("supervisor").get("/orders/MO-2026-0001/mail")
    assert answer.status_code == 200
    assert "/orders/MO-2026-0001/mail.eml" in answer.text


# -- release and refuse --------------------------------------------------------------


def status_of(plant: Plant) -> str:
    return str(plant.rows("SELECT status FROM orders")[0][0])


def test_a_supervisor_releases_an_order(plant: Plant) -> None:
    plant.add("MO-2026-0001", status=OrderStatus.WAITING)
    browser = plant.browser("supervisor")
    assert "Yes, release MO-2026-0001" in browser.get("/orders/MO-2026-0001").text
    answer = browser.post("/orders/MO-2026-0001/release")
    assert (answer.status_code, answer.location) == (303, "/orders/MO-2026-0001")
    assert status_of(plant) == "new"
    assert "Yes, release" not in browser.get("/orders/MO-2026-0001").text


def test_whoever_refuses_an_order_says_why(plant: Plant) -> None:
    plant.add("MO-2026-0001", status=OrderStatus.WAITING)
    browser = plant.browser("admin")
    for reason in ("", "   ", "\0"):
        answer = browser.post("/orders/MO-2026-0001/refuse", data={"reason": reason})
        assert answer.status_code == 422
        assert "Enter the reason for refusing the order." in answer.text
    assert status_of(plant) == "waiting for release"
    answer = browser.post("/orders/MO-2026-0001/refuse", data={"reason": "no stock"})
    assert answer.status_code == 303
    assert status_of(plant) == "cancelled"
    page = browser.get("/orders/MO-2026-0001").text
    assert words_of(page) == ["Admin Doe refused the order"]
    assert "no stock" in page


@pytest.mark.parametrize("action", ["release", "refuse"])
def test_the_second_of_two_decisions_changes_nothing(plant: Plant, action: str) -> None:
    plant.add("MO-2026-0001", status=OrderStatus.DONE)
    browser = plant.browser("supervisor")
    answer = browser.post(f"/orders/MO-2026-0001/{action}", data={"reason": "no"})
    assert answer.status_code == 409
    assert "Nothing was changed" in answer.text
    assert status_of(plant) == "done"
    assert browser.post(
        f"/orders/MO-1/{action}", data={"reason": "no"}
    ).status_code == (404)
