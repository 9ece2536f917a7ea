"""The warehouse: open it for an order, weigh a load, close it again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal

from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Answer, Done, Job, NotYet
from mpms.factory.domain.errors import OrderUnknown
from mpms.factory.domain.orders import OrderStatus
from mpms.factory.domain.worlds import World
from mpms.factory.ports.robots.robots import RobotAway
from mpms.factory.ports.scales import Scale, ScaleByHand, ScaleUnavailable
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.stock.plan import keep_plan, plan_order, told
from mpms.factory.topics.orders import change_status
from mpms.factory.topics.stock import as_materials

AGAIN_S = 2.0


class ConnectWarehouse:
    """``warehouse.connect``: what to fetch, from where, to which tank."""

    def __init__(
        self,
        world: World,
        materials: CurrentCatalogue | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._world = world
        self._materials = materials or CurrentCatalogue()
        self._now = now

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        number = job.inputs["order_number"]
        try:
            order = tx.orders.get(number)
        except OrderUnknown as unknown:
            raise BusinessError("WarehouseUnavailable", str(unknown)) from unknown
        in_force = self._materials(tx)
        world = in_force.placed(self._world)
        today = self._now().date()
        plan = plan_order(tx, order, world, in_force.catalogue, today=today)
        for pick in plan.picks:
            if not pick.place:
                name = order.lines[pick.line].name
                raise BusinessError(
                    "WarehouseUnavailable",
                    f"{pick.material} ({name}) has no place in the warehouse",
                )
        if plan.missing:
            raise BusinessError("StockMissing", told(plan.missing))
        keep_plan(tx, order, plan, ())
        if order.status is OrderStatus.NEW:
            change_status(tx, job, number, OrderStatus.IN_PROCESS)
        return Done(
            {
                "product": order.product,
                "tank": self._world.tank_for(order.product),
                "materials": as_materials(order, plan.picks),
                "index": 0,
                "loaded": [],
                "on_robot": False,
            }
        )


class WeighMaterial:
    """``scale.weigh``: the net weight on the scale of the place, else of the robot.

    Parts of one line add up: what a scale at a place showed before has been taken off,
    what a robot's own scale showed still lies on it.

    While the robot does not answer, its scale has not failed: the weighing waits, as
    a drive does, and ``watch_waits`` tells of a wait that lasts.
    """

    def __init__(self, scale: Scale, uow: UnitOfWork | None = None) -> None:
        self._scale = scale
        self._uow = uow

    def __call__(self, job: Job) -> Answer:
        robot = job.inputs["robot"]
        try:
            weight = self._scale.weigh(robot, job.inputs.get("place"))
        except RobotAway as away:
            return NotYet(AGAIN_S, str(away))
        except ScaleByHand as by_hand:
            raise BusinessError("ScaleByHand", str(by_hand)) from by_hand
        except ScaleUnavailable as broken:
            away_why = self._away(robot)
            if away_why is not None:
                return NotYet(AGAIN_S, f"{robot} {away_why}")
            raise BusinessError("ScaleUnavailable", str(broken)) from broken
        before = Decimal(str(job.inputs.get("so_far_kg") or 0))
        total_kg = weight.net_kg if weight.stays else before + weight.net_kg
        parts = {} if total_kg == weight.net_kg else {"part_of_kg": float(total_kg)}
        return Done({"measured_kg": float(total_kg)}, weight.told() | parts)

    def _away(self, robot: str) -> str | None:
        """Why nobody hears the robot; None if it is heard."""
        if self._uow is None:
            return None
        with self._uow() as tx:
            states = {state.robot: state for state in tx.robots.states()}
        state = states.get(robot)
        if state is None or state.heard:
            return None
        return state.why_not or "does not answer"


def disconnect_warehouse(tx: Transaction, job: Job) -> Answer:
    """``warehouse.disconnect``: give the robot back."""
    robot = tx.robot_holds.release(job.instance_id)
    if robot is not None:
        tx.events.append(
            "robot released",
            actor=job.topic,
            instance_id=job.instance_id,
            data={"robot": robot},
        )
        tx.wake()
    return Done()
