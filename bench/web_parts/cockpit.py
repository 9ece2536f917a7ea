"""How quickly the cockpit answers over a long history.

Part of ``bench/web.py``, which gives it a filled database and a server. Every figure is
the 95th percentile of requests that differ: other states, pages, words and windows, so
that no answer is a repetition of the one before.
"""

from __future__ import annotations

import random
import re
import statistics
import time
from collections.abc import Iterable
from contextlib import closing
from html import unescape
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

import psycopg2

KEY = "bench_order"
WARM_UP = 12
PATIENCE_S = 120.0
WINDOWS = ("hour", "day", "week", "month", "quarter")
STATES = ("running", "stuck", "completed", "cancelled", "failed", "any")
PAGES_DEEP = 5


class Visitor:
    """Asks for one page after the other over one connection."""

    def __init__(self, address: str, cookie: str) -> None:
        parts = urlsplit(address)
        self._link = HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE_S)
        self._headers = {"Cookie": cookie, "Accept": "text/html"}

    def close(self) -> None:
        self._link.close()

    def get(self, path: str) -> tuple[str, float]:
        """The page and how many milliseconds it took."""
        begun = time.perf_counter()
        self._link.request("GET", path, headers=self._headers)
        answer = self._link.getresponse()
        body = answer.read().decode()
        took_ms = (time.perf_counter() - begun) * 1e3
        assert answer.status == 200, (path, answer.status, body[:200])
        return body, took_ms

    def p95_ms(self, paths: Iterable[str], *, shows: str) -> float:
        taken = []
        for number, path in enumerate(paths):
            body, took_ms = self.get(path)
            assert shows in body, f"{path} does not show {shows!r}"
            if number >= WARM_UP:
                taken.append(took_ms)
        return round(statistics.quantiles(taken, n=20)[-1], 1)


def lists(visitor: Visitor, requests: int) -> list[str]:
    """Instances in each state, and pages below pages."""
    found: list[str] = []
    for state in STATES:
        path = f"/cockpit/{KEY}/instances?state={state}"
        for _ in range(PAGES_DEEP):
            found.append(path)
            body, _ = visitor.get(path)
            older = re.search(rf'"/cockpit/{KEY}\?([^"#]*below=[^"#]*)', body)
            if older is None:
                break
            path = f"/cockpit/{KEY}/instances?{unescape(older[1])}"
    return _repeated(found, requests)


def searches(chance: random.Random, requests: int, finished: int) -> list[str]:
    """By business key, by its beginning, by a variable's value, by element and age."""
    found = []
    for number in range(requests + WARM_UP):
        one = chance.randrange(finished)
        asked = [
            {"state": "any", "q": f"BO-{one}"},
            {"state": "completed", "q": f"BO-{one // 100}"},
            {"state": "any", "name": "order_number", "value": f"BO-{one}"},
            {"state": "any", "name": "product", "value": f"P-{one % 40}"},
            {"state": "completed", "name": "robot", "value": "robot1", "age": "month"},
            {"state": "running", "element": "fetch", "q": f"BR-{one % 1000}"},
            {"state": "failed", "age": "over_week", "version": str(1 + one % 2)},
        ][number % 7]
        found.append(f"/cockpit/{KEY}/instances?{urlencode(asked)}")
    return found


def instance_pages(dsn: str, requests: int) -> list[str]:
    """Whole pages of running and finished instances."""
    with closing(psycopg2.connect(dsn)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "(SELECT id FROM instances WHERE ended_at IS NULL LIMIT %(half)s)"
            " UNION ALL"
            " (SELECT id FROM instances WHERE ended_at IS NOT NULL"
            " ORDER BY business_key LIMIT %(half)s)",
            {"half": (requests + WARM_UP) // 2},
        )
        found = [f"/cockpit/i/{row[0]}" for row in cursor.fetchall()]
    random.Random(1).shuffle(found)
    return found


def heat_maps(requests: int) -> list[str]:
    found = [
        f"/cockpit/{KEY}/steps?window={window}&show={show}{version}"
        for version in ("", "&version=1", "&version=2")
        for window in WINDOWS
        for show in ("count", "duration", "waiting")
    ]
    return _repeated(found, requests)


def _repeated(paths: list[str], requests: int) -> list[str]:
    shuffled: list[str] = []
    chance = random.Random(2)
    while len(shuffled) < requests + WARM_UP:
        chance.shuffle(paths)
        shuffled += paths
    return shuffled


def figures(
    address: str, cookie: str, dsn: str, *, requests: int, finished: int
) -> dict[str, float]:
    """What each kind of page takes."""
    visitor = Visitor(address, cookie)
    with closing(visitor):
        return {
            "list_p95_ms": list_p95_ms(address, cookie, requests),
            "search_p95_ms": visitor.p95_ms(
                searches(random.Random(3), requests, finished), shows="instance"
            ),
            "instance_p95_ms": visitor.p95_ms(
                instance_pages(dsn, requests), shows="bench_order"
            ),
            "heatmap_p95_ms": visitor.p95_ms(heat_maps(requests), shows="Fetch"),
            "process_p95_ms": visitor.p95_ms(
                _repeated([f"/cockpit/{KEY}?state={s}" for s in STATES], requests),
                shows="Fetch",
            ),
            "board_p95_ms": visitor.p95_ms(
                _repeated(["/cockpit"], requests), shows="Order, version 2"
            ),
        }


def list_p95_ms(address: str, cookie: str, requests: int) -> float:
    visitor = Visitor(address, cookie)
    with closing(visitor):
        return visitor.p95_ms(lists(visitor, requests), shows="instance")
