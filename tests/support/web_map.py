"""The map's pages, and a floor that the test paints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import uuid4

from mpms.factory.domain.goals import Goal, GoalState, Pose
from mpms.factory.domain.worlds import World
from mpms.factory.ports.floor import FloorSeen, Point
from mpms.factory.ports.robots.robots import RobotState
from mpms.factory.web.desk import FactoryDesk
from tests.support.fakes import CountingUnitOfWork, EmptyFloor
from tests.support.site import Browser, Site


class PaintedFloor(EmptyFloor):
    """Shows what the test says."""

    def __init__(self) -> None:
        self.frame = FloorSeen()
        self.cells: dict[str, list[Point]] = {}
        self.whole: dict[str, list[Point]] = {}
        self.asked: list[str] = []

    def seen(self) -> FloorSeen:
        return self.frame

    def costmap(self, robot: str) -> Sequence[Point]:
        self.asked.append(robot)
        return self.cells.get(robot, [])

    def global_costmap(self, robot: str) -> Sequence[Point]:
        self.asked.append(f"{robot} whole")
        return self.whole.get(robot, [])


class House(Site):
    """A plant with a map, whose transactions are counted."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.counted = CountingUnitOfWork(self.uow)
        self.floor = PaintedFloor()

    def desk(self, **changes: Any) -> FactoryDesk:
        usual = {"uow": self.counted, "floor": self.floor}
        return super().desk(**(usual | changes))

    def renamed(self, name: str) -> World:
        """The world with a robot, a place and a material of this name."""
        robot = replace(self.world.robots[0], id=name)
        return replace(
            self.world,
            name=name,
            robots=(robot,),
            places=self.world.places | {name: Pose(5.0, 2.0)},
            material_places=self.world.material_places | {name: name},
        )

    def report(self, *states: RobotState) -> None:
        with self.uow() as tx:
            names = [state.robot for state in states]
            tx.robots.own(names, worker="w", lease_s=600.0)
            tx.robots.report(states, worker="w")

    def hold(self, robot: str, order: str) -> str:
        instance = str(uuid4())
        with self.uow() as tx:
            model = tx.definitions.deploy("mix", "Mix", b"<mix/>", by="test")
            tx.instances.add(
                instance, tx.definitions.id_of(model), business_key=order, parent=None
            )
            assert tx.robot_holds.hold(robot, instance)
        return instance

    def send(self, robot: str, place: str, instance: str | None = None) -> str:
        goal_id = uuid4().hex
        goal = Goal(
            goal_id, robot, place, Pose(1.0, 1.0), GoalState.SENT, instance_id=instance
        )
        with self.uow() as tx:
            assert tx.goals.add(goal)
        return goal_id


def frame_of(browser: Browser, query: str = "") -> dict[str, Any]:
    answer = browser.get(f"/map/frame.json{query}")
    assert answer.status_code == 200
    frame: dict[str, Any] = answer.json
    return frame
