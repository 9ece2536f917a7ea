"""How quickly the pages follow the factory, and what they weigh.

    python bench/web.py [--only NAME ...] [--samples 30] [--requests 300]
        [--finished 1000000] [--running 10000]

Needs no set-up but the system's Chromium and built pages: it starts a PostgreSQL with
fsync on and the server of the pages. ``event_to_pixel_ms``: from the commit of a new
task to the frame that shows it, median. ``tasks_p95_ms``: a worker's list of 50 open
tasks; ``tasks_p95_ms_200_sse``: the same with 200 open streams and events flowing.
``worker_page_kb_gzip``: all that a worker's first page loads, but for fonts and the
scanner. ``demo_first_order_s``: from the command to the first order on ``/orders``.
The cockpit's figures are taken over a million finished and 10,000 running instances
with their history, which takes some minutes to fill (``web_parts/fill_history.py``):
``list_p95_ms``, ``search_p95_ms``, ``instance_p95_ms``, ``heatmap_p95_ms``, the list
again beside 200 streams, and ``cockpit_page_kb_gzip``, the heaviest page of it.
The last line is one JSON object; the figures want a machine that does nothing else.
"""

from __future__ import annotations

import argparse
import gzip
import json
import multiprocessing
import os
import random
import re
import selectors
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from email.message import Message
from http.client import HTTPConnection
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode, urlsplit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from web_parts import bulk_retry, cockpit, fill_history, floor_wall  # noqa: E402

from mpms import bootstrap  # noqa: E402
from mpms.domain.people.people import Role  # noqa: E402
from mpms.embedded import postgres  # noqa: E402
from mpms.services.instances.start import start_instance  # noqa: E402
from mpms.services.models.deploy import deploy_models  # noqa: E402
from mpms.services.people.session_tokens import hash_of, new_token  # noqa: E402

SEED = 5
STREAMS = 200
OPEN_TASKS = 50
EVENTS_A_SECOND = 5.0
PATIENCE_S = 120.0
COOKIE = "mpms_session"
CHROMIUM = "/usr/bin/chromium"
LIVE = 'html[data-link="live"]'
MODEL = b"""<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:camunda="http://camunda.org/schema/1.0/bpmn" targetNamespace="bench">
  <process id="bench" name="Bench" isExecutable="true">
    <startEvent id="begin"/>
    <sequenceFlow id="f1" sourceRef="begin" targetRef="look"/>
    <userTask id="look" name="Look at it" camunda:candidateGroups="worker"/>
    <sequenceFlow id="f2" sourceRef="look" targetRef="end"/>
    <endEvent id="end"/>
  </process></definitions>"""
# Tells the instant of the frame after the one in which a text has appeared.
WATCH = """
(() => {
  window.wanted = null;
  const look = () => {
    const text = window.wanted;
    if (!text || !document.getElementById("content").textContent.includes(text)) return;
    window.wanted = null;
    requestAnimationFrame(() => requestAnimationFrame(() => {
      window.shownAt = Date.now();
      document.documentElement.dataset.shown = text;
    }));
  };
  new MutationObserver(look).observe(document.getElementById("content"),
    { childList: true, subtree: true, characterData: true });
})()
"""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def wait_for(what: str, condition: Callable[[], Any]) -> Any:
    give_up_at = time.monotonic() + PATIENCE_S
    while not (found := condition()):
        assert time.monotonic() < give_up_at, f"in vain: {what}"
        time.sleep(0.02)
    return found


def p95(values: list[float]) -> float:
    return statistics.quantiles(values, n=20)[-1]


class Plant:
    """A database with a worker who is signed in and tasks that wait for him."""

    def __init__(self, url: str, role: Role = Role.WORKER) -> None:
        bootstrap.migrate_database(url)
        self.services = bootstrap.connect(url)
        self.token = new_token()
        self._numbers = 0
        services = self.services
        deploy_models(services.uow, services.engine, {"bench.bpmn": MODEL}, by="bench")
        with services.uow() as tx:
            ana = tx.people.add("ana", "Ana", role, groups=("worker",))
            tx.sessions.open(
                hash_of(self.token),
                ana.id,
                tablet_id=None,
                expires_at=datetime.now(UTC) + timedelta(hours=12),
            )

    def leader(self) -> str:
        """The token of a supervisor, who is signed in from now on."""
        token = new_token()
        with self.services.uow() as tx:
            eva = tx.people.add("eva", "Eva", Role.SUPERVISOR)
            tx.sessions.open(
                hash_of(token),
                eva.id,
                tablet_id=None,
                expires_at=datetime.now(UTC) + timedelta(hours=12),
            )
        return token

    def stop_something(self) -> float:
        """An incident of a cause of its own; the instant before the commit."""
        self._numbers += 1
        with self.services.uow() as tx:
            tx.incidents.open("mail", f"BENCH-STOP-{self._numbers}-")
            tx.events.append("incident", actor="bench", data={"n": self._numbers})
            tx.wake()
            committed_at = time.time()
        return committed_at

    def new_task(self) -> tuple[str, float]:
        """A task for a new order; its number and the instant before the commit."""
        self._numbers += 1
        number = f"BENCH-{self._numbers:05d}"
        with self.services.uow() as tx:
            start_instance(
                tx, self.services.advance, "bench", actor="bench", business_key=number
            )
            committed_at = time.time()
        return number, committed_at

    def tell(self) -> None:
        """A line of the history that makes pages look again."""
        with self.services.uow() as tx:
            tx.events.append("order status", actor="bench", data={"order": "BENCH-0"})
            tx.wake()

    def open_tasks(self) -> int:
        with self.services.uow() as tx:
            return len(tx.tasks.open())


@contextmanager
def served(database_url: str, state: Path) -> Iterator[str]:
    """``mpms serve`` as its own process; its address."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "mpms", "serve", "--with-parent"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=kept
        | {
            "MPMS_DATABASE_URL": database_url,
            "MPMS_STATE_DIR": str(state),
            "MPMS_WEB_PORT": "0",
        },
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.search(r"https?://\S+", line)
        assert found, f"the server did not start: {line!r}"
        yield found[0]
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()
        if process.stdin is not None:
            process.stdin.close()


# -- the list of tasks -----------------------------------------------------------------


def measure_tasks(address: str, token: str, requests: int) -> list[float]:
    """Milliseconds of each request, one after the other over one connection."""
    parts = urlsplit(address)
    link = HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE_S)
    headers = {"Cookie": f"{COOKIE}={token}", "Accept": "text/html"}
    took_ms = []
    for turn in range(requests + 20):
        started_at = time.perf_counter()
        link.request("GET", "/tasks", headers=headers)
        answer = link.getresponse()
        body = answer.read()
        if turn >= 20:  # the first ones warm up
            took_ms.append((time.perf_counter() - started_at) * 1000)
        assert answer.status == 200, (answer.status, body[:200])
        assert b"BENCH-00001" in body
    link.close()
    return took_ms


def hold_streams(address: str, token: str, report: Connection) -> None:
    """Open streams and read them until the other end hangs up; a process of its own."""
    parts = urlsplit(address)
    ready = selectors.DefaultSelector()
    opened = []
    for number in range(STREAMS):
        link = socket.create_connection((parts.hostname, parts.port), PATIENCE_S)
        link.sendall(
            f"GET /events?client={number} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"Cookie: {COOKIE}={token}\r\n\r\n".encode()
        )
        first = link.recv(4096)
        assert b" 200 " in first.split(b"\r\n")[0], first
        ready.register(link, selectors.EVENT_READ)
        opened.append(link)
    ready.register(report, selectors.EVENT_READ)
    report.send(len(opened))
    hints = 0
    while True:
        for key, _ in ready.select():
            if key.fileobj is report:
                report.recv()
                report.send(hints)
                for link in opened:
                    link.close()
                return
            assert isinstance(key.fileobj, socket.socket)
            heard = key.fileobj.recv(65536)
            assert heard, "a stream ended"
            hints += heard.count(b"event: hint")


def beside_streams(address: str, plant: Plant, measure: Callable[[], Any]) -> Any:
    """What a measurement gives while many streams are open and events flow."""
    ours, theirs = multiprocessing.Pipe()
    holder = multiprocessing.get_context("spawn").Process(
        target=hold_streams, args=(address, plant.token, theirs), daemon=True
    )
    holder.start()
    assert ours.recv() == STREAMS
    stop = threading.Event()

    def flow() -> None:
        while not stop.wait(1.0 / EVENTS_A_SECOND):
            plant.tell()

    thread = threading.Thread(target=flow)
    thread.start()
    try:
        measured = measure()
    finally:
        stop.set()
        thread.join()
    ours.send("end")
    hints = ours.recv()
    holder.join(PATIENCE_S)
    say(f"hints heard by {STREAMS} streams: {hints}")
    assert hints >= STREAMS, "no events flowed"
    return measured


# -- the browser -----------------------------------------------------------------------


@contextmanager
def browser_page(address: str, token: str) -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"]
        )
        context = browser.new_context(viewport={"width": 1024, "height": 768})
        context.add_cookies([{"name": COOKIE, "value": token, "url": address}])
        yield context.new_page()
        context.close()
        browser.close()


def measure_pixels(address: str, plant: Plant, samples: int) -> list[float]:
    """Milliseconds from the commit of a task to the frame that shows it."""
    rng = random.Random(SEED)
    took_ms = []
    with browser_page(address, plant.token) as page:
        page.goto(f"{address}/tasks")
        page.wait_for_selector(LIVE, state="attached")
        page.evaluate(WATCH)
        for turn in range(samples + 2):
            time.sleep(1.0 + rng.random())
            number = f"BENCH-{plant._numbers + 1:05d}"
            page.evaluate("text => { window.wanted = text }", number)
            made, committed_at = plant.new_task()
            assert made == number
            page.wait_for_selector(f'html[data-shown="{number}"]', state="attached")
            shown_at = page.evaluate("window.shownAt") / 1000
            if turn >= 2:
                took_ms.append((shown_at - committed_at) * 1000)
    return took_ms


def measure_weight(address: str, token: str, shown: str = "/tasks") -> dict[str, int]:
    """Bytes, packed, of all that a page loads for somebody who comes first."""
    weights: dict[str, int] = {}
    with browser_page(address, token) as page:

        def weigh(response: Any) -> None:
            path = urlsplit(response.url).path
            if path == "/events" or response.status >= 300:
                return
            kind = response.headers.get("content-type", "")
            if "font" in kind or "scanner" in path or path.endswith(".wasm"):
                return
            weights[path] = packed(response.body())

        page.on("response", weigh)
        page.goto(f"{address}{shown}", wait_until="load")
        page.wait_for_selector(LIVE, state="attached")
        worker = page.evaluate(
            "JSON.parse(document.querySelector('meta[name=assets]').content)"
        ).get("live_worker.js")
        if worker:
            weights.setdefault(
                worker, packed(page.request.get(address + worker).body())
            )
        page.wait_for_timeout(500)
    return weights


def told_kb(page: str, weights: dict[str, int]) -> float:
    total = round(sum(weights.values()) / 1000, 1)
    say(f"{page}: {total} kB")
    for path, size in sorted(weights.items(), key=lambda each: -each[1]):
        say(f"{size / 1000:8.1f} kB  {path}")
    return total


def packed(content: bytes) -> int:
    return min(len(content), len(gzip.compress(content, 9, mtime=0)))


# -- the demo --------------------------------------------------------------------------


def measure_demo(state: Path) -> float:
    """Seconds from ``mpms demo`` to an order on the orders' page."""
    installed = Path(sys.executable).with_name("mpms")
    command = [str(installed)] if installed.exists() else [sys.executable, "-m", "mpms"]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    started_at = time.monotonic()
    process = subprocess.Popen(
        [*command, "demo"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env=kept
        | {"MPMS_STATE_DIR": str(state), "MPMS_WEB_PORT": "0", "PYTHONUNBUFFERED": "1"},
    )
    try:
        address, login, password = demo_address(process)
        cookie = wait_for("signing in", lambda: sign_in(address, login, password))
        wait_for("the first order", lambda: order_shown(address, cookie))
        return time.monotonic() - started_at
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


def demo_address(process: subprocess.Popen[str]) -> tuple[str, str, str]:
    """The address and a supervisor's login, as the demo prints them."""
    assert process.stdout is not None
    address = None
    for line in process.stdout:
        say(line.rstrip())
        if "Pages" in line and (found := re.search(r"https?://[^\s/]+", line)):
            address = found[0]
        login = re.match(r"\s*(\S+)\s+(\S+)\s+supervisor\b", line)
        if address and login:
            return address, login[1], login[2]
    raise AssertionError("the demo ended")


def sign_in(address: str, login: str, password: str) -> str | None:
    status, headers, _ = ask(
        address,
        "POST",
        "/login",
        urlencode({"login": login, "password": password}),
        {
            "Content-Type": "application/x-www-form-urlencoded",
            "Origin": address,
            "Sec-Fetch-Site": "same-origin",
        },
    )
    found = re.search(
        rf"{COOKIE}=([^;]+)", "\n".join(headers.get_all("Set-Cookie", []))
    )
    assert status in (200, 302, 303), status
    return found[0] if found else None


def order_shown(address: str, cookie: str) -> bool:
    _, _, body = ask(address, "GET", "/orders", None, {"Cookie": cookie})
    return re.search(rb"MO-\d{4}-\d{4}", body) is not None


def ask(
    address: str, method: str, path: str, body: str | None, headers: dict[str, str]
) -> tuple[int, Message, bytes]:
    parts = urlsplit(address)
    link = HTTPConnection(str(parts.hostname), parts.port, timeout=PATIENCE_S)
    try:
        link.request(method, path, body, {"Accept": "text/html"} | headers)
        answer = link.getresponse()
        return answer.status, answer.headers, answer.read()
    finally:
        link.close()


# -- all of it -------------------------------------------------------------------------


def measure_pages(
    only: set[str], samples: int, requests: int, directory: Path
) -> dict[str, float]:
    figures: dict[str, float] = {}
    with ExitStack() as stack:
        server = stack.enter_context(postgres.start(directory / "postgres"))
        plant = Plant(server.dsn)
        stack.callback(plant.services.close)
        address = stack.enter_context(served(server.dsn, directory))
        for _ in range(OPEN_TASKS):
            plant.new_task()
        assert plant.open_tasks() == OPEN_TASKS
        if "weight" in only:
            weights = measure_weight(address, plant.token)
            figures["worker_page_kb_gzip"] = told_kb("/tasks", weights)
        if "tasks" in only:
            alone = p95(measure_tasks(address, plant.token, requests))
            say(f"tasks alone: {alone:.1f} ms")
            measured = beside_streams(
                address, plant, lambda: measure_tasks(address, plant.token, requests)
            )
            beside = p95(measured)
            figures["tasks_p95_ms"] = round(alone, 2)
            figures["tasks_p95_ms_200_sse"] = round(beside, 2)
        if "bulk" in only:
            per_s = bulk_retry.bulk_retry_per_s(plant.services)
            figures["bulk_retry_per_s"] = per_s
        if "pixels" in only:
            pixels = measure_pixels(address, plant, samples)
            say("event to pixel: " + " ".join(f"{each:.0f}" for each in pixels))
            figures["event_to_pixel_ms"] = round(statistics.median(pixels), 1)
            figures["event_to_pixel_p95_ms"] = round(p95(pixels), 1)
        if only & {"start", "floor"}:
            leader = plant.leader()
            with browser_page(address, leader) as page:
                if "start" in only:
                    lived = floor_wall.start_live_ms(page, address, plant, samples)
                    say("start live: " + " ".join(f"{each:.0f}" for each in lived))
                    figures["start_live_ms"] = round(statistics.median(lived), 1)
                    figures["start_live_p95_ms"] = round(p95(lived), 1)
                if "floor" in only:
                    pictures = floor_wall.pictures_per_s(page, address, robots=20)
                    figures["floor_fps_20_robots"] = round(pictures, 1)
    return figures


def measure_cockpit(
    requests: int, finished: int, running: int, directory: Path
) -> dict[str, float]:
    """The cockpit over a long history, in a database of its own."""
    with ExitStack() as stack:
        server = stack.enter_context(postgres.start(directory / "history"))
        plant = Plant(server.dsn, Role.SUPERVISOR)
        stack.callback(plant.services.close)
        fill_history.fill(server.dsn, finished=finished, running=running, say=say)
        address = stack.enter_context(served(server.dsn, directory))
        return cockpit_figures(address, plant, server.dsn, requests, finished)


def cockpit_figures(
    address: str, plant: Plant, dsn: str, requests: int, finished: int
) -> dict[str, float]:
    cookie = f"{COOKIE}={plant.token}"
    figures = cockpit.figures(
        address, cookie, dsn, requests=requests, finished=finished
    )
    say(f"cockpit: {figures}")
    figures["list_p95_ms_200_sse"] = beside_streams(
        address, plant, lambda: cockpit.list_p95_ms(address, cookie, requests)
    )
    running = cockpit.instance_pages(dsn, 2)[0]
    pages = ("/cockpit", f"/cockpit/{cockpit.KEY}", running)
    figures["cockpit_page_kb_gzip"] = max(
        told_kb(page, measure_weight(address, plant.token, page)) for page in pages
    )
    return figures


def main() -> None:
    names = ("weight", "tasks", "pixels", "bulk", "start", "floor", "demo", "cockpit")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="+", choices=names, default=names)
    parser.add_argument("--samples", type=int, default=30)
    parser.add_argument("--requests", type=int, default=300)
    parser.add_argument("--finished", type=int, default=1_000_000)
    parser.add_argument("--running", type=int, default=10_000)
    given = parser.parse_args()
    figures: dict[str, float] = {}
    directory = Path(tempfile.mkdtemp(prefix="mpms-bench-"))
    directory.chmod(0o711)
    try:
        only = set(given.only)
        if only - {"demo", "cockpit"}:
            figures |= measure_pages(only, given.samples, given.requests, directory)
        if "demo" in only:
            figures["demo_first_order_s"] = round(measure_demo(directory / "demo"), 1)
        if "cockpit" in only:
            figures |= measure_cockpit(
                given.requests, given.finished, given.running, directory
            )
    finally:
        shutil.rmtree(directory, ignore_errors=True)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
