"""Service worker, outbox and bar in a real browser against a server that can vanish.

The server is a small one of ours: it takes each key once, as the real one does, and
can be stopped, be silent, or forget who is signed in.
"""

from __future__ import annotations

import shutil
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response, jsonify, redirect, request
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, expect
from werkzeug.serving import BaseWSGIServer, make_server

FRONTEND = Path(__file__).resolve().parents[3] / "frontend"
ESBUILD = FRONTEND / "node_modules" / "esbuild" / "bin" / "esbuild"
PATIENCE_MS = 90_000  # the outbox tries again after 5, 10, 20, 40 s
APP = "/static/app-0123456789.js"
TASKS = [f"0b9e4c9e-7a30-4f4f-9f62-0f6c0e3c1d1{n}" for n in range(6)]

# What the page of a task does, as small as it gets.
PAGE_SCRIPT = """
import { startOffline } from "%(src)s/offline.ts";
import { sendOrKeep } from "%(src)s/outbox.ts";
import { Drafts } from "%(src)s/drafts.ts";
startOffline();
const form = document.querySelector("form[data-task]");
if (form) {
  const { task } = form.dataset;
  const field = form.querySelector("input");
  const drafts = new Drafts(task);
  const drafted = JSON.parse(form.dataset.drafts);
  drafts.load(drafted).then((found) => {
    field.value = found.kg ?? "";
    form.dataset.ready = "";
  });
  field.addEventListener("input", () => drafts.save("kg", field.value));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const body = { answers: { kg: field.value } };
    const wanted = { kind: "answer", task, taskName: "Weigh " + task.at(-1), body };
    const result = await sendOrKeep({ ...wanted, order: "PO-7" });
    document.querySelector("output").textContent = result.state;
    if (result.state !== "refused") await drafts.clear();
  });
}
"""


class Plant:
    """The server and what it remembers."""

    def __init__(self, scripts: dict[str, str]) -> None:
        self.scripts = scripts
        self.answers: dict[str, dict[str, Any]] = {}
        self.posts: list[str] = []
        self.drafts: dict[str, dict[str, Any]] = {}
        self.lost_answers = 0
        self.refuse = ""
        self.sessions = True
        self.speaks = threading.Event()
        self.speaks.set()
        self._server: BaseWSGIServer | None = None
        self._thread: threading.Thread | None = None
        self.port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._server = make_server("127.0.0.1", self.port, self._app(), threaded=True)
        self._server.daemon_threads = True  # type: ignore[attr-defined]
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def stop(self) -> None:
        if self._server is None or self._thread is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server = None

    def _app(self) -> Flask:
        app = Flask(__name__, static_folder=None)
        app.add_url_rule("/login", view_func=self._login, methods=["GET", "POST"])
        app.add_url_rule("/tasks", view_func=self._list)
        app.add_url_rule("/tasks/<task>", view_func=self._task)
        app.add_url_rule("/orders", view_func=self._orders)
        app.add_url_rule(
            "/tasks/<task>/answer", view_func=self._answer, methods=["POST"]
        )
        app.add_url_rule("/tasks/<task>/draft", view_func=self._draft, methods=["PUT"])
        plain: dict[str, Callable[[], Response | str]] = {
            "/sw.js": lambda: self._script("sw"),
            APP: lambda: self._script("app"),
            "/healthz": lambda: jsonify(ok=True),
            "/favicon.ico": lambda: Response(status=204),
            "/offline": lambda: "<!doctype html><h1>Offline page</h1>",
        }
        for rule, view in plain.items():
            app.add_url_rule(rule, endpoint=rule.replace(".", " "), view_func=view)
        return app

    def _script(self, name: str) -> Response:
        answer = Response(self.scripts[name], content_type="text/javascript")
        answer.headers["Cache-Control"] = "no-cache"
        return answer

    def _person(self) -> str | None:
        return request.cookies.get("person") if self.sessions else None

    def _page(self, content: str) -> Any:
        person = self._person()
        if person is None:
            return redirect("/login", 303)
        self.speaks.wait()
        return (
            f'<!doctype html><html lang="en"><meta name="person" content="{person}">'
            f"<title>MPMS</title><script type=module src={APP}></script>"
            f'<div id="offline-bar" hidden></div><main>{content}</main>'
            '<div id="toast" hidden></div>'
        )

    def _login(self) -> Any:
        if request.method == "GET":
            return (
                "<!doctype html><html lang=en><form method=post><input name=login>"
                "<button>Sign in</button></form>"
            )
        self.sessions = True
        answer = redirect("/tasks", 303)
        answer.set_cookie("person", request.form["login"], max_age=3600)
        return answer

    def _list(self) -> Any:
        rows = "".join(
            f'<li data-task="{task}"{" data-mine" if n == 5 else ""}>'
            f'<a href="/tasks/{task}">Weigh {n}</a></li>'
            for n, task in enumerate(TASKS)
        )
        return self._page(f"<h1>Tasks of {self._person()}</h1><ul>{rows}</ul>")

    def _task(self, task: str) -> Any:
        drafts = jsonify(
            {key: {"value": value} for key, value in self.drafts.get(task, {}).items()}
        ).get_data(as_text=True)
        return self._page(
            f"<h1>Weigh {task[-1]} for {self._person()}</h1>"
            f"<form data-task='{task}' data-drafts='{drafts.strip()}'>"
            "<input aria-label=kg><button>Confirm</button></form><output></output>"
        )

    def _orders(self) -> Any:
        return self._page("<h1>Orders</h1>")

    def _answer(self, task: str) -> Any:
        if self._person() is None:
            return jsonify(error="not signed in"), 401
        if self.refuse:
            return jsonify(error=self.refuse), 422
        body = request.get_json()
        already = body["key"] in self.answers
        self.answers.setdefault(body["key"], {"task": task, **body})
        self.posts.append(body["key"])
        if self.lost_answers > 0:
            self.lost_answers -= 1
            return Response("a proxy gave up", status=504)
        return jsonify(state="already" if already else "done")

    def _draft(self, task: str) -> Any:
        self.drafts.setdefault(task, {}).update(request.get_json()["fields"])
        return Response(status=204)


def bundle(source: Path, out: Path, *options: str) -> str:
    done = subprocess.run(
        [str(ESBUILD), str(source), "--bundle", f"--outfile={out}", *options],
        cwd=FRONTEND,
        env={"NODE_PATH": str(FRONTEND / "node_modules"), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return out.read_text()


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    if shutil.which("node") is None:
        pytest.skip("needs node")
    if not ESBUILD.exists():
        pytest.skip("needs frontend/node_modules: npm ci in frontend")
    directory = tmp_path_factory.mktemp("offline")
    app = directory / "app.ts"
    app.write_text(PAGE_SCRIPT % {"src": FRONTEND / "src"})
    worker = [
        bundle(
            FRONTEND / "src" / "sw.ts",
            directory / f"sw{build}.js",
            "--format=iife",
            f'--define:__SHELL__=["{APP}"]',
            f'--define:__BUILD__="{build}"',
        )
        for build in ("one", "two")
    ]
    return {
        "app": bundle(app, directory / "app.js", "--format=esm"),
        "sw": worker[0],
        "next sw": worker[1],
    }


@pytest.fixture
def plant(scripts: dict[str, str]) -> Iterator[Plant]:
    plant = Plant(dict(scripts))
    yield plant
    plant.speaks.set()
    plant.stop()


OpenTablet = Callable[[], BrowserContext]


@pytest.fixture
def open_tablet(playwright_: Playwright, tmp_path: Path) -> Iterator[OpenTablet]:
    """The same tablet each time: what it stores outlives its browser."""
    opened: list[BrowserContext] = []

    def open_it() -> BrowserContext:
        context = playwright_.chromium.launch_persistent_context(
            tmp_path / "tablet",
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-dev-shm-usage"],
        )
        context.set_default_timeout(PATIENCE_MS)
        opened.append(context)
        return context

    yield open_it
    for context in opened:
        context.close()


@pytest.fixture
def tablet(
    browser: Browser, close_context: Callable[[BrowserContext], None]
) -> Iterator[Page]:
    """A page of a tablet whose browser is not closed meanwhile."""
    context = browser.new_context()
    context.set_default_timeout(PATIENCE_MS)
    yield context.new_page()
    close_context(context)


def sign_in(page: Page, plant: Plant, login: str) -> None:
    page.goto(f"{plant.url}/login")
    page.locator("input[name=login]").fill(login)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("heading", name=f"Tasks of {login}")).to_be_visible()


def until(page: Page, condition: str, about: object = None) -> None:
    """``wait_for_function`` takes any promise for a yes."""
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not page.evaluate(condition, about):
        assert time.monotonic() < deadline, f"not yet: {condition} {about}"
        page.wait_for_timeout(50)


def until_kept(page: Page, path: str) -> None:
    until(page, "async (path) => Boolean(await caches.match(path))", path)


def until_drafted(page: Page, value: str) -> None:
    """What was typed is on the disk; a reload in the same instant would lose it."""
    until(
        page,
        """(value) => new Promise((resolve, reject) => {
          const opening = indexedDB.open("mpms");
          opening.onerror = reject;
          opening.onsuccess = () => {
            const db = opening.result;
            const all = db.transaction("drafts").objectStore("drafts").getAll();
            all.onerror = reject;
            all.onsuccess = () => {
              db.close();
              resolve(all.result.some((draft) => draft.value === value));
            };
          };
        })""",
        value,
    )


def until_ready(page: Page, plant: Plant, login: str) -> None:
    """The service worker has taken over and fetched what comes next."""
    sign_in(page, plant, login)
    until(page, "() => Boolean(navigator.serviceWorker.controller)")
    for task in (TASKS[5], *TASKS[:3]):
        until_kept(page, f"/tasks/{task}")
    until_kept(page, "/tasks")


def kept_paths(page: Page) -> list[str]:
    found: list[str] = page.evaluate(
        """async () => {
          const paths = [];
          for (const name of await caches.keys())
            for (const request of await (await caches.open(name)).keys())
              paths.push(name + " " + new URL(request.url).pathname);
          return paths.sort();
        }"""
    )
    return found


def confirm(page: Page, plant: Plant, task: str, kg: str, state: str) -> None:
    page.goto(f"{plant.url}/tasks/{task}")
    page.locator("form[data-ready]").wait_for()
    page.get_by_label("kg").fill(kg)
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("output")).to_have_text(state, timeout=PATIENCE_MS)


def test_without_server_tasks_open_and_answers_outlive_the_browser(
    plant: Plant, open_tablet: OpenTablet
) -> None:
    tablet = open_tablet()
    page = tablet.new_page()
    until_ready(page, plant, "ana")
    plant.stop()

    confirm(page, plant, TASKS[5], "12", "kept")
    expect(page.locator("#offline-bar")).to_contain_text(
        "No network. 1 confirmation waits on this tablet. It is safe to go on."
    )
    confirm(page, plant, TASKS[0], "13", "kept")
    page.reload()
    expect(page.locator("#offline-bar")).to_contain_text(
        "2 confirmations wait on this tablet."
    )
    page.goto(f"{plant.url}/orders")
    expect(page.get_by_role("heading", name="Offline page")).to_be_visible()
    tablet.close()

    page = open_tablet().new_page()
    page.goto(f"{plant.url}/tasks")
    row = page.locator(f"[data-task='{TASKS[5]}']")
    expect(row).to_contain_text("Done, waits for the network")
    expect(page.locator("#offline-bar")).to_contain_text("2 confirmations wait")

    plant.lost_answers = 1
    plant.start()
    page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator("#toast")).to_have_text(
        "All confirmations are sent.", timeout=PATIENCE_MS
    )
    expect(page.locator("#offline-bar")).to_be_hidden()
    expect(row).to_contain_text("Done")
    taken = [
        (one["task"], one["answers"]["kg"], one["answered_by"])
        for one in plant.answers.values()
    ]
    assert taken == [(TASKS[5], "12", "ana"), (TASKS[0], "13", "ana")]
    assert len(plant.posts) == 3  # the first of them twice, with one key


def test_pages_of_one_person_are_never_shown_to_the_next(
    plant: Plant, tablet: Page
) -> None:
    page = tablet
    until_ready(page, plant, "ana")
    page.goto(f"{plant.url}/orders")
    page.goto(f"{plant.url}/login")
    until(
        page,
        "async () => !(await caches.keys()).some((name) => name.startsWith('pages-'))",
    )
    until_ready(page, plant, "bob")
    kept = kept_paths(page)
    assert not [one for one in kept if "ana" in one]
    assert {one.split()[1] for one in kept if one.startswith("pages-bob")} == {
        "/tasks",
        *(f"/tasks/{task}" for task in (*TASKS[:3], TASKS[5])),
    }
    assert not [one for one in kept if "/login" in one or "/orders" in one]
    plant.stop()
    page.goto(f"{plant.url}/tasks/{TASKS[5]}")
    expect(page.get_by_role("heading", name="Weigh 5 for bob")).to_be_visible()


def test_a_silent_server_does_not_keep_a_worker_waiting(
    plant: Plant, tablet: Page
) -> None:
    page = tablet
    until_ready(page, plant, "ana")
    plant.speaks.clear()
    page.goto(f"{plant.url}/tasks/{TASKS[1]}", wait_until="commit")
    expect(page.get_by_role("heading", name="Weigh 1 for ana")).to_be_visible()
    assert not plant.speaks.is_set()


def test_an_answer_waits_for_the_sign_in(plant: Plant, tablet: Page) -> None:
    page = tablet
    until_ready(page, plant, "ana")
    page.goto(f"{plant.url}/tasks/{TASKS[1]}")
    page.locator("form[data-ready]").wait_for()
    plant.sessions = False
    page.get_by_label("kg").fill("9")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("output")).to_have_text("kept")
    bar = page.locator("#offline-bar")
    expect(bar).to_contain_text("1 confirmation waits on this tablet. Sign in to send.")
    bar.get_by_role("link", name="Sign in").click()
    sign_in(page, plant, "ana")
    expect(page.locator("#toast")).to_have_text("All confirmations are sent.")
    assert [one["answers"] for one in plant.answers.values()] == [{"kg": "9"}]


def test_a_refused_answer_is_shown_until_it_is_read(plant: Plant, tablet: Page) -> None:
    page = tablet
    until_ready(page, plant, "ana")
    plant.refuse = "At most 10 kg fit."
    confirm(page, plant, TASKS[2], "11", "refused")
    page.goto(f"{plant.url}/tasks")
    bar = page.locator("#offline-bar")
    expect(bar).to_contain_text("Weigh 2 · PO-7 · This was not accepted.")
    expect(bar).to_contain_text("At most 10 kg fit.")
    bar.get_by_role("button", name="Understood").click()
    expect(bar).to_be_hidden()


def test_what_was_typed_is_there_again_without_server_and_reaches_it(
    plant: Plant, tablet: Page
) -> None:
    page = tablet
    until_ready(page, plant, "ana")
    plant.stop()
    page.goto(f"{plant.url}/tasks/{TASKS[0]}")
    page.locator("form[data-ready]").wait_for()
    page.get_by_label("kg").fill("4.5")
    until_drafted(page, "4.5")
    page.reload()
    expect(page.get_by_label("kg")).to_have_value("4.5")
    plant.start()
    page.evaluate("dispatchEvent(new Event('online'))")
    deadline = time.monotonic() + PATIENCE_MS / 1000
    while not plant.drafts and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert plant.drafts == {TASKS[0]: {"kg": "4.5"}}


def test_a_new_version_waits_until_the_worker_loads_it(
    plant: Plant, tablet: Page
) -> None:
    page = tablet
    until_ready(page, plant, "ana")
    page.goto(f"{plant.url}/tasks/{TASKS[0]}")
    page.locator("form[data-ready]").wait_for()
    page.get_by_label("kg").fill("6")
    until_drafted(page, "6")
    plant.scripts["sw"] = plant.scripts["next sw"]
    page.evaluate("navigator.serviceWorker.ready.then((worker) => worker.update())")
    bar = page.locator("#offline-bar")
    expect(bar).to_contain_text("A new version is ready.")
    expect(page.get_by_label("kg")).to_have_value("6")
    with page.expect_navigation():
        bar.get_by_role("button", name="Load it").click()
    expect(page.get_by_label("kg")).to_have_value("6")
    until(
        page,
        "async () => (await caches.keys()).includes('apart-two')"
        " && !(await caches.keys()).includes('apart-one')",
    )
    assert f"pages-ana /tasks/{TASKS[5]}" in kept_paths(page)
