"""Serves the pages: Granian, one process with a thread for every open stream.

Granian runs the pages in a child of this process. Two things it leaves to us: telling
the streams that the server ends, which it would otherwise wait for, and ending the
child when its parent was killed.
"""

from __future__ import annotations

import atexit
import http.client
import logging
import multiprocessing
import os
import signal
import socket
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Protocol

from granian import Granian
from granian.constants import HTTPModes, Interfaces, SSLProtocols
from granian.http import HTTP2Settings
from granian.log import LogLevels

from mpms.domain.errors import MpmsError

log = logging.getLogger(__name__)

THREADS = 256
PATIENCE_S = 10  # for what is being answered when the server ends
LOG_FORMAT = "%(asctime)s %(name)s: %(message)s"
QUIET_LOG = {"loggers": {"_granian": {"handlers": [], "propagate": True}}}


class PortTaken(MpmsError):
    """The port of the pages cannot be used."""


class CertificateUnusable(MpmsError):
    """The certificate of the pages cannot be used."""


class Site(Protocol):
    """What is served, made in the serving process."""

    @property
    def app(self) -> Callable[..., Any]: ...
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
    open_site: Callable[[], Site],
    address: Address,
    *,
    on_ready: Callable[[str], None] = lambda url: None,
    with_parent: bool = False,
    log_level: str = "WARNING",
    start_log: Callable[[], None] | None = None,
) -> int:
    """Serve until SIGTERM or SIGINT; ``open_site`` must be picklable.

    ``start_log`` is called in the serving process. ``with_parent``: also end when
    standard input does, however its writer died. PortTaken, CertificateUnusable.
    """
    _check_certificate(address)
    multiprocessing.set_start_method("spawn", force=True)
    with _reserved(address) as port:
        server = Granian(
            "mpms",
            address=address.host,
            port=port,
            interface=Interfaces.WSGI,
            workers=1,
            blocking_threads=THREADS,
            http=HTTPModes.auto,
            http2_settings=HTTP2Settings(keep_alive_interval=20_000),
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
            server.serve(target_loader=partial(_load, open_site, log_there))
        except SystemExit as ended:
            return int(ended.code or 0)
    return 0


# -- in the serving process ------------------------------------------------------------


def _plain_log(log_level: str) -> None:
    logging.basicConfig(level=log_level, format=LOG_FORMAT)


def _load(
    open_site: Callable[[], Site], start_log: Callable[[], None], target: str
) -> Callable[..., Any]:
    start_log()
    try:
        site = open_site()
    except MpmsError as error:
        print(f"mpms: {error}", file=sys.stderr)
        raise SystemExit(1) from error
    woken, signals = socket.socketpair()
    signals.setblocking(False)
    # Granian has handlers of its own for these signals; this one only hears of them.
    signal.set_wakeup_fd(signals.detach(), warn_on_full_buffer=False)
    # The threads of the server live in Rust, which a dying interpreter would unwind.
    atexit.register(_leave_at_once)
    _thread("end of streams", partial(_end_streams_when_told, site, woken))
    return site.app


def _leave_at_once() -> None:
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _end_streams_when_told(site: Site, woken: socket.socket) -> None:
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
    """A port that nobody else has. Granian shares ports without a word, so a second
    server would get half of the requests of the first."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    try:
        if address.port:
            with socket.socket(family) as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind((address.host, address.port))
        with socket.socket(family) as held:
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            held.bind((address.host, address.port))
            yield held.getsockname()[1]
    except OSError as error:
        raise PortTaken(
            f"The pages cannot be served at {address.host}, port {address.port}:"
            f" {error.strerror}."
        ) from error


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
