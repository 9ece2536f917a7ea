"""Jobs that external workers do over HTTP: fetch and lock, complete, four at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, NamedTuple

from mpms import bootstrap
from mpms.domain.people.people import Role
from mpms.services.api.manage_tokens import add_token
from mpms.services.instances.start import start_instance

ROOT = Path(__file__).resolve().parents[2]
CLIENTS = 4
INSTANCES = 100  # of ten jobs each
AT_ONCE = 10
TOPIC = {"topicName": "bench.work", "lockDuration": 60_000}
GIVE_UP_S = 300.0


class Served(NamedTuple):
    """A web server that answers."""

    port: int
    pid: int


def external_jobs_per_s(url: str) -> float:
    """Where the process ``line`` is deployed and no worker of ours runs."""
    services = bootstrap.connect(url)
    token = add_token(
        services.uow, services.clock, "bench", Role.SUPERVISOR, by="bench"
    )
    with services.uow() as tx:
        for _ in range(INSTANCES):
            start_instance(tx, services.advance, "line", actor="bench")
    services.close()
    with served(url) as server, ProcessPoolExecutor(CLIENTS) as clients:
        begun_at = time.monotonic()
        asked = [
            clients.submit(work, server.port, token.secret, f"w{n}")
            for n in range(CLIENTS)
        ]
        ended_at = [moment for each in asked for moment in each.result()]
    assert len(ended_at) == 10 * INSTANCES, len(ended_at)
    return round(len(ended_at) / (max(ended_at) - begun_at), 1)


@contextmanager
def served(url: str) -> Iterator[Served]:
    """``mpms serve``, as long as the block runs."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    with (
        tempfile.TemporaryDirectory(prefix="mpms-bench-") as state,
        subprocess.Popen(
            [sys.executable, "-m", "mpms", "serve"],
            env=clean
            | {
                "MPMS_DATABASE_URL": url,
                "MPMS_STATE_DIR": state,
                "MPMS_WEB_PORT": "0",
            },
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        ) as server,
    ):
        assert server.stdout is not None
        port = int(server.stdout.readline().rsplit(":", 1)[1].strip().rstrip("/"))
        yield Served(port, server.pid)
        server.terminate()


def work(port: int, token: str, name: str) -> list[float]:
    """Fetch and complete until nothing comes any more; when each was done."""
    link = HTTPConnection("127.0.0.1", port, timeout=GIVE_UP_S)
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(path: str, **said: Any) -> Any:
        body = json.dumps({"workerId": name, **said})
        link.request("POST", f"/engine-rest/external-task/{path}", body, headers)
        answer = link.getresponse()
        text = answer.read()
        assert answer.status in (200, 204), text
        return json.loads(text) if text else None

    ended_at: list[float] = []
    while True:
        found = ask(
            "fetchAndLock",
            maxTasks=AT_ONCE,
            asyncResponseTimeout=1000,
            topics=[TOPIC],
        )
        if not found:
            return ended_at
        for task in found:
            ask(f"{task['id']}/complete")
            ended_at.append(time.monotonic())
