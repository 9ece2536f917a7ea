"""Workers who sign in on the login page and confirm tasks on the pages, over HTTP.

They read what the page says, as a person does: the lot to take, the boxes to tick.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from contextlib import suppress
from html import unescape
from http.cookiejar import CookieJar
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import HTTPCookieProcessor, Request, build_opener

PATIENCE_S = 60.0
TASK = re.compile(r"/tasks/([0-9a-f-]{36})")
BOX = re.compile(r'<input[^>]*type="checkbox"[^>]*name="([^"]+)"')
BOX_BEFORE = re.compile(r'<input[^>]*name="([^"]+)"[^>]*type="checkbox"')
LOT = re.compile(r"Take lot <strong>([^<]+)</strong>")
REFUSED = frozenset({403, 404, 409, 422})  # somebody else was faster, or is asked


class PageWorker:
    """Works through the pages in a thread of its own until told to stop."""

    def __init__(self, address: str, login: str, password: str) -> None:
        self._address = address.rstrip("/")
        self._browser = build_opener(HTTPCookieProcessor(CookieJar()))
        self.login = login
        self.confirmed: list[str] = []  # the titles of what was done
        self.refused: list[str] = []  # what the pages said to a wrong answer
        self._stop = threading.Event()
        self._post("/login", {"login": login, "password": password})
        self._thread = threading.Thread(target=self._work, name=login)

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while not self._stop.wait(0.1):
            with suppress(OSError):  # a page that is slow on a busy machine
                for task_id in dict.fromkeys(TASK.findall(self.page("/tasks"))):
                    self._do(task_id)

    def _do(self, task_id: str) -> None:
        page = self.page(f"/tasks/{task_id}")
        if f"/tasks/{task_id}/answer" not in page:
            return  # somebody else was faster
        lot = LOT.search(page)
        form = page[page.index('id="task-form"') :].partition("<dialog")[0]
        said = dict.fromkeys((*BOX.findall(form), *BOX_BEFORE.findall(form)), "on")
        if lot:
            said["lot"] = unescape(lot[1])
        try:
            self._post(f"/tasks/{task_id}/claim", {})
            self._post(f"/tasks/{task_id}/answer", said)
        except HTTPError as refused:
            if refused.code not in REFUSED:
                raise
            if refused.code == 422:
                self.refused.append(refused.read().decode())
            return
        self.confirmed.append(_title(page))

    def page(self, path: str) -> str:
        with self._browser.open(self._address + path, timeout=PATIENCE_S) as answer:
            return str(answer.read().decode())

    def _post(self, path: str, fields: dict[str, str]) -> None:
        body = urlencode(fields).encode()
        request = Request(self._address + path, body)  # noqa: S310
        request.add_header("Origin", self._address)
        with self._browser.open(request, timeout=PATIENCE_S) as answer:
            answer.read()


def _title(page: str) -> str:
    found = re.search(r"<h1>([^<]*)</h1>", page)
    return unescape(found[1]).strip() if found else ""


def work_of(workers: Sequence[PageWorker]) -> dict[str, int]:
    """How often each kind of task was done."""
    counts: dict[str, int] = {}
    for worker in workers:
        for title in worker.confirmed:
            counts[title] = counts.get(title, 0) + 1
    return counts
