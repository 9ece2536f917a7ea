"""All tasks, their states, and what each waits for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fleet.model.world import World
from fleet.tasks.task import State, Task


class TaskRefused(ValueError):
    """The task cannot be done here, and why. Nothing has changed."""


class Pool:
    """Tasks by id, in the order in which they came."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._tasks: dict[str, Task] = {}
        self._open: dict[str, Task] = {}
        self.bound: dict[str, str] = {}  # sequence to robot

    def __getitem__(self, task_id: str) -> Task:
        return self._tasks[task_id]

    def __contains__(self, task_id: str) -> bool:
        return task_id in self._tasks

    def get(self, task_id: str) -> Task | None:
        return self._tasks.get(task_id)

    def open(self) -> Iterator[Task]:
        return iter(list(self._open.values()))

    def submit(self, task: Task, now: float) -> None:
        """Take a task in; TaskRefused names what is wrong with it."""
        why = self._refusal(task)
        if why:
            raise TaskRefused(f"task {task.id}: {why}")
        task.submitted_at = now
        task.state = State.HELD
        self._tasks[task.id] = task
        self._open[task.id] = task
        self.release()

    def _refusal(self, task: Task) -> str | None:
        world = self._world
        if task.id in self._tasks:
            return "there is one with this id already"
        if not task.legs:
            return "it has no legs"
        for leg in task.legs:
            if leg.place and leg.place not in world.places:
                return f"there is no place {leg.place!r}"
        if task.intended and task.intended not in world.robots:
            return f"there is no robot {task.intended!r}"
        robots = [task.intended] if task.intended else list(world.robots)
        kept_out = [task.kept_out(world, robot) for robot in robots]
        if kept_out and all(kept_out):
            return kept_out[0]
        for other in task.after:
            if other not in self._tasks:
                return f"it shall follow {other!r}, which does not exist"
        if task.package_type:
            package = world.packages.get(task.package_type)
            if package is None:
                return f"there is no package type {task.package_type!r}"
            whys = {r: world.type_of(r).carries(package) for r in robots}
            if all(whys.values()):
                told = "; ".join(f"{robot} {why}" for robot, why in whys.items())
                return f"no robot can carry {task.package_type}: {told}"
        return None

    def release(self) -> list[Task]:
        """Held tasks become ready when what they wait for is done."""
        released = []
        for task in self.open():
            if task.state is not State.HELD or task.paused:
                continue
            before = [self._tasks[other] for other in task.after]
            broken = [t for t in before if t.state in (State.FAILED, State.WITHDRAWN)]
            if broken:
                task.why = f"{broken[0].id}, which it follows, is {broken[0].state}"
                self.end(task, State.FAILED)
            elif all(t.state is State.DONE for t in before) and self._is_next(task):
                task.state = State.READY
                released.append(task)
        return released

    def _is_next(self, task: Task) -> bool:
        """Tasks of a sequence are done one after the other."""
        if not task.sequence:
            return True
        for other in self._open.values():
            if other.sequence == task.sequence:
                return other is task
        return True

    def pause(self, task: Task) -> bool:
        """Nobody starts it; what a robot already does is finished."""
        task.paused = True
        if task.state is State.READY:
            task.state = State.HELD
        return task.state is State.HELD

    def go_on(self, task: Task) -> None:
        task.paused = False
        self.release()

    def assign(self, task: Task, robot: str) -> None:
        task.state = State.ASSIGNED
        task.robot = robot
        if task.sequence:
            self.bound.setdefault(task.sequence, robot)

    def give_back(self, task: Task, why: str) -> None:
        """Its robot cannot do it; another one may."""
        if task.robot and task.robot not in task.tried:
            task.tried.append(task.robot)
        if task.sequence and self.bound.get(task.sequence) == task.robot:
            del self.bound[task.sequence]
        task.robot = ""
        task.leg = 0
        task.zone = ""
        task.why = why
        task.state = State.HELD if task.paused else State.READY

    def end(self, task: Task, state: State) -> None:
        task.state = state
        self._open.pop(task.id, None)
        if task.sequence and not any(
            other.sequence == task.sequence for other in self._open.values()
        ):
            self.bound.pop(task.sequence, None)
        self.release()

    def to_dict(self) -> dict[str, Any]:
        return {
            "tasks": [task.to_dict() for task in self._tasks.values()],
            "bound": dict(self.bound),
        }

    def load(self, data: dict[str, Any]) -> None:
        self._fill(Task.from_dict(each) for each in data["tasks"])
        self.bound = dict(data["bound"])

    def _fill(self, tasks: Iterable[Task]) -> None:
        for task in tasks:
            self._tasks[task.id] = task
            if not task.state.ended:
                self._open[task.id] = task

    def forget_ended(self, keep: int) -> None:
        """Ended tasks that nobody waits for; the history has them."""
        if len(self._tasks) - len(self._open) <= keep * 1.2:
            return
        needed = {other for task in self._open.values() for other in task.after}
        ended = [t for t in self._tasks.values() if t.state.ended]
        for task in ended[: max(0, len(ended) - keep)]:
            if task.id not in needed:
                del self._tasks[task.id]
