"""Say so when an order waits long for its robot, although no goal is under way.

A weighing waits while the robot does not answer, and a drive waits while another robot
stands where it leads. Neither fails, because it goes on by itself; so a wait that lasts
gets an incident of its own, as a drive that does not go on does (``watch_drives``). It
is over when the step goes on. The worker that speaks with the robot tells.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from mpms.domain.errors import InstanceBusy
from mpms.factory.domain.incident_kinds import STANDS
from mpms.factory.ports.robots.jobs import RobotJob
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.robots.own import OwnRobots
from mpms.services.incidents.open import open_incident

TOPICS = ("robot.move", "scale.weigh")
LOOK_S = 5.0


@dataclass
class WatchWaits:
    """A worker's phase; it never has work for others."""

    uow: UnitOfWork
    owned: OwnRobots
    patience_s: float
    monotonic_s: Callable[[], float] = time.monotonic
    _look_at: float = 0.0

    def __call__(self) -> bool:
        now = self.monotonic_s()
        if now < self._look_at or not self.owned.mine:
            return False
        self._look_at = now + min(LOOK_S, self.patience_s)
        with self.uow() as tx:
            waiting = tx.robot_jobs.waiting(TOPICS)
        for job in waiting:
            if job.robot in self.owned.mine and job.waited_s >= self.patience_s:
                self._tell(job)
        return False

    def _tell(self, job: RobotJob) -> None:
        try:
            with self.uow() as tx:
                tx.instances.lock(job.instance_id)
                still = [
                    j for j in tx.robot_jobs.waiting(TOPICS) if j.task_id == job.task_id
                ]
                if still and still[0].why:
                    open_incident(
                        tx,
                        STANDS,
                        f"{still[0].why}. The order goes on by itself when this is"
                        " over; look at the robots.",
                        actor=str(job.robot),
                        instance_id=job.instance_id,
                        task_id=job.task_id,
                    )
        except InstanceBusy:
            return  # the next look comes soon
