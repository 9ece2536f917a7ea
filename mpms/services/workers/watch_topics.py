"""Say so when a job waits for a topic that nobody serves: a misspelt one, mostly.

Such a job is never claimed and so never fails; without this the process would wait for
ever. One worker cannot know it alone, because others may serve other topics. So it asks
for what all that are alive serve, and gives them a minute to come: a worker that is
started again is away for a moment. The incident closes by itself when somebody serves
the topic; when the job is done or needed no more, it goes with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mpms.domain.errors import InstanceBusy
from mpms.domain.incidents.kinds import UNSERVED
from mpms.domain.jobs import WaitingJob
from mpms.domain.spelling import nearest
from mpms.ports.store import UnitOfWork
from mpms.services.incidents.open import open_incident
from mpms.services.workers.served_topics import served_topics

PATIENCE_S = 60.0
EVERY_S = 5.0
AT_ONCE = 100
ACTOR = "worker"


@dataclass
class WatchTopics:
    """A worker's phase."""

    uow: UnitOfWork
    patience_s: float = PATIENCE_S
    monotonic_s: Callable[[], float] = time.monotonic
    _look_at: float = 0.0
    _tell_at: dict[str, float] = field(default_factory=dict)  # by topic

    def __call__(self) -> bool:
        """True if there is more to tell than was told."""
        now = self.monotonic_s()
        if now < self._look_at:
            return False
        self._look_at = now + min(EVERY_S, self.patience_s)
        with self.uow() as tx:
            served = served_topics(tx)
            if served is None:
                self._tell_at = {}
                return False
            for over in tx.incidents.resolve_served(served, kind=UNSERVED, by=ACTOR):
                tx.events.append(
                    "incident over",
                    actor=ACTOR,
                    instance_id=over.instance_id,
                    element=over.element,
                    task_id=over.task_id,
                    data={"topic": over.topic},
                )
            waiting = tx.jobs.topics() - served
        self._tell_at = {
            topic: self._tell_at.get(topic, now + self.patience_s) for topic in waiting
        }
        late = [topic for topic, at in self._tell_at.items() if now >= at]
        return bool(late) and self._tell(late, served, now)

    def _tell(self, topics: list[str], served: frozenset[str], now: float) -> bool:
        with self.uow() as tx:
            found = tx.jobs.untold(topics, limit=AT_ONCE)
        told = sum(self._open(job, served) for job in found)
        if len(found) == AT_ONCE and told:
            self._look_at = now
            return True
        # Again while it lasts, so that it is not put aside for good.
        self._tell_at |= dict.fromkeys(topics, now + self.patience_s)
        return False

    def _open(self, job: WaitingJob, served: frozenset[str]) -> bool:
        try:
            with self.uow() as tx:
                tx.instances.lock(job.instance_id)
                if job.task_id not in tx.waits.known(job.instance_id):
                    return False
                open_incident(
                    tx,
                    UNSERVED,
                    words_for(job.topic, served),
                    actor=ACTOR,
                    instance_id=job.instance_id,
                    task_id=job.task_id,
                    element=job.element,
                )
                return True
        except InstanceBusy:
            return False  # it is found again


def words_for(topic: str, served: frozenset[str]) -> str:
    """The topic first: the cause is named by it (``domain/incident_causes``)."""
    meant = nearest(topic, served)
    return (
        f"Nobody works on the topic '{topic}'."
        + (f" Did the model mean '{meant}'?" if meant else "")
        + " Start a worker that serves it, or correct the topic in the model and bring"
        " the process to the new version."
    )
