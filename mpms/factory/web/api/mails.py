"""Mail by the API: orders handed over as messages, what came of them, replies."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Base64Bytes, Field

from mpms.domain.errors import NotFound
from mpms.factory.ports.mail.vitals import MailRead, UnsentReply
from mpms.factory.services.mail.show import follow_mail, show_mail
from mpms.factory.services.orders.compose_mail import check_upload
from mpms.factory.services.orders.send_mail import send_order_mail
from mpms.factory.web.api.orders import MailShape, Number
from mpms.factory.web.desk import Call
from mpms.ports.workers import Contact
from mpms.web.api.operation import Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import Limit, Listed, shaped
from mpms.web.rights import ADMINS, LEADERS

section = Section("Mail", "Orders that come by mail, and replies that go out.")


class NewMail(Given):
    message: Base64Bytes = Field(
        description="The file as a mail program saves it (.eml), in Base64."
    )


class SentMail(Shape):
    """By this it is found again once it has been read."""

    sender: str
    message_id: str


class ReadMail(MailShape):
    order: str | None


class MailFileShape(Shape):
    name: str
    media_type: str


class MailInWords(Shape):
    subject: str
    sender: str
    date: str
    text: str | None = Field(description="Null: it cannot be read safely.")
    from_html: bool
    cut: bool
    files: list[MailFileShape]


class SentQuery(Given):
    sender: Annotated[str, Field(min_length=1, max_length=1000)]
    message_id: Annotated[str, Field(min_length=1, max_length=1000)]


class Last(Given):
    limit: Limit = 20


@like(MailRead)
class MailInList(Shape): ...


@like(UnsentReply)
class ReplyShape(Shape):
    state: str = Field(description="waiting, sending, unknown or given_up")


class MailServer(Shape):
    server: str = Field(description="imap or smtp")
    place: str
    reached_at: datetime | None
    failed_at: datetime | None
    failure: str | None


class MailFactsShape(Shape):
    servers: list[MailServer]
    last_read_at: datetime | None
    last_sent_at: datetime | None
    replies_waiting: int
    replies_lost: int = Field(description="Of which nobody knows whether they arrived.")


@section.post(
    "/mails",
    LEADERS,
    status=202,
    fails=(502,),
    atomic=False,
    example={
        "message": "RnJvbTogYnV5ZXJAZXhhbXBsZS5jb20NCg0KT3JkZXI6IE1PLTIwMjYtMDgxNQ=="
    },
)
def send(call: Call, body: NewMail) -> SentMail:
    """Hand an order mail to the mail server, as its sender would.

    It is read like any other; `GET /mails/sent` tells what came of it. The same message
    sent twice is one order.
    """
    desk, mail = call.desk, check_upload(body.message)
    send_order_mail(desk.uow, desk.hand_to_mail_server, mail, by=call.by)
    return SentMail(sender=mail.sender, message_id=mail.message_id)


@section.get("/mails/sent", LEADERS, fails=(404,))
def sent(call: Call, query: SentQuery) -> ReadMail:
    """What came of a message that was sent a moment ago; 404 until it is read."""
    found = follow_mail(call.desk.uow, query.sender, query.message_id)
    if found is None:
        raise NotFound("This message has not been read yet.")
    known = MailShape.model_validate(found)
    return ReadMail(**known.model_dump(), order=found.order_number)


@section.get("/mails", ADMINS)
def mails(call: Call, query: Last) -> Listed[MailInList]:
    """The last messages and what came of them."""
    with call.desk.uow() as tx:
        found = tx.mail_vitals.mails(query.limit)
    return Listed[MailInList](items=shaped(MailInList, found))


@section.get("/replies", ADMINS)
def replies(call: Call, query: Last) -> Listed[ReplyShape]:
    """Replies that have not gone out, or of which nobody knows."""
    with call.desk.uow() as tx:
        found = tx.mail_vitals.replies(query.limit)
    return Listed[ReplyShape](items=shaped(ReplyShape, found))


@section.get("/plant/mail", ADMINS)
def facts(call: Call) -> MailFactsShape:
    """Where the mail stands: servers, the last message, replies that wait."""
    checks = call.desk.mail_check
    places = {} if checks is None else checks.places()
    with call.desk.uow() as tx:
        known, contacts = tx.mail_vitals.mail(), tx.workers.contacts()
    return MailFactsShape(
        servers=[
            _server(name, places.get(name, ""), contacts.get(name))
            for name in ("imap", "smtp")
        ],
        last_read_at=known.last_read_at,
        last_sent_at=known.last_sent_at,
        replies_waiting=known.replies_waiting,
        replies_lost=known.replies_lost,
    )


@section.get("/orders/{number}/mail/words", LEADERS)
def words(call: Call, number: Number) -> MailInWords:
    """The message that brought an order, as plain text."""
    found = show_mail(call.desk.uow, call.desk.read_mail, number)
    return MailInWords.model_validate(found)


def _server(name: str, place: str, contact: Contact | None) -> MailServer:
    return MailServer(
        server=name,
        place=place,
        reached_at=None if contact is None else contact.reached_at,
        failed_at=None if contact is None else contact.failed_at,
        failure=None if contact is None else contact.failure,
    )
