"""Streams of a real server over a real database."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

import psycopg2
import pytest

WAIT_S = 60.0
INSERT = (
    "INSERT INTO events (kind, actor, data)"
    " VALUES ('order status', 'test', json_build_object('order', %s::text))"
)


def test_a_hint_reaches_the_browser(
    start_server: Callable[[], Any], browse: Callable[..., Any], write: Any
) -> None:
    browser = browse(start_server())
    assert browser.status == 200
    assert browser.headers["content-type"].startswith("text/event-stream")
    assert browser.headers["cache-control"] == "no-store"
    assert browser.headers["x-accel-buffering"] == "no"
    browser.until(lambda: browser.last_id)
    write("MO-1")
    browser.until(lambda: browser.orders() == ["MO-1"])
    browser.until(lambda: ("beat", "{}") in browser.events)
    assert "floor" not in browser.kinds()


def test_who_asks_for_the_floor_gets_frames(
    start_server: Callable[[], Any], browse: Callable[..., Any]
) -> None:
    browser = browse(start_server(), query="?floor=1")
    browser.until(lambda: browser.events.count(("floor", '{"robots":[]}')) >= 3)


def test_a_transaction_that_commits_late_is_neither_skipped_nor_in_the_way(
    start_server: Callable[[], Any],
    browse: Callable[..., Any],
    write: Any,
    database_url: str,
) -> None:
    server = start_server()
    browser = browse(server)
    browser.until(lambda: browser.last_id)
    before = browser.last_id
    with closing(psycopg2.connect(database_url)) as slow, slow.cursor() as cursor:
        cursor.execute(INSERT, ("MO-slow",))
        write("MO-quick")
        browser.until(lambda: browser.orders() == ["MO-quick"])
        assert browser.last_id == before
        slow.commit()
    browser.until(lambda: browser.orders() == ["MO-quick", "MO-slow"])
    again = browse(server, last_id=before)
    again.until(lambda: sorted(again.orders()) == ["MO-quick", "MO-slow"])
    assert again.last_id == browser.last_id


def test_a_browser_resumes_over_a_restart_of_the_server(
    start_server: Callable[[], Any], browse: Callable[..., Any], write: Any
) -> None:
    first = start_server()
    browser = browse(first)
    browser.until(lambda: browser.last_id)
    write("MO-1")
    browser.until(lambda: browser.orders() == ["MO-1"])
    assert first.stop() == 0
    browser.until_ended()
    for number in range(2, 7):
        write(f"MO-{number}")
    again = browse(start_server(), last_id=browser.last_id)
    again.until(lambda: len(again.orders()) >= 5)
    assert again.orders() == [f"MO-{n}" for n in range(2, 7)]
    assert "reset" not in again.kinds()


def test_a_page_resumes_from_where_it_was_rendered(
    start_server: Callable[[], Any], browse: Callable[..., Any], write: Any
) -> None:
    server = start_server()
    position = server.health()["position"]
    write("MO-1")
    browser = browse(server, query=f"?from={position}")
    browser.until(lambda: browser.orders() == ["MO-1"])
    lost = browse(server, query="?from=99999999999-1")
    lost.until(lambda: lost.kinds() == ["reset"])


def test_streams_say_when_the_database_is_away(
    start_server: Callable[[], Any],
    browse: Callable[..., Any],
    write: Any,
    database_url: str,
    run_in_postgres: Callable[[str], None],
) -> None:
    browser = browse(start_server())
    browser.until(lambda: browser.last_id)
    name = database_url.rpartition("/")[2].partition("?")[0]
    run_in_postgres(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
    run_in_postgres(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        f" WHERE datname = '{name}'"
    )
    browser.until(lambda: ("link", "database away") in browser.events)
    run_in_postgres(f"ALTER DATABASE {name} ALLOW_CONNECTIONS true")
    browser.until(lambda: ("link", "database back") in browser.events)
    write("MO-1")
    browser.until(lambda: browser.orders() == ["MO-1"])


def test_a_stream_ends_with_its_session(
    start_server: Callable[[], Any], browse: Callable[..., Any], sign_out: Any
) -> None:
    server = start_server()
    browser = browse(server)
    browser.until(lambda: browser.last_id)
    sign_out()
    browser.until_ended()
    assert browse(server).status == 401


@pytest.mark.parametrize("rounds", [3])
def test_sixty_browsers_come_and_go_without_leaving_threads(
    start_server: Callable[[], Any],
    browse: Callable[..., Any],
    write: Any,
    rounds: int,
) -> None:
    server = start_server()
    most_threads = []
    for turn in range(rounds):
        browsers = [browse(server) for _ in range(60)]
        for browser in browsers:
            browser.until(lambda b=browser: b.last_id)
        write(f"MO-{turn}")
        for browser in browsers:
            browser.until(lambda b=browser, t=turn: f"MO-{t}" in b.orders())
        health = server.health()
        assert health["streams"] == 60
        most_threads.append(health["threads"])
        for browser in browsers:
            browser.close()
        give_up_at = time.monotonic() + WAIT_S
        while server.health()["streams"]:
            assert time.monotonic() < give_up_at, "streams of browsers that left"
            time.sleep(0.05)
    assert most_threads[-1] <= most_threads[0] + 10
