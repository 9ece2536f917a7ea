"""Jobs of a run: the plug-in's own handlers do theirs, those of others take a time.

A handler says done, failed or not yet, as it says to a worker. What is too early sleeps
until the plant has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mpms.domain.instances.steps import JobWait
from mpms.domain.jobs import Done, Job, NotYet
from mpms.domain.testdrive import scenario as given
from mpms.services.jobs.handlers import Handlers
from mpms.services.jobs.run import RunJobs
from mpms.services.testdrive.virtual_time import VirtualTime
from mpms.services.testdrive.waits import OpenWait, Waits

LOOK_AGAIN_S = 60.0


class Jobs:
    """Of one run. ``machines``: how many there are now."""

    def __init__(
        self,
        store: Any,
        time: VirtualTime,
        waits: Waits,
        handlers: Handlers,
        run_jobs: RunJobs,
        machines: Callable[[], int],
    ) -> None:
        self._store, self._time, self._waits = store, time, waits
        self._handlers, self._run_jobs = handlers, run_jobs
        self._machines = machines
        self._topics = handlers.topics()
        self._count = 0
        self._asleep: dict[str, list[str]] = {}  # topic to tasks, the oldest first
        self._look_due = False
        self.served_here: set[str] = set()  # steps

    def begin(self, one: OpenWait, wait: JobWait) -> None:
        self._count += 1
        instance = self._store.instances.get(one.instance_id)
        known = instance.snapshot.variables if instance.snapshot is not None else {}
        one.job = Job(
            *(self._count, wait.task_id, instance.id, instance.business_key),
            *(wait.element, wait.topic),
            inputs=known if wait.inputs is None else wait.inputs,
            attempts=0,
            retry_delays_s=wait.retry_delays_s,
            idempotency_key=wait.task_id,
        )
        if wait.topic in self._topics:
            self.served_here.add(wait.element)
            self._handle(one)
            return
        one.begun_s = self._time.now_s
        results = self._waits.results(one)
        lasts_s = self._waits.lasts_s(one, given.JOB_S)
        self._time.later(lasts_s, lambda: self._finish(one, results))

    def drop(self, one: OpenWait) -> None:
        """It waits no longer to be looked at again."""
        if one.asleep and isinstance(one.wait, JobWait):
            self._asleep[one.wait.topic].remove(one.wait.task_id)

    def wake(self) -> bool:
        """Whether one of them went on. Those of a topic are asked in their order, and
        no more of them in vain than there are machines."""
        went_on = False
        for topic in list(self._asleep):
            waiting, self._asleep[topic] = self._asleep[topic], []
            in_vain = 0
            for place, task_id in enumerate(waiting):
                if in_vain > self._machines():
                    self._asleep[topic] += waiting[place:]
                    break
                one = self._waits.get(task_id)
                if one is None:
                    continue
                self._handle(one)
                in_vain += one.asleep
                went_on = went_on or not one.asleep
        return went_on

    def _handle(self, one: OpenWait) -> None:
        """Let the handler do it, as a worker would."""
        job = one.job
        if job is None or not self._waits.still(one):
            return
        one.asleep = False
        inside = self._handlers.inside.get(job.topic)
        outside = self._handlers.outside.get(job.topic)
        try:
            if inside is not None:
                answer = inside(self._store, job)
            elif outside is not None:
                answer = outside.function(job)
            else:
                return
        except Exception as failure:
            self._run_jobs.fail(job, failure, worker=None)
            self._again(one, job)
            return
        if isinstance(answer, NotYet):
            self._sleep(one, job)
            return
        one.begun_s = self._time.now_s
        if outside is not None and isinstance(answer, Done):
            results = answer.variables
            lasts_s = self._waits.lasts_s(one, given.JOB_S)
            self._time.later(lasts_s, lambda: self._finish(one, results))
            return
        with self._store() as tx:
            self._run_jobs.settle(tx, job, answer, actor=job.topic)

    def _finish(self, one: OpenWait, results: Mapping[str, Any]) -> None:
        if one.job is not None and self._waits.still(one):
            with self._store() as tx:
                done = Done(dict(results))
                self._run_jobs.settle(tx, one.job, done, actor=one.job.topic)

    def _again(self, one: OpenWait, job: Job) -> None:
        """What has failed is tried again after the pauses that the real one makes."""
        said = self._store.jobs.postponed.pop(job.id, None)
        if said is not None:
            delay_s, _, failed = said
            one.job = Job(**{**vars(job), "attempts": job.attempts + int(failed)})
            self._time.later(delay_s, lambda: self._handle(one))

    def _sleep(self, one: OpenWait, job: Job) -> None:
        """It is too early; it is looked at again when the stand has changed."""
        one.asleep = True
        self._asleep.setdefault(job.topic, []).append(job.task_id)
        if not self._look_due:
            self._look_due = True
            self._time.later(LOOK_AGAIN_S, self._look)

    def _look(self) -> None:
        """Some changes nobody tells: a place that has become free by itself."""
        self._look_due = False
        self.wake()
