"""Senders that take their time: they wait for themselves, never the site for them."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from mpms.domain.people.people import Role
from tests.support.databases import Databases
from tests.support.site import Site, quick_hasher
from tests.support.waiting import PATIENCE_S, eventually
from tests.support.web_live import ServerProcess

HERE = Path(__file__).parent
SENDERS = 300  # more than the server has threads
PASSWORD = "a passphrase that is long enough"
POST = "POST /login HTTP/1.1\r\nHost: x\r\n"
FORM = "Content-Type: application/x-www-form-urlencoded\r\n"


class SlowSite(ServerProcess):
    """The real site, less patient than a plant would be."""

    def __init__(self, database_url: str, state: Path) -> None:
        super().__init__(HERE / "site_server.py", database_url, str(state))
        self.database_url = database_url

    def connect(self, head: str) -> socket.socket:
        link = socket.create_connection(self.at, PATIENCE_S)
        link.sendall(head.encode())
        return link

    def sign_in(self) -> str:
        answer, _ = self.ask(
            "POST",
            "/login",
            urlencode({"login": "maria", "password": PASSWORD}),
            {"Content-Type": "application/x-www-form-urlencoded"},
        )
        assert answer.status == 303
        return str(answer.headers["Set-Cookie"]).split(";")[0]

    def streams(self) -> int:
        _, text = self.ask("GET", "/metrics")
        found = [x for x in text.decode().splitlines() if x.startswith("mpms_streams ")]
        return int(float(found[0].split()[1]))

    def threads(self) -> int:
        """Of the serving process, which is a child of the one that we started."""
        pid = self.process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return max(len(list(Path(f"/proc/{p}/task").iterdir())) for p in children)


@pytest.fixture(scope="module")
def site(
    databases: Databases, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SlowSite]:
    with databases.lent() as url, Site(url) as plant:
        plant.person("maria", Role.ADMIN, name="Maria")
        with plant.uow() as tx:
            tx.people.set_password("maria", quick_hasher().hash(PASSWORD))
        served = SlowSite(url, tmp_path_factory.mktemp("state"))
        yield served
        assert served.stop() == 0
        served.close()


@pytest.fixture(scope="module")
def many_streams(site: SlowSite) -> list[str]:
    """Requests for a stream, each by somebody else."""
    with Site(site.database_url) as plant:
        for number in range(5):
            plant.person(f"reader{number}", Role.VIEWER)
        tokens = [plant.session_of(f"reader{number}") for number in range(5)]
    return [
        f"GET /events HTTP/1.1\r\nHost: x\r\nCookie: mpms_session={token}\r\n\r\n"
        for token in tokens
    ]


@pytest.fixture
def held() -> Iterator[list[socket.socket]]:
    links: list[socket.socket] = []
    yield links
    for link in links:
        link.close()


def heard(link: socket.socket) -> bytes:
    """All that comes until the other side ends the connection."""
    link.settimeout(PATIENCE_S)
    parts = []
    try:
        while part := link.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def test_the_site_answers_beside_hundreds_of_slow_senders_and_streams(
    site: SlowSite, held: list[socket.socket], many_streams: list[str]
) -> None:
    slow = f"{POST}{FORM}Content-Length: 1000\r\n\r\nlogin=a"
    half = "GET /login HTTP/1.1\r\nHost: x\r\nX-Half: "
    held += [site.connect(slow) for _ in range(SENDERS)]
    held += [site.connect(half) for _ in range(SENDERS)]
    answer, _ = site.ask("GET", "/healthz")
    assert answer.status == 200
    streams = [site.connect(stream) for stream in many_streams * 60]
    for stream in streams:
        assert stream.recv(4096).startswith(b"HTTP/1.1 200 ")
    assert site.streams() == len(streams)
    cookie = site.sign_in()
    answer, page = site.ask("GET", "/", headers={"Cookie": cookie})
    assert b"Maria" in page
    assert site.threads() < 100
    for stream in streams:
        stream.close()
    for link in held[:SENDERS]:
        said = heard(link)
        assert said.startswith(b"HTTP/1.1 408 "), said
    for link in held[SENDERS:]:
        assert b" 200 " not in heard(link)


def test_a_slow_upload_that_goes_on_arrives(
    site: SlowSite, held: list[socket.socket]
) -> None:
    """It takes longer than a silent sender is waited for, and 5 MB are no matter."""
    body = urlencode({"login": "maria", "password": PASSWORD, "more": "x" * 500_000})
    head = f"{POST}{FORM}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n"
    held.append(site.connect(head))
    for part in range(0, len(body), 60_000):
        held[0].sendall(body[part : part + 60_000].encode())
        time.sleep(0.9)
    assert heard(held[0]).startswith(b"HTTP/1.1 303 ")


def test_a_drop_now_and_then_is_not_going_on(
    site: SlowSite, held: list[socket.socket]
) -> None:
    held.append(site.connect(f"{POST}Content-Length: 1000\r\n\r\n"))
    held[0].settimeout(0.5)
    give_up_at = time.monotonic() + PATIENCE_S
    said = b""
    while not said:
        assert time.monotonic() < give_up_at
        try:
            held[0].sendall(b"x")
            said = held[0].recv(4096)
        except TimeoutError:
            continue
    assert said.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_above_the_limit_is_refused_in_the_words_of_the_site(
    site: SlowSite, held: list[socket.socket], chunked: bool
) -> None:
    size = 13 << 20
    given = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {size}"
    held.append(site.connect(f"{POST}Accept: application/json\r\n{given}\r\n\r\n"))
    if chunked:
        part = b"%x\r\n%s\r\n" % (1 << 20, b"x" * (1 << 20))
        try:
            for _ in range(13):
                held[0].sendall(part)
        except OSError:
            pass  # it does not read on
    head, _, said = heard(held[0]).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 413 ")
    assert "12 MB" in json.loads(said)["detail"]


def test_a_chunked_form_is_read_like_any_other(site: SlowSite) -> None:
    body = urlencode({"login": "maria", "password": PASSWORD}).encode()
    answer, _ = site.ask(
        "POST",
        "/login",
        iter([body[:10], body[10:]]),
        {"Content-Type": "application/x-www-form-urlencoded"},
    )
    assert answer.status == 303


def test_a_stream_ends_with_the_browser_that_read_it(
    site: SlowSite, held: list[socket.socket]
) -> None:
    """At once, not at the next heartbeat."""
    cookie = site.sign_in()
    held.append(
        site.connect(f"GET /events HTTP/1.1\r\nHost: x\r\nCookie: {cookie}\r\n\r\n")
    )
    assert held[0].recv(4096).startswith(b"HTTP/1.1 200 ")
    assert site.streams() == 1
    held[0].close()
    eventually(lambda: site.streams() == 0)
