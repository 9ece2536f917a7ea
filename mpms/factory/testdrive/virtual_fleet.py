"""The fleet's core with virtual robots, asked by instances in virtual time.

The same core that leads real robots, the same book of requests; between them stands no
goal and no network. Time is stepped while somebody works or drives, and jumps else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from fleet import events as ev
from fleet.commands import Answer, Decided, TaskChanged
from fleet.fleet import Fleet
from fleet.model.world import World
from fleet.roads import Roadmap
from fleet.virtual.plant import Plant
from mpms.domain.testdrive.floor import FloorTimes
from mpms.factory.adapters.memory.rows import MemoryFleet, MemoryRequests
from mpms.factory.services.fleet.crew import phases_with
from mpms.factory.services.fleet.hear import event_of
from mpms.factory.services.fleet.requests import Book
from mpms.factory.services.fleet.tell import tell_requests
from mpms.services.testdrive.stand import Driving

STEP_S = 0.5
OWN_KINDS = ("charge", "park")

Done = tuple[str, str, str, tuple[tuple[str, str], ...]]
"""What a robot does: the kind of task, its state, who, and the legs."""


class VirtualFleet:
    """One a run. ``log`` is what its tasks became, in order."""

    def __init__(
        self,
        world: World,
        roadmaps: dict[str, Roadmap] | None,
        held: Callable[[], Mapping[str, str]],
    ) -> None:
        self.fleet = Fleet(
            world, roadmaps=roadmaps, phases=phases_with(lambda: set(held()))
        )
        self.plant = Plant(world)
        self.busy_s: dict[str, float] = dict.fromkeys(world.robots, 0.0)
        self.floor = FloorTimes()
        self.log: list[Done] = []
        self._driving: Driving | None = None
        self._begin_at: Any = None
        self._ticking = False
        self._now_s = 0.0
        self._told = 0

    def open(
        self, driving: Driving, requests: MemoryRequests, rows: MemoryFleet
    ) -> None:
        self._driving, self._begin_at = driving, driving.now()
        self._requests, self._rows = requests, rows
        for robot in self.plant.robots.values():
            self._hear(robot.report(), None)

    def pump(self) -> bool:
        """Begin to step when there is something to do."""
        if not self._ticking and (self._requests.at_work() or self._unheard()):
            self._ticking = True
            self._rest()
            self._later(0.0)
        return False

    def _unheard(self) -> bool:
        return len(self._rows.said) > self._told

    def _rest(self) -> None:
        """Time that nobody stepped through: robots stood, or charged."""
        now_s = self._seconds()
        gone_s = now_s - self._now_s
        if gone_s > STEP_S:
            for event in self.plant.step(now_s, gone_s):
                self._hear(event, None)
        self._now_s = now_s

    def _tick(self) -> None:
        driving = self._ready()
        self._now_s = self._seconds()
        with driving.uow() as tx:
            self._requests.withdraw_gone(tx.waits.known)
        book = Book(self.fleet, self._requests.at_work())
        for answer in book.begin_new(self._now_s):
            self._take(answer, book)
        for kind, data in self._rows.said[self._told :]:
            self._hear(event_of(kind, data), book)
        self._told = len(self._rows.said)
        for event in self.plant.step(self._now_s, STEP_S):
            self._hear(event, book)
        self._hear(ev.Tick(), book)
        self._count()
        self._write(book)
        tell_requests(driving.uow, driving.advance)  # type: ignore[arg-type]
        moving = any(robot.path or robot.acts for robot in self.plant.robots.values())
        if moving or self._at_work() or self._requests.at_work() or self._unheard():
            self._later(STEP_S)
        else:
            self._ticking = False

    def _later(self, delay_s: float) -> None:
        self._ready().later(delay_s, self._tick)

    def _write(self, book: Book) -> None:
        for request in book.begun:
            self._requests.begin(request.id, request.fleet_task)
        for request in book.ended:
            self._requests.end(
                request.id,
                request.state,
                code=request.code,
                why=request.why,
                result=request.result,
            )
        self._rows.at_work = {task.robot for task in self._at_work() if task.robot}

    def _at_work(self) -> list[Any]:
        open_ones = self.fleet.pool.open()
        return [task for task in open_ones if task.kind.value not in OWN_KINDS]

    def _count(self) -> None:
        for task in self._at_work():
            if task.robot in self.busy_s:
                self.busy_s[task.robot] += STEP_S
                robot = self.plant.robots[task.robot]
                self.floor.stand(robot.x_m, robot.y_m, STEP_S)

    def _hear(self, event: ev.Event, book: Book | None) -> None:
        self._take(self.fleet.handle(self._now_s, event), book)

    def _take(self, answer: Answer, book: Book | None) -> None:
        self.plant.obey(self._now_s, answer.commands)
        for record in answer.records:
            if isinstance(record, TaskChanged):
                task = self.fleet.pool.get(record.task)
                if task is None:
                    continue
                legs = tuple((leg.place, leg.action.value) for leg in task.legs)
                self.log.append((task.kind.value, record.state, record.robot, legs))
                if book is not None:
                    book.heard(task)
            elif isinstance(record, Decided):
                continue

    def _seconds(self) -> float:
        seconds: float = (self._ready().now() - self._begin_at).total_seconds()
        return seconds

    def _ready(self) -> Driving:
        if self._driving is None:
            raise RuntimeError("the fleet has not been opened")
        return self._driving
