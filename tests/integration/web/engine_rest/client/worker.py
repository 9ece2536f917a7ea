"""A worker as somebody would write it with the client from PyPI, used as it is.

Prints one JSON object a line about what it did; ends when its standard input does.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
import time
from typing import Any

import requests
from camunda.external_task.external_task_worker import (  # type: ignore[import-not-found]
    ExternalTaskWorker,
)

LOCK_MS = int(os.environ["LOCK_MS"])
Task = Any  # the client has no types


def say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Told(logging.Handler):
    """The client tells of errors in its log alone."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info:
            say({"error": record.getMessage()})


def read(typed: dict[str, Any]) -> Any:
    if typed["type"] == "Json":
        return json.loads(typed["value"])
    if typed["type"] == "Date":
        return typed["value"].replace("+0000", "Z")
    return typed["value"]


def complete(task: Task) -> Any:
    names = task.get_variables()
    seen = {name: read(task.get_variable(name, with_meta=True)) for name in names}
    say({"task": task.get_task_id(), "seen": seen})
    results = {
        "kg": seen.get("kg", 0) * 2,
        "weighed": True,
        "lots": {"value": '[{"lot": "A", "kg": 1.5}]', "type": "Json"},
        "at": {"value": "2026-11-18T10:00:00.000+0000", "type": "Date"},
        "note": None,
    }
    return task.complete(results, {"mine": 1})


def count(task: Task) -> Any:
    say({"task": task.get_task_id()})
    return task.complete()


def fail(task: Task) -> Any:
    failed = task.failure("no scale", "a long story", max_retries=2, retry_timeout=1)
    say({"task": task.get_task_id(), "retries": failed.retries})
    return failed


def throw(task: Task) -> Any:
    say({"task": task.get_task_id()})
    return task.bpmn_error("TOO_HEAVY", "90 kg", {"kg": 90})


def extend(task: Task) -> Any:
    """The client has no word for it; whoever needs it asks the API."""
    asked = {"workerId": task.get_worker_id(), "newDuration": 600_000}
    address = f"{worker.client.external_task_base_url}/{task.get_task_id()}/extendLock"
    headers = worker.client.auth_basic
    requests.post(address, json=asked, headers=headers, timeout=30).raise_for_status()
    say({"task": task.get_task_id()})
    time.sleep(2 * LOCK_MS / 1000)
    return task.complete()


def hang(task: Task) -> Any:
    say({"task": task.get_task_id()})
    threading.Event().wait()


BEHAVIOURS = {
    each.__name__: each for each in (complete, count, fail, throw, extend, hang)
}

logging.getLogger().addHandler(Told())
worker = ExternalTaskWorker(
    os.environ["WORKER"],
    os.environ["BASE_URL"],
    {
        "maxTasks": int(os.environ["AT_ONCE"]),
        "lockDuration": LOCK_MS,
        "asyncResponseTimeout": 20_000,
        "sleepSeconds": 0.1,
        "auth_basic": {"username": "worker", "password": os.environ["TOKEN"]},
    },
)
threading.Thread(
    target=worker.subscribe,
    args=(os.environ["TOPIC"], BEHAVIOURS[os.environ["BEHAVIOUR"]]),
    daemon=True,
).start()
sys.stdin.read()
os._exit(0)
