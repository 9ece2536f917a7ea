"""Tell the mail loop that something arrived, so that it need not wait for its poll."""

from __future__ import annotations

from mpms.domain.instances.steps import Throw
from mpms.factory.ports.mail.mailbox import Mailbox
from mpms.factory.ports.store import UnitOfWork

CHANGED = Throw("message", "mailbox changed", None, {}, once=True)


def watch_mailbox(uow: UnitOfWork, mailbox: Mailbox, *, timeout_s: float) -> bool:
    """Wait for mail and say so; False if none came. MailboxUnavailable.

    Nothing is lost when this fails: the process polls by itself.
    """
    if not mailbox.wait(timeout_s):
        return False
    with uow() as tx:
        tx.deliveries.throw(CHANGED)
        tx.wake()
    return True
