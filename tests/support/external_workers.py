"""A plant whose work is done by workers of others, and such a worker that speaks HTTP.

The model "weighing" has one step of the topic ``weigh paint`` and then a form; the
error TOO_HEAVY leads to another form.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mpms.domain.people.people import Role
from tests.support.drawings import draw, job
from tests.support.factory import ROOT
from tests.support.site import Answer, Browser, browser_of
from tests.support.waiting import PATIENCE_S
from tests.support.web_api import Plant

BASE = "/engine-rest"
TOPIC = "weigh paint"
CAUGHT = (
    '<boundaryEvent id="heavy" attachedToRef="weigh"><errorEventDefinition'
    ' errorRef="too_heavy" camunda:errorMessageVariable="told"/></boundaryEvent>'
)
FORMS = '<userTask id="fill"/><userTask id="split"/><endEvent id="over"/>'


def weighing(
    key: str = "weighing", *, topic: str = TOPIC, inside: str = ""
) -> dict[str, bytes]:
    return draw(
        key,
        f'<startEvent id="begin"/>{job("weigh", topic, inside)}{CAUGHT}{FORMS}',
        "begin weigh",
        "weigh fill",
        "heavy split",
        "fill over",
        "split over",
        declared='<error id="too_heavy" errorCode="TOO_HEAVY"/>',
    )


class ExternalWorker:
    """Asks as a worker for Camunda 7 does; it keeps nothing."""

    def __init__(
        self, client: Browser, secret: str | None, name: str, base: str = BASE
    ) -> None:
        self._client = client
        self._base = base
        self.secret = secret
        self.name = name

    def __call__(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        basic: bool = False,
        **more: Any,
    ) -> Answer:
        headers = dict(more.pop("headers", {}))
        if self.secret is not None and basic:
            pair = base64.b64encode(f"anybody:{self.secret}".encode()).decode()
            headers["Authorization"] = f"Basic {pair}"
        elif self.secret is not None:
            headers["Authorization"] = f"Bearer {self.secret}"
        if body is not None:
            more |= {"data": json.dumps(body), "content_type": "application/json"}
        return self._client.open(
            self._base + path, method=method, headers=headers, **more
        )

    def fetch(
        self, topic: str = TOPIC, *, lock_ms: int = 60_000, most: int = 10, **more: Any
    ) -> list[dict[str, Any]]:
        wanted = {"topicName": topic, "lockDuration": lock_ms, **more}
        asked = {"workerId": self.name, "maxTasks": most, "topics": [wanted]}
        answer = self("POST", "/external-task/fetchAndLock", asked)
        assert answer.status_code == 200, answer.text
        return list(answer.json)

    def does(self, task: dict[str, Any] | str, what: str, **said: Any) -> Answer:
        task_id = task if isinstance(task, str) else task["id"]
        body = {"workerId": self.name, **said}
        return self("POST", f"/external-task/{task_id}/{what}", body)

    def done(self, task: dict[str, Any] | str, what: str, **said: Any) -> None:
        answer = self.does(task, what, **said)
        assert (answer.status_code, answer.data) == (204, b""), answer.text

    def refused(
        self, task: dict[str, Any] | str, what: str, **said: Any
    ) -> tuple[int, str]:
        answer = self.does(task, what, **said)
        assert answer.content_type == "application/json"
        assert set(answer.json) == {"type", "message"}
        return answer.status_code, answer.json["message"]


class ForeignPlant(Plant):
    """No worker of ours knows the topic."""

    def prepare(self) -> None:
        self.deploy_files(weighing())

    def outside(
        self, name: str = "w1", role: Role = Role.SUPERVISOR, base: str = BASE
    ) -> ExternalWorker:
        secret = self.token(role).secret
        return ExternalWorker(browser_of(self.app()), secret, name, base)

    def run_out(self) -> None:
        """Every lock's time is up."""
        self.rows("UPDATE jobs SET lease_until = now() - interval '1 s'")

    def at(self, instance_id: str) -> str:
        """The step that a form of it stands at."""
        (form,) = self.forms(instance_id)
        return form.element


@contextmanager
def served(database_url: str, state: Path) -> Iterator[str]:
    """``mpms serve`` as a process of its own; its address."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("MPMS_")}
    facts = {"MPMS_DATABASE_URL": database_url, "MPMS_STATE_DIR": str(state)}
    process = subprocess.Popen(
        [sys.executable, "-m", "mpms", "serve"],
        env=kept | facts | {"MPMS_WEB_PORT": "0"},
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline().strip()
        assert line.startswith("MPMS is at http://127.0.0.1:"), line
        yield line.removeprefix("MPMS is at ").rstrip("/")
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
        process.stdout.close()
