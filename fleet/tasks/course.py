"""How tasks end early or go to another robot: withdrawn, paused, dispatched anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fleet.events import Redispatched, TaskPaused, Withdrawn
from fleet.tasks.pool import TaskRefused
from fleet.tasks.task import Kind, State, Task
from fleet.vehicles.vehicle import Doing, Vehicle

if TYPE_CHECKING:
    from fleet.fleet import Fleet


class Course:
    """Changes of what was planned for a task."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def _task(self, task_id: str) -> Task:
        task = self._fleet.pool.get(task_id)
        if task is None:
            raise TaskRefused(f"there is no task {task_id!r}")
        return task

    def withdraw(self, event: Withdrawn, now: float) -> None:
        task = self._task(event.task)
        if task.state.ended:
            raise TaskRefused(f"task {task.id} is already {task.state}")
        vehicle = self._fleet.vehicles.get(task.robot)
        if vehicle is None:
            self.end(task, State.WITHDRAWN, "withdrawn")
            return
        if vehicle.queue[:1] != [task.id]:
            vehicle.queue.remove(task.id)
            self.end(task, State.WITHDRAWN, "withdrawn")
            return
        task.withdrawing = True
        busy = vehicle.doing in (Doing.ACTING, Doing.CONFIRMING) or vehicle.load
        if not busy and (event.now or vehicle.doing is not Doing.DRIVING):
            self.drop(task, vehicle, now)

    def redispatch(self, event: Redispatched, now: float) -> None:
        task = self._task(event.task)
        vehicle = self._fleet.vehicles.get(task.robot)
        if task.state.ended or vehicle is None:
            raise TaskRefused(f"task {task.id} is {task.state} and with no robot")
        if task.kind in (Kind.CHARGE, Kind.PARK):
            raise TaskRefused(f"task {task.id} is {vehicle.id}'s own")
        first = vehicle.queue[0] == task.id
        if first and vehicle.load and task.leg > 0:
            raise TaskRefused(f"{vehicle.id} has {vehicle.load} on board")
        if first and vehicle.doing in (Doing.ACTING, Doing.CONFIRMING):
            raise TaskRefused(f"{vehicle.id} is loading or unloading")
        vehicle.queue.remove(task.id)
        if first:
            self._fleet.work.halt(vehicle, now)
        robot = task.robot
        self.give_back(task, "dispatched anew")
        task.tried.remove(robot)

    def tell_late(self, now: float) -> None:
        """Deadlines that have passed; each is told once."""
        for task in self._fleet.pool.open():
            due_at = task.deadline_at
            if due_at is not None and due_at < now and not task.late:
                task.late = True
                text = f"was due at {due_at:.0f} s and is {task.state}"
                self._fleet.alert("late", task.id, text)

    def pause(self, event: TaskPaused) -> None:
        task = self._task(event.task)
        if event.paused:
            self._fleet.pool.pause(task)
        else:
            self._fleet.pool.go_on(task)
        self._fleet.task_changed(task)

    def end(self, task: Task, state: State, why: str = "") -> None:
        if task.reserved:
            self._fleet.storage.end_reservation(task.reserved)
            task.reserved = ""
        task.why = why or task.why
        self._fleet.pool.end(task, state)
        self._fleet.task_changed(task)

    def clear_queue(self, vehicle: Vehicle, why: str, now: float) -> None:
        """Others shall do what is in its queue; a loaded task stays with it.

        What it has just loaded counts, though no detector has said so yet.
        """
        work = self._fleet.work
        for task_id in list(vehicle.queue):
            task = self._fleet.pool[task_id]
            aboard = vehicle.load and task.leg > 0
            aboard = aboard or vehicle.doing is Doing.CONFIRMING
            if aboard and task_id == vehicle.queue[0]:
                continue
            vehicle.queue.remove(task_id)
            if task.dispensable or task.kind in (Kind.CHARGE, Kind.PARK):
                work.stop_own(task, vehicle, now)
                self.end(task, State.WITHDRAWN, why)
                continue
            self.give_back(task, why)
        if not vehicle.queue:
            work.halt(vehicle, now)

    def give_back(self, task: Task, why: str) -> None:
        """Another robot may do it, with storage chosen anew."""
        if task.reserved:
            self._fleet.storage.end_reservation(task.reserved)
        task.reopen()
        self._fleet.pool.give_back(task, why)
        self._fleet.task_changed(task)

    def drop(self, task: Task, vehicle: Vehicle, now: float) -> None:
        """The present task of a robot ends here, without being done."""
        self._fleet.work.stop_own(task, vehicle, now)
        vehicle.queue.remove(task.id)
        self.end(task, State.WITHDRAWN, task.why or "withdrawn")
        self._fleet.work.halt(vehicle, now)
