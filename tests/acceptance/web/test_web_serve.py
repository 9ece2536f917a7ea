"""A plant sets up its pages from the command line: people, certificate, server."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import subprocess
import sys
from collections.abc import Iterator
from http.client import HTTPSConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest


@pytest.fixture
def environment(database_url: str, tmp_path: Path) -> dict[str, str]:
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith("MPMS_")},
        "MPMS_DATABASE_URL": database_url,
        "MPMS_STATE_DIR": str(tmp_path / "state"),
        "MPMS_WEB_PORT": "0",
    }


def mpms(
    environment: dict[str, str], *words: str, given: str = ""
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mpms", *words],
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def served(environment: dict[str, str]) -> Iterator[tuple[str, int]]:
    """Host and port of an HTTPS server with a certificate of our own."""
    made = mpms(environment, "tls", "init", "--name", "localhost")
    assert made.returncode == 0, made.stderr
    process = subprocess.Popen(
        [sys.executable, "-m", "mpms", "serve"],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline().strip()
    assert line.startswith("MPMS is at https://127.0.0.1:"), line
    yield "localhost", int(line.rsplit(":", 1)[1])
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == 0
    process.stdout.close()


def connection(environment: dict[str, str], host: str, port: int) -> HTTPSConnection:
    authority = Path(environment["MPMS_STATE_DIR"]) / "tls" / "ca.crt"
    return HTTPSConnection(
        host, port, timeout=60, context=ssl.create_default_context(cafile=authority)
    )


def test_the_first_person_signs_in_over_https_with_a_local_authority(
    environment: dict[str, str], served: tuple[str, int]
) -> None:
    host, port = served
    link = connection(environment, host, port)
    link.request("GET", "/login")
    page = link.getresponse().read().decode()
    assert "mpms users add" in page

    added = mpms(
        environment,
        *("users", "add", "maria", "--name", "Maria Kern", "--role", "admin"),
        "--password-stdin",
        given="a long enough passphrase\n",
    )
    assert added.returncode == 0, added.stderr
    link.request(
        "POST",
        "/login",
        urlencode({"login": "maria", "password": "a long enough passphrase"}),
        {"Content-Type": "application/x-www-form-urlencoded"},
    )
    answer = link.getresponse()
    answer.read()
    assert answer.status == 303
    cookie = answer.headers["Set-Cookie"]
    assert "Secure" in cookie
    assert "HttpOnly" in cookie
    link.request("GET", "/", headers={"Cookie": cookie.split(";")[0]})
    start = link.getresponse()
    assert start.status == 200
    assert "Maria Kern" in start.read().decode()
    link.request("GET", "/trust/ca.crt")
    assert link.getresponse().read()[:1] == b"\x30"  # DER
    link.close()


def test_nobody_is_there_before_somebody_is_added(environment: dict[str, str]) -> None:
    assert mpms(environment, "migrate").returncode == 0
    listed = mpms(environment, "users", "list")
    assert listed.returncode == 0
    assert "@" not in listed.stdout
    wrong = mpms(
        environment,
        *("users", "add", "max", "--name", "Max", "--role", "worker"),
        "--password-stdin",
        given="12345\n",
    )
    assert wrong.returncode == 1
    assert "password" in wrong.stderr.lower()
    assert "Traceback" not in wrong.stderr


def test_a_taken_port_is_named(environment: dict[str, str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        refused = mpms({**environment, "MPMS_WEB_PORT": port}, "serve")
    assert refused.returncode == 1
    assert port in refused.stderr
    assert "Traceback" not in refused.stderr
