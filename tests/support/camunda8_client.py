"""Camunda's own clients for Camunda 8, unmodified: workers, and calls made with one.

The one for JavaScript validates strictly what it sends and gets against Camunda's
description of the API.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

from hatch_build import Node, find_node
from tests.support.foreign_clients import (
    Command,
    fetched_once,
    from_pypi,
    run_quietly,
)
from tests.support.npm_client import HOME_8, ROOT, SOURCE_8, fetch_client
from tests.support.script_process import ScriptProcess
from tests.support.waiting import until

PACKAGE = HOME_8 / "node_modules" / "@camunda8" / "orchestration-cluster-api"
ENTRY = PACKAGE / "dist" / "index.js"
SDK_HOME = ROOT / "build" / "npm" / "camunda8_sdk"
SDK = "@camunda8/sdk@8.8.13"
PYPI_8 = ROOT / "build" / "pypi" / "camunda8"
PYTHON_CLIENT_8 = "camunda-orchestration-sdk==9.0.1"
AT_ONCE = {"consistency": {"waitUpToMs": 0}}  # a search is never behind here


def fetch_client_8() -> Node:
    return fetch_client(SOURCE_8, HOME_8)


def in_javascript() -> Command:
    node = fetch_client_8()
    return Command(
        [*node.node, str(SOURCE_8 / "worker.mjs")], {"CLIENT": ENTRY.as_uri()}
    )


def with_the_kit() -> Command:
    """The older and larger package for JavaScript, over REST. ClientMissing."""
    node = find_node()
    with fetched_once(SDK_HOME, SDK) as needed:
        if needed:
            quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--no-save")
            run_quietly([*node.npm, "install", "--prefix", str(SDK_HOME), *quiet, SDK])
    entry = SDK_HOME / "node_modules" / "@camunda8" / "sdk" / "dist" / "index.js"
    return Command(
        [*node.node, str(SOURCE_8 / "worker_sdk.mjs")], {"CLIENT": entry.as_uri()}
    )


def in_python() -> Command:
    """ClientMissing."""
    packages = from_pypi(PYPI_8, PYTHON_CLIENT_8)
    return Command(
        [sys.executable, str(SOURCE_8 / "worker.py")], {"PYTHONPATH": str(packages)}
    )


CLIENTS_8: dict[str, Callable[[], Command]] = {
    "js": in_javascript,
    "sdk": with_the_kit,
    "python": in_python,
}


def _pointed_at(url: str, token: str) -> dict[str, str]:
    """What somebody sets who points an existing program here."""
    return {
        "CAMUNDA_REST_ADDRESS": url,
        "ZEEBE_REST_ADDRESS": url,  # the same for @camunda8/sdk
        "CAMUNDA_AUTH_STRATEGY": "BASIC",
        "CAMUNDA_BASIC_AUTH_USERNAME": "anybody",
        "CAMUNDA_BASIC_AUTH_PASSWORD": token,
        "CAMUNDA_SDK_VALIDATION": "req:strict,res:fanatical",
    }


class Worker8(ScriptProcess):
    """A job worker written with one of them."""

    def __init__(
        self,
        command: Command,
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
        told |= _pointed_at(url, token)
        super().__init__(command.argv, command.environment | told)

    def jobs(self) -> list[str]:
        return [one["job"] for one in self.heard if "job" in one]


class Caller8(ScriptProcess):
    """Makes the calls that users of workers make."""

    def __init__(self, node: Node, url: str, token: str) -> None:
        super().__init__(
            [*node.node, str(SOURCE_8 / "caller.mjs")],
            {"CLIENT": ENTRY.as_uri()} | _pointed_at(url, token),
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
