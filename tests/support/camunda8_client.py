"""Camunda's own client for Camunda 8, unmodified: workers, and calls made with it.

It validates strictly what it sends and gets against Camunda's description of the API.
"""

from __future__ import annotations

import json
from typing import Any

from hatch_build import Node
from tests.support.npm_client import HOME_8, SOURCE_8, fetch_client
from tests.support.script_process import ScriptProcess
from tests.support.waiting import until

PACKAGE = HOME_8 / "node_modules" / "@camunda8" / "orchestration-cluster-api"
ENTRY = PACKAGE / "dist" / "index.js"
AT_ONCE = {"consistency": {"waitUpToMs": 0}}  # a search is never behind here


def fetch_client_8() -> Node:
    return fetch_client(SOURCE_8, HOME_8)


def _pointed_at(url: str, token: str) -> dict[str, str]:
    """What somebody sets who points an existing program here."""
    return {
        "CLIENT": ENTRY.as_uri(),
        "CAMUNDA_REST_ADDRESS": url,
        "CAMUNDA_AUTH_STRATEGY": "BASIC",
        "CAMUNDA_BASIC_AUTH_USERNAME": "anybody",
        "CAMUNDA_BASIC_AUTH_PASSWORD": token,
        "CAMUNDA_SDK_VALIDATION": "req:strict,res:fanatical",
    }


class Worker8(ScriptProcess):
    """A job worker written with it."""

    def __init__(
        self,
        node: Node,
        url: str,
        token: str,
        topic: str,
        behaviour: str,
        *,
        name: str,
        lock_ms: int = 60_000,
        at_once: int = 10,
    ) -> None:
        told = {
            "WORKER": name,
            "TOPIC": topic,
            "BEHAVIOUR": behaviour,
            "LOCK_MS": str(lock_ms),
            "AT_ONCE": str(at_once),
        }
        super().__init__(
            [*node.node, str(SOURCE_8 / "worker.mjs")], told | _pointed_at(url, token)
        )

    def jobs(self) -> list[str]:
        return [one["job"] for one in self.heard if "job" in one]


class Caller8(ScriptProcess):
    """Makes the calls that users of workers make."""

    def __init__(self, node: Node, url: str, token: str) -> None:
        super().__init__(
            [*node.node, str(SOURCE_8 / "caller.mjs")], _pointed_at(url, token)
        )

    def _ask(self, method: str, *args: Any) -> dict[str, Any]:
        before = len(self.heard)
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"method": method, "args": args}) + "\n")
        self.process.stdin.flush()
        until(f"{method} is answered", lambda: len(self.heard) > before)
        return self.heard[-1]

    def __call__(self, method: str, *args: Any) -> Any:
        said = self._ask(method, *args)
        assert "gave" in said, (method, args, said)
        return said["gave"]

    def search(self, method: str, **asked: Any) -> list[dict[str, Any]]:
        return list(self(method, asked, AT_ONCE)["items"])

    def refused(self, method: str, *args: Any) -> dict[str, Any]:
        said = self._ask(method, *args)
        assert "refused" in said, (method, args, said)
        return dict(said["refused"])
