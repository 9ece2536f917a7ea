"""The API as a real server: killed in the middle, a key is free and counts once; and
asked with everything that its document allows, it answers as the document says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import psycopg2
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from mpms.domain.people.people import Role
from tests.support.waiting import PATIENCE_S, eventually
from tests.support.web_api import Plant

ROOT = Path(__file__).resolve().parents[4]
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]


class Server:
    """``mpms serve`` as a process of its own."""

    def __init__(self, database_url: str, state: Path) -> None:
        kept = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mpms", "serve"],
            env=kept
            | {
                "MPMS_DATABASE_URL": database_url,
                "MPMS_STATE_DIR": str(state),
                "MPMS_WEB_PORT": "0",
            },
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline().strip()
        assert line.startswith("MPMS is at http://127.0.0.1:"), line
        self.port = int(line.rsplit(":", 1)[1].rstrip("/"))
        self.url = f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, token: str, body: Any = None, key: str = ""
    ) -> tuple[int, Any]:
        link = HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        headers = {"Authorization": f"Bearer {token}"}
        if key:
            headers["Idempotency-Key"] = key
        if body is not None:
            headers["Content-Type"] = "application/json"
        try:
            raw = None if body is None else json.dumps(body)
            link.request(method, f"/api/v1{path}", raw, headers)
            answer = link.getresponse()
            content = answer.read()
            return answer.status, json.loads(content) if content else None
        finally:
            link.close()

    def kill(self) -> None:
        """Everything of it, at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(PATIENCE_S)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE_S)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture
def serve(plant: Plant, tmp_path: Path) -> Iterator[Callable[[], Server]]:
    made: list[Server] = []

    def start() -> Server:
        made.append(Server(plant.url, tmp_path / "state"))
        return made[-1]

    yield start
    for server in made:
        server.close()


def test_a_server_killed_in_the_middle_leaves_the_key_free_and_nothing_done(
    plant: Plant, serve: Callable[[], Server]
) -> None:
    plant.deploy()
    instance = plant.start_papers()
    token = plant.token(Role.SUPERVISOR).secret
    path, body = f"/instances/{instance}/suspend", {"reason": "look at it"}
    first = serve()
    waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"

    def ask_in_vain() -> None:
        with pytest.raises((HTTPException, OSError)):
            first.ask("POST", path, token, body, key="k1")

    with closing(psycopg2.connect(plant.url)) as other, other.cursor() as cursor:
        cursor.execute("LOCK TABLE events IN SHARE MODE")  # it waits without a limit
        asking = threading.Thread(target=ask_in_vain)
        asking.start()
        eventually(lambda: plant.rows(waiting)[0][0] > 0)
        first.kill()
        asking.join(PATIENCE_S)
    eventually(
        lambda: not plant.rows("SELECT 1 FROM pg_locks WHERE locktype = 'advisory'")
    )
    assert plant.told("suspended") == []
    second = serve()
    status, answer = second.ask("POST", path, token, body, key="k1")
    assert status == 200
    assert second.ask("POST", path, token, body, key="k1") == (200, answer)
    assert len(plant.told("suspended")) == 1


@pytest.mark.timeout(900)
@pytest.mark.parametrize("examples", [2, pytest.param(6, marks=pytest.mark.soak)])
def test_the_server_answers_as_its_document_says(
    plant: Plant, serve: Callable[[], Server], examples: int
) -> None:
    """A bounded number of requests for each operation, the same in every run."""
    plant.deploy()
    plant.start_papers(kg=4.5)
    token = plant.token(Role.ADMIN).secret
    server = serve()
    headers = {"Authorization": f"Bearer {token}"}
    schema = schemathesis.openapi.from_url(
        f"{server.url}/api/v1/openapi.json", headers=headers
    )
    asked: dict[str, int] = {}
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        if operation.path.startswith("/tokens"):
            continue  # the token that asks must stay

        @settings(
            max_examples=examples,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(case=operation.as_strategy())
        def ask(case: Any) -> None:
            answer = case.call_and_validate(
                headers=headers, timeout=PATIENCE_S, checks=CHECKS
            )
            asked[case.operation.label] = asked.get(case.operation.label, 0) + 1
            assert answer.status_code < 500

        ask()
    assert len(asked) > 80
