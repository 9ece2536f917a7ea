"""Figures, metrics and replays; the worker is moved by hand."""

from __future__ import annotations

from typing import Any

from mpms.factory.web.desk import FactoryDesk
from mpms.services.jobs.count import CountJobs
from tests.support.drawings import in_a_row, job
from tests.support.fakes import SilentLive
from tests.support.site import Workshop


class ThreeStreams(SilentLive):
    """Three browsers listen."""

    open_streams = 3


class House(Workshop):
    """Processes, a worker that is moved by hand, and the whole site."""

    def prepare(self) -> None:
        self.deploy("mixing")

    def desk(self, **changes: Any) -> FactoryDesk:
        return super().desk(**({"live": ThreeStreams()} | changes))

    def deploy(self, key: str) -> None:
        load = '<userTask id="load" name="Load material"/>'
        label = job("label", "print", name="Label")
        self.deploy_files(in_a_row(key, "begin load label end", load=load, label=label))

    def mix(self) -> str:
        return self.start("mixing", "K-mixing", kg=1)

    def finish(self, instance_id: str) -> None:
        (task,) = self.forms(instance_id)
        self.submit(task.task_id, {})

    def tally(self) -> None:
        """Count everything that has been committed."""
        CountJobs(self.uow, self.worker.job_counts)()
        for _ in range(100):
            with self.uow() as tx:
                if not tx.tallies.follow(5_000):
                    return
        raise AssertionError("the history has no end")
