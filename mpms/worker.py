"""The worker: rounds of phases that each move what lies ready.

Any number of workers may run on one database; every phase claims with SKIP LOCKED.
A notification wakes a worker early, the poll is the truth.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Protocol

from mpms.domain.errors import DatabaseAway
from mpms.ports.store import UnitOfWork
from mpms.ports.workers import Look
from mpms.services.bulk.run import RunBatches
from mpms.services.history.chain_audit import ChainAudit
from mpms.services.history.tally import TallyHistory
from mpms.services.instances.advance import Advance
from mpms.services.instances.deliver import deliver_one, fire_some
from mpms.services.jobs.count import CountJobs
from mpms.services.jobs.handlers import Handlers
from mpms.services.jobs.outside import OutsideJobs
from mpms.services.jobs.run import RunJobs
from mpms.services.jobs.run_many import RunMany
from mpms.services.processes.start_due import start_due_one
from mpms.services.workers import watch_topics
from mpms.services.workers.heartbeat import Heartbeat
from mpms.services.workers.watch_due import WatchDue
from mpms.services.workers.watch_topics import WatchTopics

log = logging.getLogger(__name__)

Phase = Callable[[], bool]  # True: something was moved

ROUND_LIMIT = 50
POLL_S = 1.0
BREATH_S = 0.02
AWAY_S = 0.5


class Alarm(Protocol):
    """Something that sleeps until there may be work."""

    def wait(self, timeout_s: float) -> object: ...
    def wake(self) -> None: ...


class Worker:
    """One worker process's loop."""

    def __init__(
        self,
        uow: UnitOfWork,
        advance: Advance,
        handlers: Handlers,
        alarm: Alarm,
        *,
        name: str,
        first: Sequence[Phase] = (),
        then: Sequence[Phase] = (),
        poll_s: float = POLL_S,
        lease_s: float = 30.0,
        topic_patience_s: float = watch_topics.PATIENCE_S,
        version: str = "",
    ) -> None:
        """``first`` and ``then``: phases of plug-ins around moving what lies ready."""
        self._uow = uow
        self._advance = advance
        self._alarm = alarm
        self._handlers = handlers
        self._poll_s = poll_s
        self._jobs = RunJobs(uow, advance, handlers)
        self.job_counts = self._jobs.counts
        self._inside = RunMany(self._jobs)
        self._batches = RunBatches(uow, advance)
        self._looked: Look | None = None
        self._due_at: datetime | None = None
        self._outside = OutsideJobs(
            self._jobs, name, lease_s=lease_s, on_done=alarm.wake
        )
        self._heartbeat = Heartbeat(uow, name, version, poll_s, handlers)
        self._last_word = ""
        self.phases: list[Phase] = [
            self._heartbeat,
            *first,
            self._deliveries,
            self._timers,
            self._due_starts,
            self._inside_jobs,
            *then,
            self._outside_jobs,
            self._ordered_batches,
            TallyHistory(uow),
            ChainAudit(uow),
            WatchTopics(uow, topic_patience_s),
            WatchDue(uow, advance.clock),
            CountJobs(uow, self.job_counts),
        ]

    def run(self, stop: threading.Event) -> None:
        """Work until told to stop; a database that is away is waited for."""
        while not stop.is_set():
            try:
                moved = self.turn()
                self._say("")
                if not moved:
                    self._alarm.wait(self._nap_s())
            except DatabaseAway as away:
                self._say(f"waiting for the database: {away}")
                stop.wait(AWAY_S)
            except Exception as failed:
                self._heartbeat.failure = str(failed) or repr(failed)
                log.exception("a round failed; going on")
                stop.wait(AWAY_S)
        try:
            self._outside.release()
            self._heartbeat.leave()
        except DatabaseAway:
            log.warning("the database is away; leases run out by themselves")

    def turn(self) -> bool:
        """One round through all phases; False if nothing moved.

        Raises what a phase raised after the others have run.
        """
        moved = False
        failure: Exception | None = None
        for phase in self.phases:
            try:
                if phase():
                    moved, self._looked = True, None
            except DatabaseAway:
                raise
            except Exception as failed:
                failure = failure or failed  # the other phases have their turn
                self._looked = None
        self._looked = None
        if failure is not None:
            raise failure
        return moved

    def settle(self, *, limit_s: float = 60.0) -> None:
        """Rounds until nothing moves and nothing runs; for tests and one-shot runs."""
        give_up_at = time.monotonic() + limit_s
        while self.turn() or self._outside.busy:
            if time.monotonic() > give_up_at:
                raise TimeoutError(f"still moving after {limit_s:g} s")
            if self._outside.busy:
                time.sleep(0.005)

    def _nap_s(self) -> float:
        due_at = self._due_at
        if due_at is None:
            return self._poll_s
        left_s = (due_at - self._advance.clock.now()).total_seconds()
        # What is due and was not moved is locked by somebody else.
        return max(BREATH_S, min(self._poll_s, left_s))

    def _look(self) -> Look:
        """What lies ready, as it was in this round since something was moved last."""
        if self._looked is None:
            with self._uow() as tx:
                self._looked = tx.workers.look(
                    inside=self._handlers.inside,
                    outside=self._handlers.outside,
                    now=self._advance.clock.now(),
                )
            self._due_at = self._looked.next_due_at
        return self._looked

    def _say(self, word: str) -> None:
        if word != self._last_word:
            self._last_word = word
            log.warning(word) if word else log.info("the database is back")

    def _deliveries(self) -> bool:
        return self._look().deliveries and _repeat(
            lambda: deliver_one(self._uow, self._advance)
        )

    def _timers(self) -> bool:
        return self._look().timers and _repeat(
            lambda: fire_some(self._uow, self._advance) > 0
        )

    def _due_starts(self) -> bool:
        return self._look().starts and _repeat(
            lambda: start_due_one(self._uow, self._advance)
        )

    def _inside_jobs(self) -> bool:
        if not self._look().inside:
            return False
        moved = False
        for _ in range(ROUND_LIMIT):
            moved = self._inside() > 0 or moved
            if not self._inside.more:
                break
        return moved

    def _outside_jobs(self) -> bool:
        return self._outside.work(claims=self._look().outside)

    def _ordered_batches(self) -> bool:
        return self._look().batches and self._batches()


def _repeat(one: Callable[[], bool]) -> bool:
    """Do one until there is none, but let other phases have their turn."""
    for done in range(ROUND_LIMIT):
        if not one():
            return done > 0
    return True
