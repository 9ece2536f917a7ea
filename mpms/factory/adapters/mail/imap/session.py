"""One conversation of the intake with the mailbox.

The size comes before the body, so that a message above the limit never crosses the
wire. Nothing is remembered in flags: a message is only looked at (PEEK) and moved.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from imapclient import DELETED
from imapclient.exceptions import IMAPClientAbortError, IMAPClientError

from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.adapters.mail.imap.connection import plainly
from mpms.factory.ports.mail.intake import MailboxUnavailable
from mpms.factory.ports.mail.mailbox import MailMessage, MailMessageId

SIZE = b"RFC822.SIZE"
BATCH = 500  # identifiers in one command; servers limit the length of a line


class ImapSession:
    """Implements MailboxSession on a logged-in client."""

    def __init__(self, client: Any, account: MailAccount) -> None:
        self._client = client
        self._account = account
        self._sizes: dict[int, int] = {}
        self._folders: dict[str, str] = {}
        self.uidvalidity = select(client, account, readonly=False)

    def messages(self) -> Sequence[MailMessageId]:
        with plainly(self._account):
            uids = sorted(self._client.search("UNDELETED"))
            self._sizes = {}
            for start in range(0, len(uids), BATCH):
                batch = uids[start : start + BATCH]
                answers = self._client.fetch(batch, [SIZE])
                self._sizes |= {
                    uid: answer[SIZE]
                    for uid, answer in answers.items()
                    if SIZE in answer
                }
        return [self._id(uid) for uid in uids]

    def fetch(self, message: MailMessageId) -> MailMessage | None:
        if not self._is_here(message):
            return None
        with plainly(self._account):
            size = self._size(message.uid)
            if size is None:
                return None
            if size > self._account.limit_bytes:
                return self._too_large(message, size)
            raw = self._part(message.uid, "BODY")
            if raw is None:
                return None
            if len(raw) > self._account.limit_bytes:
                return self._too_large(message, len(raw))
        return MailMessage(message, len(raw), raw)

    def file_away(self, message: MailMessageId, folder: str) -> None:
        if not self._is_here(message):
            return
        with plainly(self._account):
            target = self._folder(folder)
            try:
                self._move(message.uid, target)
            except IMAPClientAbortError:
                raise
            except IMAPClientError:
                if self._client.search(["UID", message.uid]):
                    raise
        self._sizes.pop(message.uid, None)

    def _id(self, uid: int) -> MailMessageId:
        account = self._account
        return MailMessageId(account.name, account.folder, self.uidvalidity, uid)

    def _is_here(self, message: MailMessageId) -> bool:
        return message == self._id(message.uid)

    def _size(self, uid: int) -> int | None:
        if uid not in self._sizes:
            answer = self._client.fetch([uid], [SIZE]).get(uid, {})
            if SIZE not in answer:
                return None
            self._sizes[uid] = answer[SIZE]
        return self._sizes[uid]

    def _part(self, uid: int, part: str) -> bytes | None:
        """Return BODY or BODY[HEADER]; None if the message is gone."""
        section = "" if part == "BODY" else "HEADER"
        answer = self._client.fetch([uid], [f"BODY.PEEK[{section}]"]).get(uid, {})
        key = f"BODY[{section}]".encode()
        if key not in answer:
            return None
        return answer[key] or b""

    def _too_large(self, message: MailMessageId, size: int) -> MailMessage | None:
        headers = self._part(message.uid, "HEADER")
        return None if headers is None else MailMessage(message, size, None, headers)

    def _folder(self, name: str) -> str:
        """Return the full name of a folder, made if it is missing."""
        if name not in self._folders:
            full = self._prefix() + name
            if not self._client.folder_exists(full):
                try:
                    self._client.create_folder(full)
                    self._client.subscribe_folder(full)
                except IMAPClientAbortError:
                    raise
                except IMAPClientError:  # another process was faster
                    if not self._client.folder_exists(full):
                        raise
            self._folders[name] = full
        return self._folders[name]

    def _prefix(self) -> str:
        """Some servers keep all folders of a user below INBOX."""
        if not self._client.has_capability("NAMESPACE"):
            return ""
        personal = self._client.namespace().personal
        return str(personal[0][0]) if personal else ""

    def _move(self, uid: int, target: str) -> None:
        if self._client.has_capability("MOVE"):
            self._client.move([uid], target)
            return
        self._client.copy([uid], target)
        self._client.add_flags([uid], [DELETED], silent=True)
        if self._client.has_capability("UIDPLUS"):
            self._client.uid_expunge([uid])


def select(client: Any, account: MailAccount, *, readonly: bool) -> int:
    """Select the account's folder and return its UIDVALIDITY."""
    with plainly(account):
        try:
            answer = client.select_folder(account.folder, readonly=readonly)
        except IMAPClientAbortError:
            raise
        except IMAPClientError as error:
            raise MailboxUnavailable(
                f"{account.place} does not open the folder {account.folder}"
                f" of {account.user}: {error}"
            ) from error
        if b"UIDVALIDITY" not in answer:
            raise MailboxUnavailable(
                f"{account.place} keeps no lasting numbers for the messages in"
                f" {account.folder} (no UIDVALIDITY), so it cannot be used"
            )
        return int(answer[b"UIDVALIDITY"])
