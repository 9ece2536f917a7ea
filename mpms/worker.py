"""The worker: rounds of phases that each move what lies ready.

Any number of workers may run on one database; every phase claims with SKIP LOCKED.
A notification wakes a worker early, the poll is the truth.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Protocol

from mpms.domain.errors import DatabaseAway
from mpms.ports.plant import Robots
from mpms.ports.store import UnitOfWork
from mpms.services import watch_drives, watch_topics
from mpms.services.advance_instance import Advance
from mpms.services.count_jobs import CountJobs
from mpms.services.deliver import deliver_one, fire_some
from mpms.services.handlers import Handlers
from mpms.services.heartbeat import Heartbeat
from mpms.services.outside_jobs import OutsideJobs
from mpms.services.own_robots import OwnRobots
from mpms.services.run_batches import RunBatches
from mpms.services.run_jobs import RunJobs
from mpms.services.send_goals import send_goals
from mpms.services.settle_goal import settle_goals
from mpms.services.start_due import start_due_one
from mpms.services.tally_history import TallyHistory
from mpms.services.track_robots import TrackRobots
from mpms.services.watch_drives import WatchDrives
from mpms.services.watch_topics import WatchTopics
from mpms.services.watch_waits import WatchWaits

log = logging.getLogger(__name__)

ROUND_LIMIT = 50
POLL_S = 1.0
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
        robots: Robots,
        alarm: Alarm,
        *,
        name: str,
        poll_s: float = POLL_S,
        lease_s: float = 30.0,
        robot_patience_s: float = watch_drives.PATIENCE_S,
        topic_patience_s: float = watch_topics.PATIENCE_S,
        version: str = "",
    ) -> None:
        self._uow = uow
        self._advance = advance
        self._robots = robots
        self._alarm = alarm
        self._poll_s = poll_s
        self._jobs = RunJobs(uow, advance, handlers)
        self.job_counts = self._jobs.counts
        self._outside = OutsideJobs(
            self._jobs, name, lease_s=lease_s, on_done=alarm.wake
        )
        self._owned = OwnRobots(uow, robots, name, lease_s=lease_s)
        self._heartbeat = Heartbeat(uow, name, version, poll_s, handlers)
        self._last_word = ""
        self.phases: list[Callable[[], bool]] = [
            self._heartbeat,
            self._owned,
            self._goals_ended,
            self._deliveries,
            self._timers,
            self._due_starts,
            self._inside_jobs,
            self._goals_to_send,
            self._outside.work,
            RunBatches(uow, advance),
            TallyHistory(uow),
            TrackRobots(uow, robots, self._owned, advance.clock),
            WatchDrives(uow, robots, self._owned, robot_patience_s),
            WatchTopics(uow, topic_patience_s),
            WatchWaits(uow, self._owned, robot_patience_s),
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
            self._owned.release()
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
                moved = phase() or moved
            except DatabaseAway:
                raise
            except Exception as failed:
                failure = failure or failed  # the other phases have their turn
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
        with self._uow() as tx:
            known = (tx.timers.next_due_at(), tx.starts.next_due_at())
        due = [due_at for due_at in known if due_at is not None]
        if not due:
            return self._poll_s
        left_s = (min(due) - self._advance.clock.now()).total_seconds()
        return max(0.0, min(self._poll_s, left_s))

    def _say(self, word: str) -> None:
        if word != self._last_word:
            self._last_word = word
            log.warning(word) if word else log.info("the database is back")

    def _deliveries(self) -> bool:
        return _repeat(lambda: deliver_one(self._uow, self._advance))

    def _timers(self) -> bool:
        return _repeat(lambda: fire_some(self._uow, self._advance) > 0)

    def _due_starts(self) -> bool:
        return _repeat(lambda: start_due_one(self._uow, self._advance))

    def _inside_jobs(self) -> bool:
        return _repeat(self._jobs.run_inside)

    def _goals_to_send(self) -> bool:
        return send_goals(self._uow, self._robots, self._owned) > 0

    def _goals_ended(self) -> bool:
        return settle_goals(self._uow, self._advance, self._robots, self._owned) > 0


def _repeat(one: Callable[[], bool]) -> bool:
    """Do one until there is none, but let other phases have their turn."""
    for done in range(ROUND_LIMIT):
        if not one():
            return done > 0
    return True
