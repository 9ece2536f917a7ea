"""What became of each message, and the replies that are still to be sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mpms.adapters.postgres.database.statements import Repository, as_json
from mpms.factory.ports.mail.mailbox import MailMessageId
from mpms.factory.ports.mail.mails import MailRecord
from mpms.ports.outgoing_mail import OF_DELIVERY, Reply

PIECE_BYTES = 1 << 20


class Mails(Repository):
    """Rows of ``mails``."""

    def known(self, messages: Iterable[MailMessageId]) -> dict[MailMessageId, str]:
        """Those that have been read before, with their outcome."""
        groups: dict[tuple[str, str, int], list[int]] = {}
        for message in messages:
            place = (message.account, message.folder, message.uidvalidity)
            groups.setdefault(place, []).append(message.uid)
        return {
            MailMessageId(*place, uid): outcome
            for place, uids in groups.items()
            for uid, outcome in self._statements.rows(
                "mails_known",
                account=place[0],
                folder=place[1],
                uidvalidity=place[2],
                uids=uids,
            )
        }

    def lock(self, key: str) -> None:
        """One message of a sender at a time, so that its copies see each other."""
        self._statements.run("mails_lock", key=key)

    def seen(self, sender: str, message_id: str) -> bool:
        row = self._statements.row("mails_seen", sender=sender, message_id=message_id)
        return row is not None

    def copies(self, sha256: str) -> set[str]:
        """The outcomes of messages with these very bytes."""
        return {row[0] for row in self._statements.rows("mails_copies", sha256=sha256)}

    def sender_known(self, sender: str) -> bool:
        return self._statements.row("mails_sender_known", sender=sender) is not None

    def add(self, mail: MailRecord) -> int | None:
        """The new row's id; None if this place was read before."""
        raw = None if mail.raw is None else memoryview(mail.raw)
        row = self._statements.row(
            "mails_insert",
            **vars_of(mail.message),
            sha256=mail.sha256,
            size_bytes=mail.size_bytes,
            raw=None if raw is None else raw[:PIECE_BYTES],
            sender=_storable(mail.sender),
            message_id=_storable(mail.message_id),
            counts=mail.counts,
            outcome=mail.outcome,
            reasons=as_json(mail.reasons),
            order_number=mail.order_number,
        )
        if row is None:
            return None
        mail_id = int(row[0])
        for start in range(PIECE_BYTES, len(raw or b""), PIECE_BYTES):
            self._statements.run(
                "mails_insert_piece",
                mail_id=mail_id,
                piece=start // PIECE_BYTES,
                raw=None if raw is None else raw[start : start + PIECE_BYTES],
            )
        return mail_id

    def raw(self, mail_id: int) -> bytes | None:
        """The bytes of a message; None if it was too large to be fetched."""
        pieces = self._statements.rows("mails_raw", mail_id=mail_id)
        return b"".join(bytes(row[0]) for row in pieces) if pieces else None

    def of_order(self, number: str) -> tuple[int, str, str | None] | None:
        row = self._statements.row("mails_of_order", order_number=number)
        return None if row is None else (row[0], row[1], row[2])

    def counts(self) -> dict[str, int]:
        return {outcome: n for outcome, n in self._statements.rows("mails_counts")}


class Outbox(Repository):
    """Rows of ``outbox``."""

    def write(self, mail_id: int | None, reply: Reply) -> None:
        self._statements.run(
            "outbox_insert",
            id=reply.id,
            mail_id=mail_id,
            recipient=reply.to,
            subject=reply.subject,
            body=reply.body,
            in_reply_to=reply.in_reply_to,
        )

    def take(self, process: str) -> tuple[Reply, int] | None:
        """One due reply and the number of this attempt."""
        row = self._statements.row("outbox_take", process=process)
        if row is None:
            return None
        is_answer = not row[0].startswith(OF_DELIVERY)
        return replace(Reply(*row[:5]), is_answer=is_answer), int(row[5])

    def sent(self, reply_id: str) -> None:
        self._statements.run("outbox_sent", id=reply_id)

    def postpone(self, reply_id: str, *, delay_s: float, error: str) -> None:
        self._statements.run(
            "outbox_postpone", id=reply_id, delay_s=delay_s, error=error
        )

    def give_up(self, reply_id: str, error: str) -> None:
        self._statements.run("outbox_give_up", id=reply_id, error=error)

    def doubt(self, reply_id: str, error: str) -> None:
        """Nobody knows whether it went out."""
        self._statements.run("outbox_doubt", id=reply_id, error=error)

    def forgotten(self, after_s: float, error: str) -> list[str]:
        """Doubt what a process took this long ago and never told about; to whom."""
        rows = self._statements.rows("outbox_forgotten", after_s=after_s, error=error)
        return [row[0] for row in rows]


def vars_of(message: MailMessageId) -> dict[str, object]:
    return {
        "account": message.account,
        "folder": message.folder,
        "uidvalidity": message.uidvalidity,
        "uid": message.uid,
    }


def _storable(text: str | None) -> str | None:
    """PostgreSQL keeps no NUL in a text."""
    return None if text is None else text.replace("\0", "\N{REPLACEMENT CHARACTER}")
