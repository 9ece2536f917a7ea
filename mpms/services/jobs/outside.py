"""Threads for handlers that touch the world, each under a lease in the database.

The lease says who works on a job. It is renewed while the handler runs, so a worker
that dies loses its jobs when the lease runs out, and the next worker runs them with
the same idempotency key. A handler that hangs past its limit counts as failed; its
thread is left behind, because Python cannot stop one.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from mpms.domain.errors import MpmsError
from mpms.domain.jobs import Answer, Job
from mpms.domain.trace import tracing
from mpms.services.jobs.handlers import OutsideHandler
from mpms.services.jobs.run import RunJobs
from mpms.services.jobs.settle_many import settle_many

log = logging.getLogger(__name__)


class HandlerTooSlow(MpmsError):
    """The handler did not answer in time."""


@dataclass
class Running:
    """A job in a thread of this worker."""

    job: Job
    give_up_at: float


class OutsideJobs:
    """Leases, runs and settles outside jobs for one worker."""

    def __init__(
        self,
        jobs: RunJobs,
        worker: str,
        *,
        lease_s: float = 30.0,
        at_once: int = 4,
        on_done: Callable[[], None] = lambda: None,
    ) -> None:
        self._jobs = jobs
        self._worker = worker
        self._lease_s = lease_s
        self._at_once = at_once
        self._on_done = on_done
        self._running: dict[int, Running] = {}
        self._done: queue.SimpleQueue[tuple[Job, Answer | Exception]]
        self._done = queue.SimpleQueue()
        self._renew_at = 0.0

    def work(self, *, claims: bool = True) -> bool:
        """One round: settle what is done, end what hangs, renew, claim more."""
        moved = self._settle()
        self._end_hanging()
        self._renew()
        return (claims and self._claim()) or moved

    def release(self) -> None:
        """Before a stop in good order: let others have what is unfinished."""
        self._settle()
        with self._jobs.uow() as tx:
            tx.jobs.release(self._worker)

    @property
    def busy(self) -> int:
        return len(self._running)

    def _claim(self) -> bool:
        handlers = self._jobs.handlers.outside
        free = self._at_once - len(self._running)
        if not handlers or free < 1:
            return False
        with self._jobs.uow() as tx:
            claimed = tx.jobs.claim_outside(
                handlers, worker=self._worker, lease_s=self._lease_s, limit=free
            )
        for job in claimed:
            if job.id not in self._running:
                self._start(job, handlers[job.topic])
        return bool(claimed)

    def _start(self, job: Job, handler: OutsideHandler) -> None:
        self._running[job.id] = Running(job, time.monotonic() + handler.limit_s)
        thread = threading.Thread(
            target=self._run, args=(job, handler), name=f"job {job.topic}", daemon=True
        )
        thread.start()

    def _run(self, job: Job, handler: OutsideHandler) -> None:
        try:
            with tracing(instance=job.instance_id, order=job.business_key):
                answer: Answer | Exception = handler.function(job)
        except Exception as failure:
            answer = failure
        self._done.put((job, answer))
        self._on_done()

    def _settle(self) -> bool:
        answered: list[tuple[Job, Answer]] = []
        failed: list[tuple[Job, Exception]] = []
        while not self._done.empty():
            job, answer = self._done.get()
            running = self._running.get(job.id)
            if running is None or running.job is not job:
                log.warning("%s answered after its limit; ignored", job.topic)
                continue
            del self._running[job.id]
            if isinstance(answer, Exception):
                failed.append((job, answer))
            else:
                answered.append((job, answer))
        failed += settle_many(self._jobs, answered, self._worker)
        for job, failure in failed:
            self._jobs.fail(job, failure, worker=self._worker)
        return bool(answered or failed)

    def _end_hanging(self) -> None:
        now = time.monotonic()
        for running in [r for r in self._running.values() if r.give_up_at < now]:
            job = running.job
            limit_s = self._jobs.handlers.outside[job.topic].limit_s
            failure = HandlerTooSlow(f"{job.topic} did not answer within {limit_s:g} s")
            self._jobs.fail(job, failure, worker=self._worker)
            del self._running[job.id]

    def _renew(self) -> None:
        now = time.monotonic()
        if not self._running or now < self._renew_at:
            return
        with self._jobs.uow() as tx:
            tx.jobs.renew(self._worker, list(self._running), self._lease_s)
        self._renew_at = now + self._lease_s / 3
