"""Replies over SMTP.

Every header is built here from checked pieces: subjects and addresses come from
strangers' mail, and a line break in one of them would be a header of their own.
"""

from __future__ import annotations

import hashlib
import logging
import quopri
import re
import smtplib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from email.header import Header
from email.utils import format_datetime

from mpms.adapters.mail_account import (
    Password,
    Security,
    SmtpAccount,
    Tokens,
    TokenUnavailable,
    XOAuth2,
    explain,
    tls_context,
)
from mpms.ports.outgoing_mail import MailServerAway, Reply, ReplyInDoubt

TIMEOUT_S = 60.0
LONGEST_SUBJECT = 200
ADDRESS = re.compile(r"[!-;=?A-~]+@[A-Za-z0-9.\-]+")
MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,900}>")
SAFE_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._\-]{0,120}")

log = logging.getLogger(__name__)


class ReplyRefused(ValueError):
    """A reply that no server would take, whatever the server."""


class SmtpSender:
    """Implements MailSender. ``refusals`` tells why single replies were not taken."""

    def __init__(
        self,
        account: SmtpAccount,
        tokens: Tokens | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self.account = account
        self.refusals: dict[str, str] = {}
        self._tokens = tokens
        self._timeout_s = timeout_s
        self._later: str | None = None  # why the server put a reply off

    def another(self) -> SmtpSender:
        """For another thread: what was refused is remembered by each for itself."""
        return SmtpSender(self.account, self._tokens, self._timeout_s)

    def send(self, replies: Iterable[Reply]) -> list[str]:
        """Send and return the ids that the server took.

        MailServerAway only if it took none; when the connection breaks in the
        middle, the ids so far come back and the next call names the cause. A reply
        that is refused for good is in ``refusals`` and does not hold up the others.
        """
        waiting = list(replies)
        self.refusals, self._later = {}, None
        taken: list[str] = []
        if not waiting:
            return taken
        try:
            with self._connected() as server:
                for reply in waiting:
                    if self._hand_over(server, reply):
                        taken.append(reply.id)
        except MailServerAway as error:
            if not taken:
                raise
            log.warning("only %d of %d replies: %s", len(taken), len(waiting), error)
        if not taken and self._later is not None:
            raise MailServerAway(self._later)
        return taken

    def send_raw(self, sender: str, recipients: list[str], message: bytes) -> None:
        """Hand over a finished message as it is. MailServerAway."""
        with self._connected() as server:
            options = ["BODY=8BITMIME"] if server.has_extn("8bitmime") else []
            lines = re.sub(rb"(?<!\r)\n", b"\r\n", message)
            server.sendmail(sender, recipients, lines, options)

    def _hand_over(self, server: smtplib.SMTP, reply: Reply) -> bool:
        try:
            message = write(reply, self.account.sender, datetime.now(UTC))
            self._transfer(server, reply.to, message)
        except ReplyRefused as error:
            self.refusals[reply.id] = str(error)
        except (
            smtplib.SMTPRecipientsRefused,
            smtplib.SMTPDataError,
            smtplib.SMTPSenderRefused,
        ) as error:
            code, words = _answer(error)
            if code == 421:
                raise
            why = f"{self.account.place} answered {code}: {words}"
            if code < 500:
                self._later = why
            else:
                self.refusals[reply.id] = why
        else:
            return True
        log.warning("reply %s: %s", reply.id, self.refusals.get(reply.id, self._later))
        return False

    def _transfer(self, server: smtplib.SMTP, to: str, message: bytes) -> None:
        """As ``sendmail``, but tells a server that has not got the reply from one
        that has it and does not answer any more. ReplyInDoubt."""
        sender = self.account.sender
        code, words = server.mail(sender)
        if code != 250:
            server.rset()
            raise smtplib.SMTPSenderRefused(code, words, sender)
        code, words = server.rcpt(to)
        if code not in (250, 251):
            server.rset()
            raise smtplib.SMTPRecipientsRefused({to: (code, words)})
        code, words = server.docmd("DATA")
        if code != 354:
            server.rset()
            raise smtplib.SMTPDataError(code, words)
        server.send(re.sub(rb"(?m)^\.", b"..", message) + b".\r\n")
        try:
            code, words = server.getreply()
        except (OSError, smtplib.SMTPException) as error:
            raise ReplyInDoubt(self._words(error)) from error
        if code != 250:
            server.rset()
            raise smtplib.SMTPDataError(code, words)

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        try:
            server = self._connect()
        except Exception as error:
            raise MailServerAway(self._words(error)) from error
        try:
            yield server
        except ReplyInDoubt:
            server.close()
            raise
        except Exception as error:
            server.close()
            raise MailServerAway(self._words(error)) from error
        except BaseException:
            server.close()
            raise
        with suppress(OSError, smtplib.SMTPException):
            server.quit()
        server.close()

    def _connect(self) -> smtplib.SMTP:
        account = self.account
        token = None
        if account.login is not None and not isinstance(account.login, Password):
            if self._tokens is None:
                raise TokenUnavailable("this login needs a source of access tokens")
            token = self._tokens()
        if account.security is Security.TLS:
            server: smtplib.SMTP = smtplib.SMTP_SSL(
                account.host,
                account.port,
                local_hostname="localhost",
                timeout=self._timeout_s,
                context=tls_context(account.ca_file),
            )
        else:
            server = smtplib.SMTP(
                account.host,
                account.port,
                local_hostname="localhost",
                timeout=self._timeout_s,
            )
        try:
            server.ehlo_or_helo_if_needed()
            if account.security is Security.STARTTLS:
                server.starttls(context=tls_context(account.ca_file))
                server.ehlo()
            if token is not None:
                server.auth("XOAUTH2", XOAuth2(account.user or "", token))
            elif isinstance(account.login, Password):
                server.login(account.user or "", account.login.password)
        except BaseException:
            server.close()
            raise
        return server

    def _words(self, error: Exception) -> str:
        account = self.account
        match error:
            case smtplib.SMTPAuthenticationError():
                password = isinstance(account.login, Password)
                what = "password" if password else "access token"
                return (
                    f"{account.place} refused the {what} of {account.user}:"
                    f" {_text(error.smtp_error)}"
                )
            case smtplib.SMTPNotSupportedError():
                return f"{account.place} cannot do what the settings ask: {error}"
            case smtplib.SMTPServerDisconnected():
                lost = error.__context__  # a timeout, if it was one
                return explain(
                    lost if isinstance(lost, OSError) else error, account.place
                )
            case smtplib.SMTPResponseException() | smtplib.SMTPRecipientsRefused():
                code, words = _answer(error)
                return f"{account.place} answered {code}: {words}"
            case smtplib.SMTPException():
                return f"{account.place} refused: {error}"
            case _:
                return explain(error, account.place)


def message_id(reply_id: str, sender: str) -> str:
    """Return the Message-ID of a reply: the same one however often it is sent."""
    name = reply_id
    if not SAFE_ID.fullmatch(reply_id):
        name = hashlib.sha256(reply_id.encode()).hexdigest()
    return f"<{name}@{sender.rpartition('@')[2]}>"


def write(reply: Reply, sender: str, sent_at: datetime) -> bytes:
    """Return a reply as it goes over the wire. ReplyRefused."""
    if not ADDRESS.fullmatch(reply.to) or len(reply.to) > 254:
        raise ReplyRefused(f"{reply.to[:80]!r} is not an address to reply to")
    headers = [
        ("Date", format_datetime(sent_at)),
        ("From", sender),
        ("To", reply.to),
        ("Subject", _subject(reply.subject)),
        ("Message-ID", message_id(reply.id, sender)),
    ]
    original = (reply.in_reply_to or "").strip()
    if MESSAGE_ID.fullmatch(original):
        headers += [("In-Reply-To", original), ("References", original)]
    headers += [
        ("Auto-Submitted", "auto-replied" if reply.is_answer else "auto-generated"),
        ("MIME-Version", "1.0"),
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Transfer-Encoding", "quoted-printable"),
    ]
    head = "".join(f"{name}: {value}\r\n" for name, value in headers)
    lines = "\n".join(reply.body.splitlines()) + "\n"
    body = quopri.encodestring(lines.encode("utf-8", "replace"))
    return head.encode("ascii") + b"\r\n" + body.replace(b"\n", b"\r\n")


def _subject(text: str) -> str:
    one_line = " ".join(
        "".join(c if c.isprintable() else " " for c in text[: 10 * LONGEST_SUBJECT])
        .encode("utf-8", "replace")
        .decode()
        .split()
    )[:LONGEST_SUBJECT]
    charset = "us-ascii" if one_line.isascii() else "utf-8"
    return Header(one_line, charset, header_name="Subject").encode(linesep="\r\n")


def _answer(error: Exception) -> tuple[int, str]:
    if isinstance(error, smtplib.SMTPRecipientsRefused):
        code, words = next(iter(error.recipients.values()))
        return code, _text(words)
    assert isinstance(error, smtplib.SMTPResponseException)  # noqa: S101
    return error.smtp_code, _text(error.smtp_error)


def _text(words: bytes | str) -> str:
    return words if isinstance(words, str) else words.decode("utf-8", "replace")
