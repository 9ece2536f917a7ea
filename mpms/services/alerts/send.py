"""Tell people of causes of incidents, each at most once, many in one message.

What shall be told is claimed in the table ``alerts`` before it is handed to a server.
If the process dies in between, nobody knows whether the message went out, and it is not
sent again: what an alert too few would tell is in the inbox, and alerts that repeat
themselves are switched off. A server that does not answer has taken nothing, so the
claim is given back and the digest grows until it answers.
"""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import uuid4

from mpms.domain.alerts.rules import AlertRules, Digest, ToldCause, is_time
from mpms.domain.alerts.texts import Alert, write_alert
from mpms.ports.alerts import Listener, Pusher, PushGone, PushRefused, PushUnavailable
from mpms.ports.clock import Clock
from mpms.ports.incidents.inbox import CauseFilter
from mpms.ports.outgoing_mail import MailSender, MailServerAway, Reply, ReplyInDoubt
from mpms.ports.store import Transaction, UnitOfWork

log = logging.getLogger(__name__)

ACTOR = "mpms"
MOST_CAUSES = 1_000
NAMED_AT_ONCE = 500
FIRST_DELAY_S = 5.0
LONGEST_DELAY_S = 300.0


class _NotNow(Exception):
    """Nothing went out; it can be tried again."""


class _Never(Exception):
    """It is not sent again, whether it went out or not."""


@dataclass
class _Patience:
    failures: int = 0
    not_before_s: float = 0.0


@dataclass
class SendAlerts:
    """One a worker; any number of workers may do this on one database."""

    uow: UnitOfWork
    clock: Clock
    mail_sender: MailSender | None
    pusher: Pusher | None
    site_url: str
    rules: AlertRules = field(default_factory=AlertRules)
    _patience: dict[str, _Patience] = field(default_factory=dict)

    def __call__(self) -> bool:
        """Name causes, end alerts, send what is due; False if nothing was done."""
        with self.uow() as tx:
            named = tx.incidents.name_causes(NAMED_AT_ONCE)
        if named:
            return True
        digests, names = self._take()
        for listener, digest in digests:
            self._deliver(listener, digest, names)
        return bool(digests)

    def _take(self) -> tuple[list[tuple[Listener, Digest]], dict[str, str]]:
        """Claim everything that is due, in one transaction."""
        taken: list[tuple[Listener, Digest]] = []
        names: dict[str, str] = {}
        with self.uow() as tx:
            if not tx.alerts.lock():
                return [], {}
            tx.alerts.end(self.rules.over_after_s)
            listeners = {each.channel: each for each in tx.alerts.listeners()}
            _forget_unwanted(tx, listeners)
            ready = [each for each in listeners.values() if self._is_ready(each)]
            if not ready:
                return [], {}
            causes = _open_causes(tx)
            told, owed = tx.alerts.told(), tx.alerts.owed()
            last_at, now = tx.alerts.last_told_at(), self.clock.now()
            for listener in ready:
                channel = listener.channel
                known = told.get(channel, frozenset())
                new = [
                    each
                    for each in causes
                    if each.cause not in known and listener.wish.covers(each.processes)
                ]
                over = owed.get(channel, ())
                last = last_at.get(channel)
                if not is_time(new, over, last_at=last, now=now, rules=self.rules):
                    continue
                digest = _claim(tx, channel, new, over)
                if digest:
                    taken.append((listener, digest))
            if taken:
                names = {d.key: d.name or d.key for d in tx.definitions.listing()}
        return taken, names

    def _is_ready(self, listener: Listener) -> bool:
        way = self.mail_sender if listener.subscription is None else self.pusher
        patience = self._patience.get(listener.channel)
        waits = patience is not None and time.monotonic() < patience.not_before_s
        return way is not None and not waits

    def _deliver(
        self, listener: Listener, digest: Digest, names: dict[str, str]
    ) -> None:
        alert = write_alert(
            digest, listener.language, site_url=self.site_url, names=names
        )
        over = [told.cause for told in digest.over]
        try:
            if listener.subscription is None:
                self._mail(listener, alert)
            else:
                self._push(listener, alert)
        except _NotNow as away:
            self._wait(listener, str(away))
            with self.uow() as tx:
                tx.alerts.give_back(listener.channel, digest.causes)
                tx.alerts.owe(listener.channel, over)
        except _Never as lost:
            log.warning("alert to %s: %s", listener.login, lost)
            with self.uow() as tx:
                tx.alerts.note(listener.channel, digest.causes, str(lost))
                _tell(tx, "alert not sent", listener, digest, error=str(lost))
        else:
            self._patience.pop(listener.channel, None)
            with self.uow() as tx:
                tx.alerts.sent(listener.channel, digest.causes)
                _tell(tx, "alert sent", listener, digest)

    def _mail(self, listener: Listener, alert: Alert) -> None:
        assert self.mail_sender is not None  # noqa: S101  (see _is_ready)
        number = f"alert-{uuid4()}"
        message = Reply(
            number,
            listener.address or "",
            f"MPMS: {alert.subject}",
            alert.body,
            in_reply_to=None,
            is_answer=False,
        )
        try:
            taken = self.mail_sender.send([message])
        except ReplyInDoubt as doubt:
            raise _Never(f"it may have gone out: {doubt}") from doubt
        except MailServerAway as away:
            raise _NotNow(str(away)) from away
        if number not in taken:
            raise _Never(self.mail_sender.refusals.get(number, "the server refused it"))

    def _push(self, listener: Listener, alert: Alert) -> None:
        assert self.pusher is not None  # noqa: S101
        assert listener.subscription is not None  # noqa: S101
        notice = {"title": alert.subject, "body": alert.notice, "path": alert.path}
        message = json.dumps(notice, ensure_ascii=False).encode()
        try:
            key = push_key(self.uow, self.pusher)
            self.pusher.send(key, listener.subscription, message)
        except PushUnavailable as away:
            raise _NotNow(str(away)) from away
        except PushRefused as refused:
            raise _Never(str(refused)) from refused
        except PushGone as gone:
            with self.uow() as tx:
                tx.alerts.unsubscribe(listener.subscription.endpoint)
            raise _Never(f"the device takes no more alerts: {gone}") from gone

    def _wait(self, listener: Listener, why: str) -> None:
        patience = self._patience.setdefault(listener.channel, _Patience())
        delay_s = min(LONGEST_DELAY_S, FIRST_DELAY_S * 2 ** min(patience.failures, 20))
        patience.failures += 1
        patience.not_before_s = time.monotonic() + delay_s
        log.warning("alert to %s in %g s again: %s", listener.login, delay_s, why)


def push_key(uow: UnitOfWork, pusher: Pusher) -> bytes:
    """The key that push services know this plant by, made when first needed."""
    with uow() as tx:
        known = tx.alerts.push_key()
        if known is None:
            known = tx.alerts.push_key(pusher.new_key())
    assert known is not None  # noqa: S101
    return known


def _open_causes(tx: Transaction) -> list[ToldCause]:
    rows = tx.inbox.causes(CauseFilter(), limit=MOST_CAUSES)
    return [
        ToldCause(row.cause, row.message, row.incidents, row.processes, row.first_at)
        for row in rows
    ]


def _claim(
    tx: Transaction, channel: str, new: list[ToldCause], over: Sequence[ToldCause]
) -> Digest:
    fresh = set(tx.alerts.take(channel, new)) if new else set()
    ended = set(tx.alerts.take_owed(channel, [t.cause for t in over])) if over else ()
    return Digest(
        tuple(told for told in new if told.cause in fresh),
        tuple(told for told in over if told.cause in ended),
    )


def _forget_unwanted(tx: Transaction, listeners: dict[str, Listener]) -> None:
    """Good news for those who did not ask for it, or are reached no more."""
    for channel, over in tx.alerts.owed().items():
        listener = listeners.get(channel)
        if listener is None or not listener.wish.when_over:
            tx.alerts.take_owed(channel, [told.cause for told in over])


def _tell(
    tx: Transaction, kind: str, listener: Listener, digest: Digest, **more: str
) -> None:
    way = "mail" if listener.subscription is None else "push"
    tx.events.append(
        kind,
        actor=ACTOR,
        data={
            "to": listener.login,
            "by": way,
            "causes": digest.causes[:50],
            "over": [told.cause for told in digest.over][:50],
            **more,
        },
    )
