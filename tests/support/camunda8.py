"""A plant with models drawn for Camunda 8, and a program that speaks its REST API.

The model "weighing8" has one job of the type ``weigh-paint`` and then a form; the error
TOO_HEAVY leads to another form.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from mpms.domain.people.people import Role
from tests.support.drawings import draw
from tests.support.external_workers import ForeignPlant
from tests.support.site import Answer, Browser, browser_of

BASE = "/v2"
TYPE = "weigh-paint"
ZEEBE = 'xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"'
MAPPED = (
    '<zeebe:taskHeaders><zeebe:header key="scale" value="7"/></zeebe:taskHeaders>'
    '<zeebe:ioMapping><zeebe:input source="=order.kg" target="kg"/>'
    '<zeebe:output source="=kg" target="total_kg"/></zeebe:ioMapping>'
)


def extended(inside: str) -> str:
    return f"<extensionElements {ZEEBE}>{inside}</extensionElements>"


def weighing8(
    key: str = "weighing8", *, topic: str = TYPE, inside: str = ""
) -> dict[str, bytes]:
    definition = f'<zeebe:taskDefinition type="{topic}" retries="3"/>'
    people = '<zeebe:userTask/><zeebe:assignmentDefinition candidateGroups="weighers"/>'
    return draw(
        key,
        '<startEvent id="begin"/>'
        f'<serviceTask id="weigh">{extended(definition + inside)}</serviceTask>'
        '<boundaryEvent id="heavy" attachedToRef="weigh">'
        '<errorEventDefinition errorRef="too_heavy"/></boundaryEvent>'
        f'<userTask id="fill" name="Fill">{extended(people)}</userTask>'
        f'<userTask id="split" name="Split">{extended(people)}</userTask>'
        '<endEvent id="over"/>',
        "begin weigh",
        "weigh fill",
        "heavy split",
        "fill over",
        "split over",
        declared='<error id="too_heavy" errorCode="TOO_HEAVY"/>',
    )


def paid8(key: str = "paid8") -> dict[str, bytes]:
    """Waits for the message "paid" of its order, then for the signal "closing"."""
    message = extended('<zeebe:subscription correlationKey="=order"/>')
    return draw(
        key,
        '<startEvent id="begin"/>'
        '<intermediateCatchEvent id="wait">'
        '<messageEventDefinition messageRef="paid"/></intermediateCatchEvent>'
        '<intermediateCatchEvent id="close">'
        '<signalEventDefinition signalRef="closing"/></intermediateCatchEvent>'
        '<endEvent id="over"/>',
        "begin wait",
        "wait close",
        "close over",
        declared=f'<message id="paid" name="paid">{message}</message>'
        '<signal id="closing" name="closing"/>',
    )


class Program8:
    """Asks as a client of Camunda 8 does."""

    def __init__(self, client: Browser, secret: str | None) -> None:
        self._client = client
        self.secret = secret

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
        return self._client.open(BASE + path, method=method, headers=headers, **more)

    def gives(self, method: str, path: str, body: Any = None, **more: Any) -> Any:
        answer = self(method, path, body, **more)
        assert answer.status_code == 200, answer.text
        return answer.json

    def does(self, method: str, path: str, body: Any = None, **more: Any) -> None:
        answer = self(method, path, body, **more)
        assert (answer.status_code, answer.data) == (204, b""), answer.text

    def refused(
        self, method: str, path: str, body: Any = None, **more: Any
    ) -> tuple[int, str, str]:
        """The status, the title and the sentence."""
        answer = self(method, path, body, **more)
        assert answer.content_type == "application/problem+json", answer.text
        problem = answer.json
        assert set(problem) == {"type", "title", "status", "detail", "instance"}
        assert problem["status"] == answer.status_code
        return answer.status_code, problem["title"], problem["detail"]

    def activate(
        self,
        topic: str = TYPE,
        *,
        worker: str = "w1",
        lock_ms: int = 60_000,
        **more: Any,
    ) -> list[dict[str, Any]]:
        asked = {"type": topic, "worker": worker, "timeout": lock_ms, **more}
        asked = {"maxJobsToActivate": 10, "requestTimeout": -1} | asked
        return list(self.gives("POST", "/jobs/activation", asked)["jobs"])

    def found(
        self, path: str, page: Any = None, **filters: Any
    ) -> list[dict[str, Any]]:
        asked = {"filter": filters} | ({} if page is None else {"page": page})
        return list(self.gives("POST", f"/{path}/search", asked)["items"])


class Plant8(ForeignPlant):
    """No worker of ours knows the type."""

    def prepare(self) -> None:
        self.deploy_files(weighing8())
        self.deploy_files(paid8())

    def program8(self, role: Role = Role.SUPERVISOR) -> Program8:
        return Program8(browser_of(self.app()), self.token(role).secret)
