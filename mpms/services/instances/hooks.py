"""What plug-ins do when an instance changes, in the transaction that changes it.

The core moves tokens; what an instance stands for, such as a machine that it holds, is
known to a plug-in alone. A hook that raises undoes the change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpms.domain.incidents.incidents import Incident
from mpms.domain.instances.instances import Instance, InstanceStatus
from mpms.domain.jobs import Job
from mpms.domain.tasks import FormAnswer, FormTask, PastTask


class InstanceHooks:
    """Derive from this and write what is needed; every hook does nothing by itself.

    ``tx`` is the open transaction with all stores, also those of the plug-in.
    """

    def ended(
        self, tx: Any, instance: Instance, status: InstanceStatus, *, by: str
    ) -> None:
        """The instance was completed, failed or cancelled."""

    def completed_manually(self, tx: Any, instance: Instance, *, by: str) -> None:
        """Somebody did its work by hand; it is cancelled next."""

    def restarted(self, tx: Any, old_id: str, new_id: str, *, by: str) -> None:
        """A new instance goes on for one that had ended."""

    def worked(self, tx: Any, job: Job, results: Mapping[str, Any]) -> None:
        """A handler has done its work; the instance goes on with its results next."""

    def answered(
        self, tx: Any, instance: Instance, task: FormTask, answer: FormAnswer
    ) -> None:
        """A person has answered a form; the instance goes on with it next."""

    def noted(self, tx: Any, noted: Sequence[object]) -> None:
        """The transaction is about to commit: the lines that it adds to the history
        (``Told``), and what repositories of plug-ins noted, in order."""

    def retried(self, tx: Any, incident: Incident) -> None:
        """Somebody asks to try it again, and nothing has been done yet. RepairRefused
        where that would not be done now but some time later."""

    def why_gone(self, tx: Any, task: PastTask) -> str | None:
        """Why a task is not wanted any more; None where this plug-in does not know."""
        return None


@dataclass(frozen=True)
class AllHooks(InstanceHooks):
    """Those of every plug-in, one after the other."""

    hooks: tuple[InstanceHooks, ...] = ()

    @classmethod
    def of(cls, hooks: Iterable[InstanceHooks]) -> AllHooks:
        return cls(tuple(hooks))

    def ended(
        self, tx: Any, instance: Instance, status: InstanceStatus, *, by: str
    ) -> None:
        for hook in self.hooks:
            hook.ended(tx, instance, status, by=by)

    def completed_manually(self, tx: Any, instance: Instance, *, by: str) -> None:
        for hook in self.hooks:
            hook.completed_manually(tx, instance, by=by)

    def restarted(self, tx: Any, old_id: str, new_id: str, *, by: str) -> None:
        for hook in self.hooks:
            hook.restarted(tx, old_id, new_id, by=by)

    def worked(self, tx: Any, job: Job, results: Mapping[str, Any]) -> None:
        for hook in self.hooks:
            hook.worked(tx, job, results)

    def answered(
        self, tx: Any, instance: Instance, task: FormTask, answer: FormAnswer
    ) -> None:
        for hook in self.hooks:
            hook.answered(tx, instance, task, answer)

    def noted(self, tx: Any, noted: Sequence[object]) -> None:
        for hook in self.hooks:
            hook.noted(tx, noted)

    def retried(self, tx: Any, incident: Incident) -> None:
        for hook in self.hooks:
            hook.retried(tx, incident)

    def why_gone(self, tx: Any, task: PastTask) -> str | None:
        said = (hook.why_gone(tx, task) for hook in self.hooks)
        return next((why for why in said if why is not None), None)
