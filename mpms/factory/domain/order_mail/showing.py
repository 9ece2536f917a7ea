"""A message in plain words, for people: its text and the names of its files.

Pure, like reading an order: whoever shows a stranger's bytes calls it inside the
sandbox (``mpms.factory.adapters.mail.sandbox``), as when the message came.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mpms.factory.domain.order_mail.headers import Headers, split_headers
from mpms.factory.domain.order_mail.html_tables import read_html
from mpms.factory.domain.order_mail.message import Part, leaf_parts
from mpms.factory.domain.order_mail.outcome import Refused

LONGEST_SHOWN = 50_000
LONGEST_FIELD = 1000
MOST_FILES = 200


@dataclass(frozen=True)
class MailFile:
    """A file in a message: its name and type as the sender wrote them."""

    name: str
    media_type: str


@dataclass(frozen=True)
class MailText:
    """A message in words; ``text`` is None if it cannot be read safely."""

    subject: str = ""
    sender: str = ""
    date: str = ""
    text: str | None = None
    from_html: bool = False
    cut: bool = False
    files: tuple[MailFile, ...] = ()


def read_text(raw: bytes) -> MailText:
    """What a person can read of a message. Never raises, whatever the bytes are."""
    try:
        return _read(raw)
    except Exception:
        return MailText()


def _read(raw: bytes) -> MailText:
    headers, body_at = split_headers(raw)
    text: str | None = None
    from_html = False
    files: tuple[MailFile, ...] = ()
    try:
        parts = leaf_parts(headers, raw, body_at)
        text, from_html = _text(parts)
        files = tuple(
            MailFile(
                (part.filename or "?")[:LONGEST_FIELD],
                part.content.main[:LONGEST_FIELD],
            )
            for part in parts
            if part.filename or part.disposition == "attachment"
        )
    except (Refused, RecursionError):
        pass
    return MailText(
        subject=_field(headers, "subject"),
        sender=_field(headers, "from"),
        date=_field(headers, "date"),
        text=None if text is None else text[:LONGEST_SHOWN],
        from_html=from_html,
        cut=text is not None and len(text) > LONGEST_SHOWN,
        files=files[:MOST_FILES],
    )


def _field(headers: Headers, name: str) -> str:
    try:
        return (headers.texts(name) or [""])[0][:LONGEST_FIELD]
    except Refused:
        return ""


def _text(parts: Sequence[Part]) -> tuple[str, bool]:
    plain = [part.text() for part in parts if part.is_body("text/plain")]
    if any(text.strip() for text in plain):
        return "\n".join(plain).strip("\n"), False
    lines: list[str] = []
    for part in parts:
        if part.is_body("text/html"):
            items = read_html(part.text(), lambda table: False)
            lines += [item for item in items if isinstance(item, str)]
    return "\n".join(lines).strip("\n"), bool(lines)
