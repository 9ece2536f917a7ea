"""Serves the pages: Granian, one process; what waits holds no thread.

Granian runs the pages in a child of this process. Three things it leaves to us: waiting
for slow senders without a thread, telling the streams that the server ends, which it
would otherwise wait for, and ending the child when its parent was killed.
"""

from __future__ import annotations

import atexit
import http.client
import logging
import multiprocessing
import os
import resource
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops, SSLProtocols
from granian.http import HTTP1Settings, HTTP2Settings
from granian.log import LogLevels

from mpms.domain.errors import MpmsError
from mpms.server.port import reserved
from mpms.server.whole_requests import Patience, WholeRequests

log = logging.getLogger(__name__)

THREADS = 256
CONNECTIONS = 4096  # open at once; a slow one holds no thread, only a file
OTHER_FILES = 512
HEADER_BYTES = 64 << 10
PATIENCE_S = 10  # for what is being answered when the server ends
LOG_FORMAT = "%(asctime)s %(name)s: %(message)s"
QUIET_LOG = {"loggers": {"_granian": {"handlers": [], "propagate": True}}}


class PortTaken(MpmsError):
    """The port of the pages cannot be used."""


class CertificateUnusable(MpmsError):
    """The certificate of the pages cannot be used."""


class ServedSite(Protocol):
    """What is served, made in the serving process."""

    @property
    def app(self) -> Callable[..., Any]: ...
    @property
    def most_body_bytes(self) -> int: ...
    def end_streams(self) -> None: ...


@dataclass(frozen=True)
class Address:
    """Where the pages are found. Port 0: any free one."""

    host: str = "127.0.0.1"
    port: int = 8080
    cert_file: Path | None = None
    key_file: Path | None = None

    def url(self, port: int) -> str:
        scheme = "http" if self.cert_file is None else "https"
        host = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host  # noqa: S104
        return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def run_web(
    open_site: Callable[[], ServedSite],
    address: Address,
    *,
    on_ready: Callable[[str], None] = lambda url: None,
    with_parent: bool = False,
    log_level: str = "WARNING",
    start_log: Callable[[], None] | None = None,
    patience: Patience | None = None,
) -> int:
    """Serve until SIGTERM or SIGINT; ``open_site`` must be picklable.

    ``start_log`` is called in the serving process. ``with_parent``: also end when
    standard input does, however its writer died. ``patience``: with those who send or
    read slowly. PortTaken, CertificateUnusable.
    """
    patience = patience or Patience()
    _check_certificate(address)
    multiprocessing.set_start_method("spawn", force=True)
    with _reserved(address) as port:
        server = Granian(
            "mpms",
            address=address.host,
            port=port,
            interface=Interfaces.ASGI,
            workers=1,
            loop=Loops.asyncio,
            backpressure=_connections(),
            # Its other mode waits for the first bytes of a connection without limit.
            # Over TLS that is the price of HTTP/2.
            http=HTTPModes.http1 if address.cert_file is None else HTTPModes.auto,
            http1_settings=HTTP1Settings(
                header_read_timeout=round(patience.header_s * 1000),
                max_buffer_size=HEADER_BYTES,
            ),
            http2_settings=HTTP2Settings(
                keep_alive_interval=20_000, max_headers_size=HEADER_BYTES
            ),
            websockets=False,
            log_level=_server_log_level(log_level),
            log_dictconfig=QUIET_LOG,
            ssl_cert=address.cert_file,
            ssl_key=address.key_file,
            ssl_protocol_min=SSLProtocols.tls12,
            workers_kill_timeout=PATIENCE_S,
            respawn_failed_workers=True,
        )
        if with_parent:
            _thread("end with parent", _end_with_standard_input)
        url = address.url(port)
        _thread("ready", partial(_tell_when_ready, url, on_ready))
        try:
            log_there = start_log or partial(_plain_log, log_level)
            server.serve(target_loader=partial(_load, open_site, log_there, patience))
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0


# -- in the serving process ------------------------------------------------------------


def _plain_log(log_level: str) -> None:
    logging.basicConfig(level=log_level, format=LOG_FORMAT)


def _load(
    open_site: Callable[[], ServedSite],
    start_log: Callable[[], None],
    patience: Patience,
    target: str,
) -> WholeRequests:
    start_log()
    try:
        site = open_site()
    except MpmsError as error:
        print(f"mpms: {error}", file=sys.stderr)
        raise SystemExit(1) from error
    woken, signals = socket.socketpair()
    signals.setblocking(False)
    # The threads of the server live in Rust, which a dying interpreter would unwind.
    atexit.register(_leave_at_once)
    _thread("end of streams", partial(_end_streams_when_told, site, woken))
    return WholeRequests(
        site.app,
        most_bytes=site.most_body_bytes,
        threads=THREADS,
        patience=patience,
        started=partial(_hear_signals, signals),
    )


def _hear_signals(signals: socket.socket) -> None:
    """Granian and its event loop hear of these signals by a file; so this only adds."""

    def tell(number: int, frame: object) -> None:
        with suppress(BlockingIOError):
            signals.send(bytes([number]))

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, tell)
        signal.siginterrupt(number, False)


def _leave_at_once() -> None:
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _end_streams_when_told(site: ServedSite, woken: socket.socket) -> None:
    parent = multiprocessing.parent_process()
    sentinel = None if parent is None else parent.sentinel
    while True:
        ready = wait([woken] if sentinel is None else [woken, sentinel])
        orphaned = sentinel in ready
        told = woken.recv(64) if woken in ready else b""
        if orphaned or {signal.SIGTERM, signal.SIGINT} & set(told):
            break
    if orphaned:
        os.kill(os.getpid(), signal.SIGTERM)
    site.end_streams()
    if orphaned:
        time.sleep(PATIENCE_S)
        os._exit(1)


# -- in the parent ---------------------------------------------------------------------


@contextmanager
def _reserved(address: Address) -> Iterator[int]:
    try:
        with reserved(address.host, address.port) as port:
            yield port
    except OSError as error:
        raise PortTaken(
            f"The pages cannot be served at {address.host}, port {address.port}:"
            f" {error.strerror}."
        ) from error


def _connections() -> int:
    """How many connections this process may hold, with as many files as it is granted.
    Granian would try in vain, without a pause, to accept more than there are files."""
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = CONNECTIONS + OTHER_FILES
    if files < wanted and files != resource.RLIM_INFINITY:
        files = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    return CONNECTIONS if files < 0 else max(1, min(CONNECTIONS, files - OTHER_FILES))


def _check_certificate(address: Address) -> None:
    if address.cert_file is None and address.key_file is None:
        return
    if address.cert_file is None or address.key_file is None:
        raise CertificateUnusable("A certificate and its key are given together.")
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(
            address.cert_file, address.key_file
        )
    except OSError as error:
        raise CertificateUnusable(
            f"{address.cert_file} with {address.key_file} cannot be used: {error}"
        ) from error


def _tell_when_ready(url: str, on_ready: Callable[[str], None]) -> None:
    host, _, port = url.partition("://")[2].rpartition(":")
    while True:
        if url.startswith("https"):
            anybody = ssl._create_unverified_context()  # noqa: S323  only whether it answers
            link: http.client.HTTPConnection = http.client.HTTPSConnection(
                host.strip("[]"), int(port), timeout=5, context=anybody
            )
        else:
            link = http.client.HTTPConnection(host.strip("[]"), int(port), timeout=5)
        try:
            link.request("HEAD", "/healthz")
            link.getresponse()
            break
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
        finally:
            link.close()
    on_ready(url)


def _end_with_standard_input() -> None:
    while os.read(sys.stdin.fileno(), 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


def _server_log_level(ours: str) -> LogLevels:
    """Its warnings are about our many threads."""
    return LogLevels(ours.lower()) if ours in ("DEBUG", "INFO") else LogLevels.error


def _thread(name: str, run: Callable[[], None]) -> None:
    threading.Thread(target=run, name=name, daemon=True).start()
