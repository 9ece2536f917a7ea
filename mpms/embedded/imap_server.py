"""The embedded IMAP server: pymap over mail directories, in a process of its own.

No TLS, because it listens on loopback only; ``maildir`` is where it differs from
pymap as it comes.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import socket
import sys
from argparse import Namespace
from collections.abc import Mapping
from contextlib import AsyncExitStack
from pathlib import Path

from proxyprotocol.reader import ProxyProtocolReader
from pymap.backend.maildir import MaildirBackend
from pymap.backend.maildir.users import PasswordsFile, UsersFile
from pymap.imap import IMAPServer
from pysasl.hashing import BuiltinHash

from mpms.embedded import maildir
from mpms.embedded.child import serve_until_told

# The passwords are long and random: a slow hash would only slow the login down.
HASH_ROUNDS = 1000
CONVERSATIONS = 64  # each one that waits in IDLE holds a thread


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


async def _run(directory: Path, listening: int) -> None:
    arguments = Namespace(
        base_dir=str(directory),
        layout="++",
        colon=None,
        concurrency=CONVERSATIONS,
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
    directory = Path(arguments[0])
    settings = json.loads((directory.parent / "mail.json").read_text("utf-8"))
    maildir.remove_stale_locks(directory)
    write_users(directory, settings["users"])
    maildir.install()
    asyncio.run(_run(directory, int(arguments[1])))
    # Threads of open connections would hold up the end.
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1:])
