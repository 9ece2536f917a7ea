"""Replies as they go over the wire: no word of a stranger becomes a header."""

import email
import random
from datetime import UTC, datetime
from email import policy
from email.message import EmailMessage
from typing import Any

import pytest

from mpms.adapters.smtp import ReplyRefused, message_id, write
from mpms.ports.outgoing_mail import Reply

SENDER = "orders@plant.example.com"
SENT_AT = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def reply(**changes: Any) -> Reply:
    settings: dict[str, Any] = {
        "id": "r-1",
        "to": "buyer@example.org",
        "subject": "Your order",
        "body": "Thank you.",
        "in_reply_to": "<1@example.org>",
    }
    return Reply(**settings | changes)


def parse(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, policy=policy.default)


def text_of(message: EmailMessage) -> str:
    return str(message.get_content()).replace("\r\n", "\n")


def test_a_reply_says_what_it_answers_and_that_no_person_wrote_it() -> None:
    message = parse(write(reply(), SENDER, SENT_AT))
    assert message["From"] == SENDER
    assert message["To"] == "buyer@example.org"
    assert message["Auto-Submitted"] == "auto-replied"
    assert message["In-Reply-To"] == message["References"] == "<1@example.org>"
    assert message["Message-ID"] == "<r-1@plant.example.com>"
    assert message["Date"].datetime == SENT_AT
    assert text_of(message) == "Thank you.\n"


def test_all_letters_arrive() -> None:
    subject = "Sipariş MO-2026-0001 – größer, añadido, ıİ 漢字"
    body = "Çelik tozu: 12,5 kg\n\n.\n..\nFrom here\nend \n= x" + "ş" * 500
    message = parse(write(reply(subject=subject, body=body), SENDER, SENT_AT))
    assert message["Subject"] == subject
    assert text_of(message) == body + "\n"


def test_every_line_fits_and_is_ascii() -> None:
    raw = write(reply(subject="ş" * 200, body="ü" * 5000), SENDER, SENT_AT)
    assert raw.isascii()
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert max(len(line) for line in raw.split(b"\r\n")) <= 78


def test_line_breaks_in_a_subject_make_no_header() -> None:
    nasty = "hello\r\nBcc: all@example.org\n\nbody\x00\x0b\x85\u2028X-Evil: 1\rY: 2"
    message = parse(write(reply(subject=nasty), SENDER, SENT_AT))
    assert message["Bcc"] is None
    assert message["X-Evil"] is None
    assert message["Subject"].startswith("hello Bcc: all@example.org body")


@pytest.mark.parametrize(
    "to",
    [
        "",
        "nobody",
        "a@b\r\nBcc: c@d",
        "a@b, c@d",
        "a b@c",
        "<a@b>",
        "a@",
        "@b",
        "şeker@example.org",
        "x" * 300 + "@example.org",
    ],
)
def test_an_address_that_is_none_is_refused(to: str) -> None:
    with pytest.raises(ReplyRefused, match="not an address"):
        write(reply(to=to), SENDER, SENT_AT)


@pytest.mark.parametrize(
    "original",
    [None, "", "no brackets", "<a b>", "<a>\r\nBcc: c@d", "<a><b>", "<" + "x" * 2000],
)
def test_a_message_id_that_is_none_is_left_out(original: str | None) -> None:
    message = parse(write(reply(in_reply_to=original), SENDER, SENT_AT))
    assert message["In-Reply-To"] is None
    assert message["References"] is None
    assert message["Bcc"] is None


def test_a_long_message_id_is_quoted_unchanged() -> None:
    original = "<" + "a" * 300 + "@example.org>"
    raw = write(reply(in_reply_to=f" {original} "), SENDER, SENT_AT)
    assert f"In-Reply-To: {original}\r\n".encode() in raw


def test_the_message_id_depends_on_the_reply_alone() -> None:
    assert message_id("r-1", SENDER) == "<r-1@plant.example.com>"
    odd = message_id("a b\r\n<>", SENDER)
    assert odd == message_id("a b\r\n<>", SENDER)
    assert odd != message_id("a b\r\n<", SENDER)
    assert len(odd) < 100
    assert odd.isascii()


def test_any_text_gives_one_message_with_our_headers_only() -> None:
    seed = 20261116
    print(f"seed {seed}")
    random_letters = random.Random(seed)
    letters = "\r\n\t\x00\x0b:<>@ =?abşüİ\u2028\u2029\ud800漢"
    for _ in range(500):
        text = "".join(random_letters.choices(letters, k=random_letters.randrange(60)))
        raw = write(reply(subject=text, body=text, in_reply_to=text), SENDER, SENT_AT)
        head = raw.partition(b"\r\n\r\n")[0].decode("ascii").split("\r\n")
        names = [line.split(":")[0] for line in head if line[0] not in " \t"]
        assert set(names) <= {
            "Date",
            "From",
            "To",
            "Subject",
            "Message-ID",
            "In-Reply-To",
            "References",
            "Auto-Submitted",
            "MIME-Version",
            "Content-Type",
            "Content-Transfer-Encoding",
        }
        assert len(names) == len(set(names))
