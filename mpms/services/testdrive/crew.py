"""People in a test-drive: each fills in one form at a time, the oldest that he may."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mpms.domain.testdrive.scenario import Worker


@dataclass
class _Waiting:
    task_id: str
    groups: Sequence[str]
    begin: Callable[[Worker], None]


@dataclass
class Crew:
    """A group that nobody is in gets one person, and the report says so."""

    workers: list[Worker]
    busy_s: dict[str, float] = field(default_factory=dict)
    unknown_groups: set[str] = field(default_factory=set)
    _queue: list[_Waiting] = field(default_factory=list)
    _free: list[Worker] = field(init=False)

    def __post_init__(self) -> None:
        self._free = list(self.workers)
        self.busy_s = dict.fromkeys((one.name for one in self.workers), 0.0)

    def wait(
        self, task_id: str, groups: Sequence[str], begin: Callable[[Worker], None]
    ) -> None:
        """``begin`` is called with whoever takes it, when ``staff`` finds somebody."""
        if not any(worker.does(groups) for worker in self.workers):
            name = groups[0] if groups else "worker"
            self.unknown_groups.add(name)
            made_up = Worker(f"somebody of {name}", frozenset({name.casefold()}))
            self.workers.append(made_up)
            self._free.append(made_up)
            self.busy_s[made_up.name] = 0.0
        self._queue.append(_Waiting(task_id, groups, begin))

    def drop(self, task_id: str) -> None:
        """It waits no longer for anybody."""
        self._queue = [one for one in self._queue if one.task_id != task_id]

    def staff(self) -> bool:
        """Give work to those who are free; whether anybody got some."""
        began = False
        for waiting in list(self._queue):
            if not self._free:
                break
            who = next((w for w in self._free if w.does(waiting.groups)), None)
            if who is not None:
                self._queue.remove(waiting)
                self._free.remove(who)
                waiting.begin(who)
                began = True
        return began

    def free(self, worker: Worker, worked_s: float) -> None:
        self.busy_s[worker.name] += worked_s
        # In their order, so that the same people take the same forms in every run.
        self._free.append(worker)
        self._free.sort(key=lambda one: self.workers.index(one))
