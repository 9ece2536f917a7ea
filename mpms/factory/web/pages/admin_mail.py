"""Mail: where it stands, and a test of the account that says at which step it stops."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, render_template, request

from mpms.factory.ports.checks import CheckStep, Tell
from mpms.factory.web.bounded import TestRuns, bounded
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels.checks import step_words
from mpms.web.pages.admin_people import ADMINS
from mpms.web.rights import allowed
from mpms.web.site.signed_in import current_person

pages = Blueprint("mail", __name__)
pages.add_app_template_global(step_words, "step_words")

ROWS = 20


@pages.get("/admin/mail")
@allowed(ADMINS)
def show() -> str:
    return _page()


@pages.post("/admin/mail/test")
@allowed(ADMINS)
def test() -> str:
    desk = current_desk()
    checks = desk.mail_check
    server = "smtp" if request.form.get("server") == "smtp" else "imap"
    send = server == "smtp" and request.form.get("send") == "yes"
    if checks is None:
        steps = [CheckStep("configured", False, "not_set")]
    else:

        def ask(tell: Tell) -> None:
            if server == "imap":
                checks.imap(tell)
            else:
                checks.smtp(tell, send=send)

        try:
            steps = bounded(f"mail {server}", ask)
        except TestRuns as runs:
            steps = [CheckStep("limit", None, detail=str(runs))]
    with desk.uow() as tx:
        tx.events.append(
            "connection tested",
            actor=current_person().login,
            data={
                "server": server,
                "sent": send,
                "worked": all(s.ok is not False for s in steps),
            },
        )
    if "HX-Request" in request.headers:
        return render_template("_admin_steps.html", steps=steps)
    return _page(tested=server, steps=steps)


def _page(**more: Any) -> str:
    desk = current_desk()
    with desk.uow() as tx:
        facts = tx.mail_vitals.mail()
        contacts = tx.workers.contacts()
        replies = tx.mail_vitals.replies(ROWS)
        mails = tx.mail_vitals.mails(ROWS)
    servers = {} if desk.mail_check is None else desk.mail_check.places()
    return render_template(
        "admin_mail.html",
        facts=facts,
        contacts=contacts,
        replies=replies,
        mails=mails,
        servers=servers,
        **{"tested": "", "steps": None} | more,
    )
