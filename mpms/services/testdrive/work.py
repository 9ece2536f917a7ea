"""Who moves what waits: people fill in forms, timers fire, messages come.

Without anything learnt a form, a job and a message take times that are stated in the
report; what somebody reports instead of an answer comes as often as it was seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from mpms.domain.errors import MpmsError, TaskGone
from mpms.domain.instances.steps import (
    Complete,
    EventWait,
    Fail,
    Fire,
    FormWait,
    JobWait,
    Receive,
    TimerWait,
)
from mpms.domain.models.definitions import ModelStep
from mpms.domain.testdrive import scenario as given
from mpms.domain.testdrive.scenario import Worker
from mpms.services.instances.advance import Advance
from mpms.services.testdrive.answers import made_up_answer
from mpms.services.testdrive.crew import Crew
from mpms.services.testdrive.jobs import Jobs
from mpms.services.testdrive.virtual_time import VirtualTime
from mpms.services.testdrive.waits import OpenWait, Waits

QUICK_KINDS = ("intermediateCatchEvent", "receiveTask")


class Work:
    """Of one run."""

    def __init__(
        self,
        store: Any,
        advance: Advance,
        time: VirtualTime,
        waits: Waits,
        crew: Crew,
        jobs: Jobs,
        kinds: Mapping[str, ModelStep],
        forms: Mapping[str, Mapping[str, Any]],
    ) -> None:
        self._store, self._advance, self._time = store, advance, time
        self._waits, self._crew, self._jobs = waits, crew, jobs
        self._kinds, self._forms = kinds, forms
        self.silent_events: set[str] = set()

    def begin(self, one: OpenWait) -> None:
        match one.wait:
            case FormWait(task_id=task_id, groups=groups):
                self._crew.wait(task_id, groups, partial(self._fill_in, one))
            case JobWait():
                self._jobs.begin(one, one.wait)
            case TimerWait(due_at=due_at):
                self._time.at(self._time.seconds_at(due_at), partial(self._fire, one))
            case EventWait():
                self._expect(one)

    def drop(self, one: OpenWait) -> None:
        """It waits no longer for anybody."""
        if isinstance(one.wait, FormWait):
            self._crew.drop(one.wait.task_id)
        self._jobs.drop(one)

    def _fire(self, one: OpenWait) -> None:
        if self._waits.still(one):
            self._apply(one, Fire(one.wait.task_id))

    def _expect(self, one: OpenWait) -> None:
        """A message from outside comes when it used to; where nobody knows, only what
        the process plainly waits for comes."""
        step = self._kinds.get(one.wait.element)
        if step is None or step.kind not in QUICK_KINDS:
            self.silent_events.add(one.wait.element)
            return
        after_s = self._waits.lasts_s(one, given.EVENT_S)
        results = self._waits.results(one)
        self._time.later(after_s, lambda: self._receive(one, results))

    def _receive(self, one: OpenWait, variables: dict[str, Any]) -> None:
        if self._waits.still(one):
            self._apply(one, Receive(one.wait.task_id, variables))

    # -- people -----------------------------------------------------------------------

    def _fill_in(self, one: OpenWait, worker: Worker) -> None:
        one.begun_s = self._time.now_s
        lasts_s = self._waits.lasts_s(one, given.FORM_S)
        self._time.later(lasts_s, lambda: self._answer(one, worker, lasts_s))

    def _answer(self, one: OpenWait, worker: Worker, worked_s: float) -> None:
        self._crew.free(worker, worked_s)
        if not self._waits.still(one):
            return
        wait, learnt = one.wait, self._waits.scenario.learnt
        throw = self._waits.throw(one, "answer")
        code = learnt.problem(wait.element, throw)
        if code is not None and self._apply(one, Fail(wait.task_id, code, code)):
            return
        answers = learnt.answers.get(wait.element)
        filled_in: Mapping[str, Any]
        if answers:
            filled_in = throw.choice(list(answers))
        else:
            form = wait.form if isinstance(wait, FormWait) else None
            filled_in = made_up_answer(self._forms.get(form or ""))
        self._apply(one, Complete(wait.task_id, dict(filled_in)))

    def _apply(self, one: OpenWait, command: Any) -> bool:
        """Whether the model took it."""
        with self._store() as tx:
            instance = tx.instances.lock(one.instance_id)
            try:
                step = self._advance(tx, instance, command, actor="test-drive")
            except TaskGone:
                return False
            except MpmsError as refused:
                tx.incidents.open(
                    *("step", str(refused)),
                    instance_id=one.instance_id,
                    task_id=one.wait.task_id,
                    element=one.wait.element,
                )
                return False
        caught: bool = step.caught
        return caught
