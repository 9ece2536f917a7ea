"""A new order by hand: a form that sends the very e-mail, or a message as a file.

Orders enter the factory in one way only, through the mailbox. So the page hands a
message to the mail server and then watches what the intake makes of it.
"""

from __future__ import annotations

from email import message_from_bytes, policy

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.factory.services.mail.show import follow_mail
from mpms.factory.services.orders.compose_mail import (
    LARGEST_UPLOAD,
    OutgoingMail,
    UploadRefused,
    check_upload,
    compose_order_mail,
    new_message_id,
    propose_number,
)
from mpms.factory.services.orders.overview import day_of
from mpms.factory.services.orders.send_mail import (
    MailNotSet,
    MailNotTaken,
    send_order_mail,
)
from mpms.factory.web.desk import FactoryDesk, current_desk
from mpms.factory.web.fields.order import (
    EMPTY_LINES,
    MOST_LINES,
    PRIORITIES,
    OrderForm,
    label,
)
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("new", __name__)


@pages.get("/orders/new")
@allowed(LEADERS)
def form() -> str:
    desk = current_desk()
    blank = OrderForm(
        number=propose_number(desk.uow, day_of(desk.clock.now())),
        sender=_usual_sender(desk),
    )
    for _ in range(EMPTY_LINES):
        blank.add_line()
    return _show(desk, blank)


@pages.post("/orders/new")
@allowed(LEADERS)
def answer() -> Answer | tuple[str, int] | str:
    """Add or remove a line, look at the mail, or send it."""
    desk, typed = current_desk(), OrderForm.read(request.form)
    action, _, place = request.form.get("action", "preview").partition(":")
    if action == "add":
        typed.add_line()
        return _show(desk, typed)
    if action == "remove":
        typed.remove_line(place)
        return _show(desk, typed)
    if action == "recipe":
        typed.take_recipe(desk.catalogue)
        return _show(desk, typed)
    if action == "change":
        return _show(desk, typed)
    mail = _composed(desk, typed)
    if mail is None:
        return _show(desk, typed), 422
    if action != "send":
        return _show(desk, typed, preview=mail)
    return _send(desk, mail) or (
        _show(desk, typed, preview=mail, failure=_not_sent()),
        502,
    )


@pages.post("/orders/upload")
@allowed(LEADERS)
def upload() -> Answer | tuple[str, int]:
    """The name of the file means nothing; only its bytes are looked at."""
    desk, given = current_desk(), request.files.get("message")
    blank = OrderForm(sender=_usual_sender(desk))
    blank.add_line()
    if desk.hand_to_mail_server is None:
        return _show(desk, blank), 422
    try:
        raw = b"" if given is None else given.stream.read(LARGEST_UPLOAD + 1)
        mail = check_upload(raw)
    except UploadRefused as refused:
        blank.errors["message"] = t(str(refused))
        return _show(desk, blank), 422
    return _send(desk, mail) or (_show(desk, blank, failure=_not_sent()), 502)


@pages.get("/orders/sent")
@allowed(LEADERS)
def sent() -> Answer | str:
    """Wait until the intake has read the message."""
    sender, message_id = _followed()
    mail = follow_mail(current_desk().uow, sender, message_id)
    if mail is not None and mail.order_number:
        target = url_for("orders.page", number=mail.order_number)
        if "HX-Request" in request.headers:
            return Response("", headers={"HX-Redirect": target})
        return redirect(target, 303)
    whole = "HX-Request" not in request.headers
    return render_template(
        "order_sent.html" if whole else "_order_sent.html",
        mail=mail,
        sender=sender,
        message_id=message_id,
    )


def _usual_sender(desk: FactoryDesk) -> str:
    """Who orders from this page, where the plant has an address for that."""
    return str(desk.order_sender or "")


def _followed() -> tuple[str, str]:
    sender, message_id = (
        "".join(c for c in request.args.get(key, "") if c.isprintable())[:1000]
        for key in ("sender", "message")
    )
    return sender, message_id


def _composed(desk: FactoryDesk, typed: OrderForm) -> OutgoingMail | None:
    wish = typed.check(desk.catalogue)
    if wish is None or desk.orders_address is None:
        return None
    if not typed.message_id:
        typed.message_id = new_message_id(typed.sender)
    return compose_order_mail(
        wish,
        sender=typed.sender,
        to=desk.orders_address,
        message_id=typed.message_id,
        at=desk.clock.now(),
    )


def _send(desk: FactoryDesk, mail: OutgoingMail) -> Answer | None:
    """None if the mail server did not take it."""
    by = current_person().login
    try:
        send_order_mail(desk.uow, desk.hand_to_mail_server, mail, by=by)
    except (MailNotSet, MailNotTaken):
        return None
    target = url_for("orders.new.sent", sender=mail.sender, message=mail.message_id)
    return redirect(target, 303)


def _not_sent() -> str:
    return t("The mail server did not take the message. Nothing was ordered.")


def _show(
    desk: FactoryDesk,
    typed: OrderForm,
    *,
    preview: OutgoingMail | None = None,
    failure: str = "",
) -> str:
    catalogue = desk.catalogue
    return render_template(
        "order_new.html",
        form=typed,
        priorities=PRIORITIES,
        most_lines=MOST_LINES,
        materials=[] if catalogue is None else list(map(label, catalogue.materials)),
        products=[] if catalogue is None else [r.name for r in catalogue.recipes],
        preview=None if preview is None else _readable(preview),
        failure=failure,
        can_send=desk.hand_to_mail_server is not None
        and desk.orders_address is not None,
        to=desk.orders_address,
    )


def _readable(mail: OutgoingMail) -> dict[str, str]:
    """The mail as its reader sees it; on the wire its text is encoded."""
    message = message_from_bytes(mail.raw, policy=policy.default)
    names = ("From", "To", "Subject", "Date", "Message-ID")
    head = "\n".join(f"{name}: {message[name]}" for name in names)
    body = message.get_content()
    return {"head": head, "body": body}
