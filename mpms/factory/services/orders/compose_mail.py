"""Write the mail that a customer would write, so that a form orders in the same way.

What is written here is read by the intake like any other message: there is one way
into the factory. See ``docs/order_mail.md`` for what a message may look like.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid

from mpms.domain.errors import MpmsError
from mpms.factory.domain.order_mail.headers import split_headers
from mpms.factory.domain.order_mail.sender import read_from
from mpms.factory.ports.store import UnitOfWork

ORDER_NUMBER = re.compile(r"MO-[0-9]{4}-[0-9]{4}")
MESSAGE_ID = re.compile(r"<[\w.+=-]{1,120}@[\w.-]{1,120}>", re.ASCII)
ADDRESS = re.compile(r"[\w.+-]{1,64}@[a-z0-9-]+(?:\.[a-z0-9-]+)+", re.ASCII | re.I)
LONGEST_TEXT = 200
LONGEST_MESSAGE_ID = 900
LARGEST_UPLOAD = 10 << 20


class UploadRefused(MpmsError):
    """This file is no message that could be sent."""


@dataclass(frozen=True)
class WishedLine:
    """A raw material and how much of it."""

    code: str
    name: str
    kg: Decimal


@dataclass(frozen=True)
class OrderWish:
    """What the form asks for; everything has been checked."""

    number: str
    product: str
    due: date | None
    priority: str
    reference: str
    lines: tuple[WishedLine, ...]


@dataclass(frozen=True)
class OutgoingMail:
    """A message that is ready to be sent, and how to recognise it afterwards."""

    raw: bytes
    sender: str
    message_id: str


def compose_order_mail(
    wish: OrderWish, *, sender: str, to: str, message_id: str, at: datetime
) -> OutgoingMail:
    message = EmailMessage()
    message["From"], message["To"] = sender, to
    message["Subject"] = f"Order {wish.number}"
    message["Message-ID"] = message_id
    message["Date"] = format_datetime(at)
    message.set_content(order_text(wish), charset="utf-8")
    return OutgoingMail(bytes(message), sender.lower(), message_id)


def order_text(wish: OrderWish) -> str:
    """The body, in the words that the intake reads."""
    keys = [f"Order: {wish.number}"]
    if wish.product:
        keys.append(f"Product: {one_line(wish.product)}")
    if wish.due is not None:
        keys.append(f"Due: {wish.due.isoformat()}")
    keys.append(f"Priority: {wish.priority}")
    if wish.reference:
        keys.append(f"Reference: {one_line(wish.reference)}")
    materials = [
        f"{line.code} | {one_line(line.name)} | {_amount(line.kg)}"
        for line in wish.lines
    ]
    return "\n".join((*keys, "", "Materials:", *materials, ""))


def _amount(kg: Decimal) -> str:
    """12.125 kg would be a question of country: it may mean twelve tons."""
    if kg == kg.quantize(Decimal("0.01")):
        return f"{kg.normalize():f} kg"
    return f"{kg * 1000:f}".rstrip("0").rstrip(".") + " g"


def one_line(text: str) -> str:
    """Free text that can begin no line of its own."""
    printable = "".join(c if c.isprintable() else " " for c in text)
    return " ".join(printable.split())[:LONGEST_TEXT]


def new_message_id(sender: str) -> str:
    return make_msgid(domain=sender.rpartition("@")[2] or "localhost")


def propose_number(uow: UnitOfWork, today: date) -> str:
    """The number after the highest one of this year."""
    series = f"MO-{today.year:04d}-"
    with uow() as tx:
        last = tx.order_views.last_number(f"{series}0000", f"{series}9999")
    if last is None or ORDER_NUMBER.fullmatch(last) is None:
        return f"{series}0001"
    return f"{series}{min(int(last[-4:]) + 1, 9999):04d}"


def check_upload(raw: bytes) -> OutgoingMail:
    """A message somebody saved as a file. UploadRefused.

    It goes out as it is; only a Message-ID is added where there is none, because
    nothing else tells what became of it.
    """
    if not raw.strip():
        raise UploadRefused("The file is empty.")
    if len(raw) > LARGEST_UPLOAD:
        raise UploadRefused("The file is larger than 10 MB.")
    if b"\0" in raw:
        raise UploadRefused("The file is no e-mail: it holds NUL bytes.")
    headers, _ = split_headers(raw)
    sender = read_from(headers)
    if sender is None:
        raise UploadRefused("The file does not say who the message is from.")
    given = (headers.first("message-id") or b"").strip()
    if len(given) > LONGEST_MESSAGE_ID or not given.isascii():
        raise UploadRefused("The Message-ID of the file cannot be read.")
    if given:
        seen = "".join(c for c in given.decode() if c.isprintable() and c != " ")
        return OutgoingMail(raw, sender, seen)
    message_id = new_message_id(sender)
    return OutgoingMail(
        f"Message-ID: {message_id}\r\n".encode() + raw, sender, message_id
    )
