"""What the embedded server writes on top of a message, and what it takes away."""

import email
import random
from datetime import UTC, datetime

import pytest

from mpms.embedded.mail_stamp import automatic_reply_key, stamp

HOST = "mx.plant.example.com"
USER = "buyer@example.org"
AT = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


def stamped(raw: bytes, user: str = USER) -> bytes:
    return stamp(raw, user=user, return_path=user, host=HOST, at=AT)


@pytest.mark.parametrize(
    ("origin", "auth_result"),
    [
        (USER, "pass"),
        (f"Buyer <{USER}>", "pass"),
        (f'"The Buyer" <{USER.upper()}>', "pass"),
        (f"=?utf-8?q?B=C3=BCyer?=\r\n <{USER}>", "pass"),
        ("other@example.org", "fail"),
        (f"{USER}, other@example.org", "fail"),
        (f"other@example.org <{USER}>", "fail"),
        (f"{USER} (other@example.org)", "fail"),
        (f"group: {USER};", "fail"),
        ("", "fail"),
        (f"<{USER}> <other@example.org>", "fail"),
    ],
)
def test_only_the_users_own_address_passes(origin: str, auth_result: str) -> None:
    raw = stamped(f"From: {origin}\r\n\r\nx\r\n".encode())
    assert f"dmarc={auth_result}".encode() in raw


def test_line_ends_of_any_kind_leave_one_result() -> None:
    for end in (b"\r\n", b"\n"):
        lines = [
            b"Authentication-Results: mx.plant.example.com; dmarc=pass header.from=x",
            b"\tcontinued",
            b"AUTHENTICATION-RESULTS:other",
            b"From: other@example.org",
            b"",
            b"Authentication-Results: in the body stays",
            b"",
        ]
        raw = stamped(end.join(lines))
        head, _, body = raw.partition(b"\r\n\r\n")
        assert head.lower().count(b"authentication-results") == 1
        assert b"continued" not in raw
        assert b"dmarc=pass" not in raw
        assert body == b"Authentication-Results: in the body stays" + end


@pytest.mark.parametrize(
    "raw", [b"", b"\r\n", b"\n", b"\r\nbody", b"no header at all", b"A: b", b"A: b\r\n"]
)
def test_messages_without_a_head_or_a_body_are_stamped_too(raw: bytes) -> None:
    assert stamped(raw).startswith(b"Return-Path: <buyer@example.org>\r\n")


def test_the_topmost_result_is_ours_whatever_comes_in() -> None:
    seed = 4
    print(f"seed {seed}")
    letters = random.Random(seed)
    pieces = [
        b"Authentication-Results: mx.plant.example.com; dmarc=pass header.from=evil",
        b"From: evil@example.net",
        b"\r",
        b"\n",
        b"\r\n",
        b" ",
        b"\t",
        b":",
        b"\x00\xff",
        b"\x0b\x0c\x85",
    ]
    for _ in range(500):
        raw = b"".join(letters.choices(pieces, k=letters.randrange(12)))
        message = email.message_from_bytes(stamped(raw))
        auth_result = message.get_all("Authentication-Results", [])[0]
        assert "dmarc=fail" in auth_result
        assert auth_result.startswith(HOST)


def test_only_automatic_replies_have_a_key() -> None:
    reply = b"Auto-Submitted: auto-replied\r\nMessage-ID: <1@x>\r\n\r\nx"
    assert automatic_reply_key(reply) == automatic_reply_key(reply + b"y")
    assert automatic_reply_key(reply) != automatic_reply_key(
        reply.replace(b"<1", b"<2")
    )
    for other in (
        b"Message-ID: <1@x>\r\n\r\nx",
        b"Auto-Submitted: no\r\nMessage-ID: <1@x>\r\n\r\nx",
        b"Auto-Submitted: auto-replied\r\n\r\nMessage-ID: <1@x>",
        b"Auto-Submitted: auto-replied\r\nMessage-ID: <1@x>\r\nMessage-ID: <2@x>\r\n",
    ):
        assert automatic_reply_key(other) is None


def test_a_return_path_cannot_carry_a_header() -> None:
    raw = stamp(b"\r\n", user=USER, return_path="a>\r\nX: <b", host=HOST, at=AT)
    assert b"\r\nX:" not in raw
