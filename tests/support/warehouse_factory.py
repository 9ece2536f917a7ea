"""The small warehouse over a real database, with robots that arrive at once.

The fleet is led by a worker that a test turns by hand, on a clock that the test moves.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from typing import Any

from mpms import assets
from mpms.adapters.clock import FixedClock
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.fleet_files import FleetFiles
from mpms.factory.adapters.memory import LoopbackRobots
from mpms.factory.domain.fleet_requests import FleetRequest, RequestKind
from mpms.factory.domain.goals import DRIVE, Goal, GoalReport, GoalState
from mpms.factory.domain.worlds import World
from mpms.factory.services.fleet.lead import LeadFleet
from mpms.services.tasks.submit import submit_form
from tests.support.factory import Factory
from tests.support.factory_worker import FactoryWorker

WAREHOUSE = "warehouse_small"
STEP_S = 0.5


@cache
def warehouse_files() -> FleetFiles:
    files = factory_bootstrap.fleet_of(WAREHOUSE)
    assert files is not None
    return files


class BreakableRobots(LoopbackRobots):
    """Some of them do not get anywhere."""

    def __init__(self, world: World) -> None:
        super().__init__(world)
        self.broken: set[str] = set()
        self.holds = False  # nobody arrives
        self.held: list[Goal] = []
        self.blocked: set[str] = set()  # whose next drive meets something
        self.meets: dict[str, Goal] = {}

    def _arrive(self, goal: Goal) -> None:
        if self.holds:
            self.held.append(goal)
            return
        if goal.robot in self.blocked and goal.action == DRIVE:
            self.blocked.discard(goal.robot)
            self.meets[goal.robot] = goal
            self.not_ready[goal.robot] = "blocked: no progress"
            return
        if goal.robot in self.broken:
            self._report(GoalReport(goal.id, GoalState.FAILED, "wheels"))
        else:
            super()._arrive(goal)

    def let_go(self) -> None:
        self.holds = False
        for goal in self.held:
            self._arrive(goal)

    def cancel(self, goal: Goal) -> None:
        if self.meets.pop(goal.robot, None) is not None:
            self.not_ready.pop(goal.robot)
        super().cancel(goal)


class WarehouseFactory(Factory):
    """One whose robots a fleet drives."""

    def __init__(self, url: str, files: FleetFiles | None = None) -> None:
        world = factory_bootstrap.world_named(WAREHOUSE)
        self.hands_of_clock = FixedClock(datetime.now(UTC))
        self.files = files or warehouse_files()
        self.breakable = BreakableRobots(world)
        super().__init__(url, clock=self.hands_of_clock, robots=self.breakable)
        self.handlers = factory_bootstrap.factory_handlers(
            self.uow, self.advance, world, fleet=True
        )
        self.worker = self.leader("first")
        self.deploy_files(
            {
                name: body
                for name, body in assets.shipped_models().items()
                if name.partition(".")[0] not in ("warehouse", "orders_handling")
            }
        )

    def leader(
        self, name: str, lease_s: float = 30.0, patience_s: float = 60.0
    ) -> FactoryWorker:
        return self.another_worker(
            name, fleet=self.files, lease_s=lease_s, robot_patience_s=patience_s
        )

    @property
    def lead(self) -> LeadFleet:
        assert self.worker.lead is not None
        return self.worker.lead

    def turn(self, times: int = 1) -> None:
        for _ in range(times):
            self.hands_of_clock.move(STEP_S)
            self.worker.turn()

    def run_until(self, done: Callable[[], Any], most: int = 2000) -> None:
        """Plant time passes until something is so."""
        for _ in range(most):
            if done():
                return
            self.turn()
        raise AssertionError(f"not in {most * STEP_S:g} s: {self.rows(STATE)}")

    def ask(self, request_id: str, kind: RequestKind, **data: Any) -> None:
        """What a topic does, without a process."""
        with self.uow() as tx:
            tx.fleet_requests.add(FleetRequest(request_id, kind, data))

    def request(self, request_id: str) -> tuple[str, str | None, dict[str, Any]]:
        """State, why, result."""
        rows = self.rows(
            "SELECT state, why, result FROM fleet_requests WHERE id = %s", request_id
        )
        state, why, result = rows[0]
        return state, why, result

    def ended(self, *request_ids: str) -> Callable[[], bool]:
        return lambda: all(
            self.request(each)[0] not in ("new", "open") for each in request_ids
        )

    def say(self, kind: str, **data: Any) -> str | None:
        """Tell the fleet something; what it refused."""
        with self.uow() as tx:
            said_id = tx.fleet.say(kind, data, said_by="test")
        self.turn()
        rows = self.rows("SELECT refused FROM fleet_events WHERE id = %s", said_id)
        refused: str | None = rows[0][0]
        return refused

    def answer(self, instance_id: str, answers: dict[str, Any]) -> None:
        (task,) = self.forms(instance_id)
        submit_form(self.uow, self.advance, task.task_id, answers, by="ada")


STATE = (
    "SELECT id, state, robot, legs, leg, why FROM fleet_tasks WHERE ended_at IS NULL"
)
