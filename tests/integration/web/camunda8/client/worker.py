"""The same worker as worker.mjs, with Camunda's client for Python.

Prints one JSON object a line about what it did; ends when its standard input does.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from typing import Any

from camunda_orchestration_sdk import (  # type: ignore[import-not-found]
    CamundaAsyncClient,
    JobChangeset,
    JobError,
    JobFailure,
    JobUpdateRequest,
    WorkerConfig,
)

LOCK_MS = int(os.environ["LOCK_MS"])
Job = Any  # the types of the client are not installed with ours


def say(what: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Told:
    """The client tells of errors in its log alone."""

    def error(self, message: str, *_: Any, **__: Any) -> None:
        say({"error": message})

    def bind(self, **_: Any) -> Told:
        return self

    def __getattr__(self, _: str) -> Any:
        return lambda *_, **__: None


async def complete(job: Job) -> dict[str, Any]:
    seen = job.variables.to_dict()
    headers = job.custom_headers.to_dict()
    say({"job": job.job_key, "seen": seen, "headers": headers})
    lots = [{"lot": "A", "kg": 1.5}]
    return {"kg": seen.get("kg", 0) * 2, "weighed": True, "lots": lots, "note": None}


async def count(job: Job) -> None:
    say({"job": job.job_key})


async def fail(job: Job) -> None:
    say({"job": job.job_key, "retries": job.retries - 1})
    raise JobFailure("no scale", retries=job.retries - 1, retry_back_off=1)


async def throw(job: Job) -> None:
    """Its errors carry no variables."""
    say({"job": job.job_key, "threw": {}})
    raise JobError("TOO_HEAVY", "90 kg")


async def extend(job: Job) -> None:
    changes = JobChangeset(timeout=600_000)
    await job.client.update_job(job.job_key, data=JobUpdateRequest(changes))
    say({"job": job.job_key})
    await asyncio.sleep(2 * LOCK_MS / 1000)


async def hang(job: Job) -> None:
    say({"job": job.job_key})
    await asyncio.Event().wait()


BEHAVIOURS = {
    each.__name__: each for each in (complete, count, fail, throw, extend, hang)
}


async def main() -> None:
    async with CamundaAsyncClient(logger=Told()) as client:
        client.create_job_worker(
            WorkerConfig(
                job_type=os.environ["TOPIC"],
                worker_name=os.environ["WORKER"],
                job_timeout_milliseconds=LOCK_MS,
                max_concurrent_jobs=int(os.environ["AT_ONCE"]),
            ),
            BEHAVIOURS[os.environ["BEHAVIOUR"]],
        )
        await client.run_workers()


def end() -> None:
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end, daemon=True).start()
asyncio.run(main())
