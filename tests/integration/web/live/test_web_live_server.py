"""How the server ends: quickly, with open streams, and never later than its parent."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mpms.server.serve import Address, CertificateUnusable, PortTaken, run_web
from tests.support.waiting import PATIENCE_S, eventually
from tests.support.web_live import LiveServer, Stream


def test_an_interrupt_ends_the_server_while_streams_are_open(
    start_server: Callable[[], LiveServer],
    listen: Callable[..., Stream],
    gone: Callable[[int], bool],
) -> None:
    """That SIGTERM does so too is told where a browser resumes over a restart."""
    server = start_server()
    browsers = [listen(server) for _ in range(5)]
    for browser in browsers:
        browser.until_placed()
    pid = server.state()["pid"]
    assert server.stop(signal.SIGINT) == 0
    for browser in browsers:
        browser.until_ended()
    assert gone(pid)


def test_the_server_ends_when_its_parent_was_killed(
    start_server: Callable[[], LiveServer],
    listen: Callable[..., Stream],
    gone: Callable[[int], bool],
) -> None:
    server = start_server()
    browser = listen(server)
    browser.until_placed()
    pid = server.state()["pid"]
    server.process.kill()
    browser.until_ended()
    eventually(lambda: gone(pid))


def test_the_server_ends_with_whoever_started_it(
    start_server: Callable[[], LiveServer],
) -> None:
    server = start_server()
    assert server.process.stdin is not None
    server.process.stdin.close()
    assert server.process.wait(PATIENCE_S) == 0


def test_a_port_that_another_program_listens_on_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        with pytest.raises(PortTaken, match="already in use"):
            run_web(_never, Address(port=port))


def test_a_certificate_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("no certificate")
    with pytest.raises(CertificateUnusable, match="nonsense"):
        run_web(_never, Address(port=0, cert_file=nonsense, key_file=nonsense))
    with pytest.raises(CertificateUnusable, match="together"):
        run_web(_never, Address(port=0, cert_file=nonsense))


def _never() -> Any:
    raise AssertionError("nothing is served")
