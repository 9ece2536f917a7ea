"""The last mile: a code that only the customer knows, and whether it was typed."""

from __future__ import annotations

import hmac
import secrets

from mpms.domain.jobs import Answer, Done, Job
from mpms.factory.ports.store import Transaction

DIGITS = 6
MOST_WRONG = 5
PAGE = "/last-mile/"


def make_code(tx: Transaction, job: Job) -> Answer:
    """``delivery.code``: a new one, and the page on which the customer types it."""
    return Done(
        {
            "delivery_code": f"{secrets.randbelow(10**DIGITS):0{DIGITS}}",
            "delivery_page": f"{PAGE}{job.instance_id}",
            "code_state": "none",
            "wrong_codes": 0,
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
