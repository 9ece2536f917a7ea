"""An IMAP server that misbehaves on purpose."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from mpms.adapters.mail_account import (
    Password,
    Security,
)
from mpms.factory.adapters.mail.account import MailAccount
from tests.support.waiting import PATIENCE_S


@dataclass
class Oddity:
    """What the scripted server does wrong; every list is used up from the front."""

    capabilities: str = "IMAP4rev1 IDLE MOVE UIDPLUS"
    uidvalidity: int = 1
    messages: dict[int, bytes] = field(default_factory=dict)
    deleted: set[int] = field(default_factory=set)
    filed: list[tuple[str, int]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    fetch: list[str] = field(default_factory=list)  # drop, stall, split, nonsense
    idle: list[str] = field(default_factory=list)  # close, split, with-answer
    search: list[str] = field(default_factory=list)  # late
    login: list[str] = field(default_factory=list)  # drop, stall, bye


class OddServer:
    """A few IMAP commands, each of which can go wrong as a test wants it."""

    def __init__(self) -> None:
        self.odd = Oddity()
        self.idling = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._ending = threading.Event()
        self._open: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def account(self, **changes: Any) -> MailAccount:
        settings: dict[str, Any] = {
            "host": "127.0.0.1",
            "port": self.port,
            "security": Security.PLAIN,
            "user": "orders",
            "login": Password("secret"),
        }
        return MailAccount(**settings | changes)

    def announce(self, raw: bytes) -> None:
        """Put a message there and tell whoever idles."""
        self.odd.messages[max(self.odd.messages, default=0) + 1] = raw
        for sock in list(self._open):
            with contextlib.suppress(OSError):
                sock.sendall(b"* %d EXISTS\r\n" % len(self.odd.messages))

    def hang_up(self) -> None:
        """Close every connection, as a server that restarts."""
        for sock in list(self._open):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._ending.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.hang_up()
        for thread in self._threads:
            thread.join(PATIENCE_S)

    def _accept(self) -> None:
        while not self._ending.is_set():
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._open.append(sock)
            thread = threading.Thread(target=self._talk, args=(sock,))
            self._threads.append(thread)
            thread.start()

    def _talk(self, sock: socket.socket) -> None:
        with sock, contextlib.suppress(OSError, StopIteration):
            sock.sendall(b"* OK odd\r\n")
            lines = iter(sock.makefile("rb").readline, b"")
            for line in lines:
                tag, _, rest = line.decode().strip().partition(" ")
                self.odd.log.append(rest)
                command = rest.upper().removeprefix("UID ").split(" ")[0]
                answer = getattr(self, f"_{command.lower()}", self._unknown)
                answer(sock, rest, lines)
                sock.sendall(f"{tag} OK done\r\n".encode())
        self._open.remove(sock)

    def _unknown(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        pass

    def _capability(
        self, sock: socket.socket, rest: str, lines: Iterator[bytes]
    ) -> None:
        sock.sendall(f"* CAPABILITY {self.odd.capabilities}\r\n".encode())

    def _login(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        trouble = self.odd.login.pop(0) if self.odd.login else ""
        if trouble == "drop":
            raise StopIteration
        if trouble == "stall":
            self._ending.wait(PATIENCE_S)

    def _select(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        sock.sendall(
            b"* FLAGS (\\Deleted)\r\n* %d EXISTS\r\n* 0 RECENT\r\n"
            b"* OK [UIDVALIDITY %d] x\r\n"
            % (len(self.odd.messages), self.odd.uidvalidity)
        )

    _examine = _select

    def _search(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        wanted = re.search(r"SEARCH UID (\d+)", rest.upper())
        uids = [
            uid
            for uid in self.odd.messages
            if (uid == int(wanted[1]) if wanted else uid not in self.odd.deleted)
        ]
        sock.sendall(f"* SEARCH {' '.join(map(str, uids))}\r\n".encode())
        if self.odd.search and self.odd.search.pop(0) == "late":
            self.odd.messages[max(self.odd.messages, default=0) + 1] = b"x"
            sock.sendall(b"* %d EXISTS\r\n" % len(self.odd.messages))

    def _fetch(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        uids = [int(uid) for uid in rest.split(" ")[2].split(",")]
        for number, uid in enumerate(sorted(self.odd.messages), 1):
            if uid not in uids:
                continue
            raw = self.odd.messages[uid]
            if "RFC822.SIZE" in rest:
                line = f"* {number} FETCH (UID {uid} RFC822.SIZE {len(raw)})\r\n"
                sock.sendall(line.encode())
                continue
            key = "BODY[HEADER]" if "HEADER" in rest else "BODY[]"
            if key == "BODY[HEADER]":
                raw = raw.partition(b"\r\n\r\n")[0] + b"\r\n\r\n"
            head = f"* {number} FETCH (UID {uid} {key} {{{len(raw)}}}\r\n".encode()
            self._send_message(sock, head + raw + b")\r\n")

    def _send_message(self, sock: socket.socket, answer: bytes) -> None:
        trouble = self.odd.fetch.pop(0) if self.odd.fetch else ""
        if trouble == "drop":
            sock.sendall(answer[: len(answer) // 2])
            raise StopIteration
        if trouble == "stall":
            sock.sendall(answer[: len(answer) // 2])
            self._ending.wait(PATIENCE_S)
        elif trouble == "split":
            for place in range(len(answer)):
                sock.sendall(answer[place : place + 1])
        elif trouble == "nonsense":
            sock.sendall(b"* 1 FETCH (UID 1 BODY[] (((((\r\n")
        else:
            sock.sendall(answer)

    def _idle(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        trouble = self.odd.idle.pop(0) if self.odd.idle else ""
        if trouble == "with-answer":
            self.odd.messages[max(self.odd.messages, default=0) + 1] = b"x"
            sock.sendall(b"+ idling\r\n* %d EXISTS\r\n" % len(self.odd.messages))
        else:
            sock.sendall(b"+ idling\r\n")
        self.idling.set()
        if trouble == "close":
            raise StopIteration
        if trouble == "split":
            self.odd.messages[max(self.odd.messages, default=0) + 1] = b"x"
            sock.sendall(b"* 1 EX")
            time.sleep(0.05)  # the oddity itself: a pause inside a line
            sock.sendall(b"ISTS\r\n")
        assert next(lines).strip() == b"DONE"

    def _list(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        sock.sendall(b'* LIST () "/" "Processed"\r\n')

    def _move(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        uid = int(rest.split(" ")[2])
        if self.odd.messages.pop(uid, None) is not None:
            self.odd.filed.append(("move", uid))

    def _copy(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        self.odd.filed.append(("copy", int(rest.split(" ")[2])))

    def _store(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        assert "\\Deleted" in rest
        self.odd.deleted.add(int(rest.split(" ")[2]))

    def _expunge(self, sock: socket.socket, rest: str, lines: Iterator[bytes]) -> None:
        uid = int(rest.split(" ")[2])
        del self.odd.messages[uid]
        self.odd.filed.append(("expunge", uid))
