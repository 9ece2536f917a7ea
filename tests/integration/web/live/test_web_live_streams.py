"""Streams of a real server over a real database, and what it does not share."""

from __future__ import annotations

import signal
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg2
import pytest

from mpms.server.serve import Address, PortTaken, run_web
from mpms.services.people.session_tokens import hash_of
from tests.support.databases import Databases
from tests.support.site import Site
from tests.support.waiting import eventually
from tests.support.web_live import LiveServer, Stream

INSERT = (
    "INSERT INTO events (kind, actor, data)"
    " VALUES ('order status', 'test', json_build_object('order', %s::text))"
)


def until_heard(browser: Stream, order: str) -> None:
    browser.until(lambda: order in browser.orders())


def test_a_hint_reaches_the_browser(
    server: LiveServer, listen: Callable[..., Stream], write: Callable[[str], None]
) -> None:
    browser = listen(server)
    assert browser.status == 200
    assert browser.headers["content-type"].startswith("text/event-stream")
    assert browser.headers["cache-control"] == "no-store"
    assert browser.headers["x-accel-buffering"] == "no"
    browser.until_placed()
    write("MO-1")
    browser.until(lambda: browser.orders() == ["MO-1"])
    browser.until(lambda: ("beat", "{}") in browser.events)
    assert "floor" not in browser.kinds()


def test_who_asks_for_the_floor_gets_frames(
    server: LiveServer, listen: Callable[..., Stream]
) -> None:
    browser = listen(server, query="?floor=1")
    browser.until(lambda: browser.events.count(("floor", '{"robots":[]}')) >= 3)


def test_a_transaction_that_commits_late_is_neither_skipped_nor_in_the_way(
    server: LiveServer,
    listen: Callable[..., Stream],
    write: Callable[[str], None],
    plant: Site,
) -> None:
    browser = listen(server)
    browser.until_placed()
    before = browser.last_id
    with closing(psycopg2.connect(plant.url)) as slow, slow.cursor() as cursor:
        cursor.execute(INSERT, ("MO-slow",))
        write("MO-quick")
        browser.until(lambda: browser.orders() == ["MO-quick"])
        assert browser.last_id == before
        slow.commit()
    browser.until(lambda: browser.orders() == ["MO-quick", "MO-slow"])
    again = listen(server, last_id=before)
    again.until(lambda: sorted(again.orders()) == ["MO-quick", "MO-slow"])
    assert again.last_id == browser.last_id


def test_a_browser_resumes_over_a_restart_of_the_server(
    start_server: Callable[[], LiveServer],
    listen: Callable[..., Stream],
    write: Callable[[str], None],
    gone: Callable[[int], bool],
) -> None:
    """One of five whose streams are open when SIGTERM ends the server."""
    first = start_server()
    browser, *_ = browsers = [listen(first) for _ in range(5)]
    for each in browsers:
        each.until_placed()
    write("MO-1")
    browser.until(lambda: browser.orders() == ["MO-1"])
    pid = first.state()["pid"]
    assert first.stop(signal.SIGTERM) == 0
    for each in browsers:
        each.until_ended()
    assert gone(pid)
    for number in range(2, 7):
        write(f"MO-{number}")
    again = listen(start_server(), last_id=browser.last_id)
    again.until(lambda: len(again.orders()) >= 5)
    assert again.orders() == [f"MO-{n}" for n in range(2, 7)]
    assert "reset" not in again.kinds()


def test_a_page_resumes_from_where_it_was_rendered(
    server: LiveServer, listen: Callable[..., Stream], write: Callable[[str], None]
) -> None:
    position = server.state()["position"]
    write("MO-1")
    browser = listen(server, query=f"?from={position}")
    browser.until(lambda: browser.orders() == ["MO-1"])
    lost = listen(server, query="?from=99999999999-1")
    lost.until(lambda: lost.kinds() == ["reset"])


def test_streams_say_when_the_database_is_away(
    server: LiveServer,
    listen: Callable[..., Stream],
    write: Callable[[str], None],
    plant: Site,
    databases: Databases,
) -> None:
    browser = listen(server)
    browser.until_placed()
    name = plant.url.rpartition("/")[2].partition("?")[0]
    databases.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    databases.run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE datname = '{name}'"
    )
    browser.until(lambda: ("link", "database away") in browser.events)
    databases.run(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    browser.until(lambda: ("link", "database back") in browser.events)
    write("MO-1")
    browser.until(lambda: browser.orders() == ["MO-1"])


def test_a_stream_ends_with_its_session(
    server: LiveServer, listen: Callable[..., Stream], plant: Site, token: str
) -> None:
    browser = listen(server)
    browser.until_placed()
    with plant.uow() as tx:
        tx.sessions.close(hash_of(token))
    browser.until_ended()
    assert listen(server).status == 401


def test_a_taken_port_is_refused_by_name(server: LiveServer) -> None:
    _, port = server.at
    with pytest.raises(PortTaken, match=f"port {port}"):
        run_web(_never, Address(port=port))


def _never() -> Any:
    raise AssertionError("nothing is served")


@pytest.mark.parametrize("rounds", [3])
def test_sixty_browsers_come_and_go_and_hold_no_thread(
    server: LiveServer,
    listen: Callable[..., Stream],
    write: Callable[[str], None],
    rounds: int,
) -> None:
    eventually(lambda: not server.streams(), "streams of other tests")
    most_threads = []
    for turn in range(rounds):
        browsers = [listen(server) for _ in range(60)]
        for browser in browsers:
            browser.until_placed()
        write(f"MO-{turn}")
        for browser in browsers:
            until_heard(browser, f"MO-{turn}")
        state = server.state()
        assert state["streams"] == 60
        most_threads.append(state["threads"])
        for browser in browsers:
            browser.close()
        eventually(lambda: not server.streams(), "streams of browsers that left")
    assert max(most_threads) < 50
