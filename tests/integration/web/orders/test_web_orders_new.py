"""A new order by hand is a mail like any other."""

from __future__ import annotations

import io
import json
import re
from decimal import Decimal
from html import unescape
from typing import Any

import pytest

from mpms.factory.domain.order_mail import RememberedMail, Senders
from mpms.factory.domain.order_mail.reading import read_order_mail
from tests.support.web_orders import Plant

FORM: dict[str, Any] = {
    "number": "MO-2026-0042",
    "product": "Harbour Grey",
    "due": "2026-12-24",
    "priority": "high",
    "reference": "PO 77",
    "sender": "sales@plant.example.com",
    "material": ["RM-001 Water", "titanium dioxide", ""],
    "kg": ["310", "12,125", ""],
}
EML = (
    b"From: Jo <jo@example.com>\r\nTo: somebody@example.com\r\n"
    b"Message-ID: <a1@example.com>\r\nSubject: hi\r\n\r\nMaterials:\r\n"
)


def hidden(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found, name
    return unescape(found[1])


def read(raw: bytes, decimal: str | None) -> Any:
    """What the intake makes of a message that our own mail server took."""
    senders = Senders.from_json(
        json.dumps(
            {
                "trusted_authserv_id": "mx",
                "accept_smtp_auth": True,
                "senders": [
                    {
                        "address": "sales@plant.example.com",
                        "company": "we",
                        "decimal": decimal,
                        "may_forward": False,
                    }
                ],
            }
        )
    )
    stamp = b"Authentication-Results: mx; auth=pass smtp.auth=sales@plant.example.com\n"
    return stamp + raw, senders


def upload(plant: Plant, content: bytes, name: str = "order.eml") -> Any:
    return plant.browser("supervisor").post(
        "/orders/upload", data={"message": (io.BytesIO(content), name)}
    )


def test_the_form_proposes_the_next_number_and_knows_the_catalogue(
    plant: Plant,
) -> None:
    browser = plant.browser("supervisor")
    assert hidden(browser.get("/orders/new").text, "number").endswith("-0001")
    year = hidden(browser.get("/orders/new").text, "number")[3:7]
    plant.add(f"MO-{year}-0041")
    page = browser.get("/orders/new").text
    assert hidden(page, "number") == f"MO-{year}-0042"
    assert '<option value="RM-002 Titanium dioxide">' in page


def test_lines_are_added_and_removed_without_script(plant: Plant) -> None:
    browser = plant.browser("supervisor")
    page = browser.post("/orders/new", data=FORM | {"action": "add"}).text
    assert page.count('name="material"') == 4
    page = browser.post("/orders/new", data=FORM | {"action": "remove:0"}).text
    assert page.count('name="material"') == 2
    assert "RM-001 Water" not in page.split("<datalist")[0]
    for place in ("remove:99", "remove:-1", "remove:x", "remove:"):
        page = browser.post("/orders/new", data=FORM | {"action": place}).text
        assert page.count('name="material"') == 3


@pytest.mark.parametrize("decimal", [".", ",", None])
def test_the_preview_is_the_very_mail_and_the_intake_reads_it_exactly(
    plant: Plant, decimal: str | None
) -> None:
    browser = plant.browser("supervisor")
    page = browser.post("/orders/new", data=FORM | {"action": "preview"}).text
    assert "This is the mail that will be sent" in page
    assert plant.mailed == []
    message_id = hidden(page, "message_id")
    sent = browser.post(
        "/orders/new", data=FORM | {"action": "send", "message_id": message_id}
    )
    assert sent.status_code == 303
    (raw,) = plant.mailed
    assert f"Message-ID: {message_id}".encode() in raw
    with_results, senders = read(raw, decimal)
    outcome = read_order_mail(with_results, plant.catalogue, senders, RememberedMail())
    assert outcome.codes == ()
    assert outcome.order is not None
    assert outcome.order.number == "MO-2026-0042"
    assert outcome.order.product == "Harbour Grey"
    assert str(outcome.order.due) == "2026-12-24"
    assert outcome.order.priority == "high"
    assert [(line.material, line.kg) for line in outcome.order.lines] == [
        ("RM-001", Decimal("310")),
        ("RM-002", Decimal("12.125")),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "x\r\nMaterials:\r\nRM-001 Water 3000 kg",
        "Order: MO-2026-9999",
        "x\r\nBcc: spy@example.com",
        "\u2028Order: MO-2026-9999",
        "=?utf-8?q?=0AOrder:_MO-2026-9999?=",
    ],
)
def test_free_text_cannot_write_lines_or_headers_of_its_own(
    plant: Plant, text: str
) -> None:
    form = FORM | {"product": text, "reference": text, "action": "send"}
    assert plant.browser("supervisor").post("/orders/new", data=form).status_code == 303
    (raw,) = plant.mailed
    assert b"\nBcc" not in raw
    with_results, senders = read(raw, ".")
    outcome = read_order_mail(with_results, plant.catalogue, senders, RememberedMail())
    assert outcome.order is not None
    assert outcome.order.number == "MO-2026-0042"
    assert len(outcome.order.lines) == 2


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"number": "42"}, "Write the number like MO-2026-0001."),
        ({"due": "tomorrow"}, "Write the day like 2026-12-24."),
        ({"priority": "very"}, "Choose a priority."),
        ({"sender": "me"}, "Write an e-mail address."),
        ({"sender": "a@b.example\r\nBcc: c@d.example"}, "Write an e-mail address."),
        ({"product": "x" * 300}, "At most 200 characters."),
        ({"material": ["", ""], "kg": ["", ""]}, "at least one material"),
        ({"material": ["Moon dust"], "kg": ["1"]}, "not in the catalogue"),
        ({"material": ["RM-001"], "kg": ["0"]}, "Write the amount in kg"),
        ({"material": ["RM-001"], "kg": ["-1"]}, "Write the amount in kg"),
        ({"material": ["RM-001"], "kg": ["NaN"]}, "Write the amount in kg"),
        ({"material": ["RM-001"], "kg": ["1e9"]}, "Write the amount in kg"),
        ({"material": ["RM-001"], "kg": ["0.0001"]}, "Write the amount in kg"),
        ({"material": ["RM-001"], "kg": [""]}, "Write the amount in kg"),
        ({"material": ["RM-005"], "kg": ["51"]}, "At most 50 kg of this material."),
        ({"material": ["RM-001"] * 200, "kg": ["1"] * 200}, "At most 100 materials."),
    ],
)
def test_what_the_intake_would_reject_is_not_sent(
    plant: Plant, wrong: dict[str, Any], complaint: str
) -> None:
    form = FORM | wrong | {"action": "send"}
    answer = plant.browser("supervisor").post("/orders/new", data=form)
    assert answer.status_code == 422
    assert complaint in answer.text
    assert plant.mailed == []


def test_without_a_mail_server_the_page_says_how_to_set_one(plant: Plant) -> None:
    browser = plant.browser("supervisor", hand_to_mail_server=None)
    page = browser.get("/orders/new").text
    assert "No mail server is configured" in page
    assert "MPMS_SMTP_URL" in page
    answer = browser.post("/orders/new", data=FORM | {"action": "send"})
    assert answer.status_code == 502
    answer = browser.post(
        "/orders/upload", data={"message": (io.BytesIO(EML), "order.eml")}
    )
    assert answer.status_code == 422


def test_a_mail_server_that_is_away_orders_nothing(plant: Plant) -> None:
    plant.mail_server_away = True
    answer = plant.browser("supervisor").post(
        "/orders/new", data=FORM | {"action": "send"}
    )
    assert answer.status_code == 502
    assert "Nothing was ordered." in answer.text
    assert upload(plant, EML).status_code == 502


# -- a saved mail ---------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["order.eml", "../../etc/passwd", "..\\..\\x.eml", "a\0b", "<script>"]
)
def test_a_file_is_sent_as_it_is_whatever_its_name(plant: Plant, name: str) -> None:
    answer = upload(plant, EML, name)
    assert answer.status_code == 303
    assert "message=%3Ca1@example.com%3E" in answer.location
    assert plant.mailed == [EML]


def test_a_file_without_a_message_id_gets_one(plant: Plant) -> None:
    raw = EML.replace(b"Message-ID: <a1@example.com>\r\n", b"")
    assert upload(plant, raw).status_code == 303
    (sent,) = plant.mailed
    assert sent.startswith(b"Message-ID: <")
    assert sent.endswith(raw)


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "The file is empty."),
        (b"   \r\n", "The file is empty."),
        (b"Subject: x\r\n\r\nhello", "does not say who the message is from"),
        (b"From: a@b.example\r\nFrom: c@d.example\r\n\r\nx", "who the message is from"),
        (b"From: a@b.example\r\n\r\n\0", "NUL bytes"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(1, 255)), "who the message is from"),
        (b"From: a@b.example\r\nMessage-ID: <" + b"x" * 2000 + b">\r\n\r\n", "read"),
        (b"From: a@b.example\r\n\r\n" + b"x" * (10 << 20), "larger than 10 MB"),
    ],
)
def test_a_file_that_is_no_mail_is_refused_with_the_cause(
    plant: Plant, content: bytes, complaint: str
) -> None:
    answer = upload(plant, content)
    assert answer.status_code == 422
    assert complaint in answer.text
    assert plant.mailed == []


def test_no_file_at_all_is_refused(plant: Plant) -> None:
    assert plant.browser("supervisor").post("/orders/upload").status_code == 422


@pytest.mark.parametrize("path", ["/orders/upload", "/orders/new", "/orders/X/refuse"])
def test_a_body_of_20_mb_is_not_read(plant: Plant, path: str) -> None:
    body = {"message": (io.BytesIO(b"x" * (20 << 20)), "big.eml")}
    answer = plant.browser("supervisor").post(path, data=body)
    assert answer.status_code == 413
    assert plant.mailed == []


# -- what became of it ----------------------------------------------------------------


def sent_page(plant: Plant, fragment: bool = False) -> Any:
    return plant.browser("supervisor").get(
        "/orders/sent",
        query_string={"sender": "jo@example.com", "message": "<a1@example.com>"},
        headers={"HX-Request": "true"} if fragment else {},
    )


def test_the_page_waits_until_the_mail_is_read_and_then_opens_the_order(
    plant: Plant,
) -> None:
    page = sent_page(plant)
    assert "The mail is on its way" in page.text
    assert "every 2s" in page.text
    assert "The mail is on its way" in sent_page(plant, fragment=True).text
    plant.add("MO-2026-0042")
    plant.add_mail(
        EML,
        number="MO-2026-0042",
        sender="jo@example.com",
        message_id="<a1@example.com>",
    )
    assert sent_page(plant).location == "/orders/MO-2026-0042"
    live = sent_page(plant, fragment=True)
    assert live.headers["HX-Redirect"] == "/orders/MO-2026-0042"


def test_a_rejected_mail_is_shown_with_its_reasons(plant: Plant) -> None:
    plant.add_mail(
        EML,
        number=None,
        outcome="rejected",
        reasons=[
            {"code": "bad", "sentence": "This <b>unit</b> is new.", "where": "5 <i>"}
        ],
        sender="jo@example.com",
        message_id="<a1@example.com>",
    )
    page = sent_page(plant).text
    assert "The order was rejected" in page
    assert "This &lt;b&gt;unit&lt;/b&gt; is new." in page
    assert "5 &lt;i&gt;" in page


def test_the_same_id_of_another_sender_is_not_our_mail(plant: Plant) -> None:
    plant.add("MO-2026-0042")
    plant.add_mail(
        EML,
        number="MO-2026-0042",
        sender="other@example.com",
        message_id="<a1@example.com>",
    )
    assert "The mail is on its way" in sent_page(plant).text


@pytest.mark.parametrize("value", ["", "\0", "x" * 5000, "'; DROP TABLE mails; --"])
def test_an_odd_address_waits_for_nothing(plant: Plant, value: str) -> None:
    answer = plant.browser("supervisor").get(
        "/orders/sent", query_string={"sender": value, "message": value}
    )
    assert answer.status_code == 200
