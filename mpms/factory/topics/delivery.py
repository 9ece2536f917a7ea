"""The last mile: a code that only the customer knows, and whether it was typed."""

from __future__ import annotations

import hmac
import secrets

from mpms.domain.jobs import Answer, Done, Job
from mpms.factory.domain.delivery_mail import write_mail
from mpms.factory.ports.store import Transaction
from mpms.ports.outgoing_mail import OF_DELIVERY, Reply

DIGITS = 6
MOST_WRONG = 5
PAGE = "/last-mile/"
WAIT_MINUTES = 10
"""For the customer, where nobody says another time."""


class MakeCode:
    """``delivery.code``: a new one, and the page on which the customer types it; both
    by mail, if there is an address."""

    def __init__(self, site_url: str = "", *, mails: bool = False) -> None:
        self._site_url = site_url.rstrip("/")
        self._mails = mails

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        said = job.inputs
        code = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
        page = f"{self._site_url}{PAGE}{job.instance_id}"
        minutes = int(said.get("wait_minutes") or WAIT_MINUTES)
        to, told = str(said.get("customer_mail") or "").strip(), "nobody"
        if to and not self._mails:
            told = "no mail server"
        elif to:
            told = "mail"
            subject, body = write_mail(
                str(said.get("customer_language") or "en"),
                goods=said.get("goods") or "",
                customer=said.get("customer") or "",
                page=page,
                code=code,
                minutes=minutes,
            )
            mail_id = f"{OF_DELIVERY}{job.instance_id}"
            reply = Reply(mail_id, to, subject, body, None, is_answer=False)
            tx.outbox.write(None, reply)
        return Done(
            {
                "delivery_code": code,
                "delivery_page": page,
                "delivery_link": job.instance_id,
                "code_state": "none",
                "wrong_codes": 0,
                "customer_wait": f"PT{minutes}M",
                "when_away": said.get("when_away") or "ask",
                "customer_mail": to,
                "customer_told": told,
            }
        )


def check_code(tx: Transaction, job: Job) -> Answer:
    """``delivery.check``: right, wrong, or locked after every fifth wrong one. Whoever
    asks the customer then may let them try again."""
    typed = "".join(str(job.inputs.get("typed_code") or "").split())
    wrong = int(job.inputs.get("wrong_codes") or 0)
    wanted = str(job.inputs["delivery_code"])
    if hmac.compare_digest(typed.encode(), wanted.encode()):
        return Done({"code_state": "right", "wrong_codes": wrong})
    wrong += 1
    state = "locked" if wrong % MOST_WRONG == 0 else "wrong"
    return Done({"code_state": state, "wrong_codes": wrong})
