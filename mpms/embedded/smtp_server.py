"""The embedded SMTP server: takes mail from known users into mail directories.

It relays nothing. Who sends must log in, and only mail to its own users is taken.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from mpms.embedded.child import serve_until_told
from mpms.embedded.mail_stamp import automatic_reply_key, stamp
from mpms.embedded.maildrop import drop_into, make_mailbox

__all__ = ["Deliver", "LenientSmtp", "drop_into", "main", "make_mailbox"]

# Above the limit of an order, so that a sender gets an answer that explains it.
LARGEST_BYTES = 40 * 1024 * 1024
LONGEST_LINE = 1024 * 1024

log = logging.getLogger(__name__)


class LenientSmtp(SMTP):
    """Takes lines that other programs write too long."""

    line_length_limit = LONGEST_LINE


class Deliver:
    """The handler: checks users, stamps messages, writes files."""

    def __init__(
        self, directory: Path, users: Mapping[str, str], trusted_host: str
    ) -> None:
        self._directory = directory
        self._users = {address.lower(): key for address, key in users.items()}
        self._folders = {address.lower(): directory / address for address in users}
        self._host = trusted_host

    def authenticate(
        self,
        _server: SMTP,
        _session: Session,
        _envelope: Envelope,
        _mechanism: str,
        credentials: Any,
    ) -> AuthResult:
        """Tell aiosmtpd whether a login is right."""
        if not isinstance(credentials, LoginPassword):
            return AuthResult(success=False, handled=False)
        user = credentials.login.decode("utf-8", "replace").lower()
        wanted = self._users.get(user, secrets.token_hex()).encode()
        right = secrets.compare_digest(wanted, credentials.password)
        return AuthResult(success=right, handled=False, auth_data=user)

    async def handle_RCPT(  # noqa: N802
        self,
        _server: SMTP,
        _session: Session,
        envelope: Envelope,
        address: str,
        _options: list[str],
    ) -> str:
        """Take known recipients only."""
        if address.lower() not in self._users:
            return "550 5.1.1 there is no such mailbox here"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(  # noqa: N802
        self, _server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """Write the message; 250 means it is on the disk."""
        try:
            await asyncio.to_thread(self._deliver, str(session.auth_data), envelope)
        except OSError as error:
            log.exception("a message could not be written")
            return f"451 4.3.0 the message could not be kept: {error.strerror}"
        return "250 2.0.0 OK"

    def _deliver(self, user: str, envelope: Envelope) -> None:
        message = envelope.content or b""
        assert isinstance(message, bytes)  # noqa: S101 (decode_data is off)
        stamped = stamp(
            message,
            user=user,
            return_path=envelope.mail_from or "",
            host=self._host,
            at=datetime.now(UTC),
        )
        key = automatic_reply_key(message)
        for address in {name.lower() for name in envelope.rcpt_tos}:
            folder = self._folders[address]
            mark = folder / "answered" / key if key else None
            if mark is not None and mark.exists():
                continue
            drop_into(folder, stamped)
            if mark is not None:
                mark.parent.mkdir(exist_ok=True, mode=0o700)
                mark.touch()


async def _run(directory: Path, listening: int) -> None:
    settings = json.loads((directory.parent / "mail.json").read_text("utf-8"))
    handler = Deliver(directory, settings["users"], settings["trusted_host"])
    loop = asyncio.get_running_loop()

    def converse() -> SMTP:
        return LenientSmtp(
            handler,
            hostname=settings["trusted_host"],
            ident="MPMS",
            data_size_limit=LARGEST_BYTES,
            enable_SMTPUTF8=True,
            auth_required=True,
            auth_require_tls=False,
            authenticator=handler.authenticate,
            loop=loop,
        )

    async def serve(sock: socket.socket) -> asyncio.Server:
        return await loop.create_server(converse, sock=sock)

    await serve_until_told(serve, listening)


def main(arguments: list[str]) -> None:
    """Run with the mail directory and the number of the listening socket."""
    logging.basicConfig(level=logging.WARNING)
    logging.getLogger("mail.log").setLevel(logging.ERROR)
    os.umask(0o077)
    asyncio.run(_run(Path(arguments[0]), int(arguments[1])))


if __name__ == "__main__":
    main(sys.argv[1:])
