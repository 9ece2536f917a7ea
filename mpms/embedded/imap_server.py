"""The embedded IMAP server: pymap over mail directories, in a process of its own.

pymap parses and rewrites messages when it reads them, which loses bytes and lets a
hostile message stop it; here they are served as they lie on the disk.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
from argparse import Namespace
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from proxyprotocol.reader import ProxyProtocolReader
from pymap.backend.maildir import MaildirBackend
from pymap.backend.maildir import mailbox as pymap_mailbox
from pymap.backend.maildir.users import PasswordsFile, UsersFile
from pymap.imap import IMAPServer
from pymap.mime import MessageBody, MessageContent, MessageHeader
from pysasl.hashing import BuiltinHash

from mpms.embedded.child import serve_until_told

# The passwords are long and random: a slow hash would only slow the login down.
HASH_ROUNDS = 1000
LARGEST_HEAD = 64 * 1024
MOST_PARTS = 200
STALE_LOCK = "dovecot-uidlist.lock"


def write_users(directory: Path, users: Mapping[str, str]) -> None:
    """Write pymap's user files: addresses, passwords, one mail directory each."""
    hashing = BuiltinHash(rounds=HASH_ROUNDS)
    names = UsersFile(str(directory))
    secrets = PasswordsFile(str(directory))
    for address, password in users.items():
        names.set(UsersFile.build_record(address, address))
        secrets.set(PasswordsFile.build_record(address, hashing.hash(password)))
    for records in (names, secrets):
        path = Path(records.get_file(str(directory)))
        with open(path, "w", opener=_private, encoding="utf-8") as file:
            records.write(file)


def remove_stale_locks(directory: Path) -> None:
    """A killed server leaves its lock files; pymap would wait ten minutes."""
    for path in directory.glob(f"**/{STALE_LOCK}"):
        path.unlink(missing_ok=True)


class _Untouched:
    """Message bytes where pymap expects a parsed message."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def __bytes__(self) -> bytes:
        return self._raw


def _read_untouched(maildir: Any, key: str) -> _Untouched:
    path = os.path.join(maildir._path, maildir._lookup(key))
    return _Untouched(Path(path).read_bytes())


def _parse(raw: bytes) -> MessageContent:
    """Find a message's parts for mail clients, unless that looks like an attack."""
    lines = MessageContent._find_lines(raw)
    top, rest = MessageContent._split_lines(raw, lines)
    size = top[-1][2] if top else 0
    if size <= LARGEST_HEAD and raw.lower().count(b"content-type:") <= MOST_PARTS:
        try:
            return MessageContent._parse(raw, memoryview(raw), lines)
        except Exception as error:
            logging.warning("a message is served as one part: %r", error)
    header = MessageHeader._parse(raw, memoryview(raw), top)
    plain = MessageBody._parse_content_type("text/plain")
    return MessageContent(raw, header, MessageBody(raw, rest, plain, []))


def serve_bytes_untouched() -> None:
    """Make pymap hand out files as they are, whatever they contain."""
    pymap_mailbox.Maildir.get_message = _read_untouched  # type: ignore[assignment,method-assign]
    MessageContent.parse = staticmethod(_parse)  # type: ignore[assignment,method-assign]


async def _run(directory: Path, listening: int) -> None:
    arguments = Namespace(
        base_dir=str(directory),
        layout="++",
        colon=None,
        concurrency=4,
        debug=False,
        host=None,
        port="0",
        cert=None,
        key=None,
        tls=False,
        proxy_protocol=None,
        passlib_cfg=None,
        inherited_sockets=None,
    )
    backend, config = await MaildirBackend.init(arguments)
    config.apply_context()
    converse = ProxyProtocolReader(config.proxy_protocol).get_callback(
        IMAPServer(backend.login, config)
    )

    async def serve(sock: socket.socket) -> asyncio.Server:
        return await asyncio.start_server(converse, sock=sock)

    async with AsyncExitStack() as stack:
        await backend.start(stack)
        await serve_until_told(serve, listening)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def main(arguments: list[str]) -> None:
    """Run with the mail directory and the number of the listening socket."""
    logging.basicConfig(level=logging.WARNING)
    os.umask(0o077)
    serve_bytes_untouched()
    asyncio.run(_run(Path(arguments[0]), int(arguments[1])))
    # Threads of open connections would hold up the end.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
