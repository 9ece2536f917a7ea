"""What a process of an order does with stock: choose, load, use up, bring back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from mpms.domain.errors import BusinessError
from mpms.domain.jobs import Answer, Done, Job
from mpms.factory.domain.errors import StockMissing
from mpms.factory.domain.orders import Order
from mpms.factory.domain.stock import (
    LotRefused,
    LotState,
    Pick,
    PickState,
    grams_of,
    kg_of,
)
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction
from mpms.factory.services.catalogue.current import CurrentCatalogue
from mpms.factory.services.stock.load import book_load, book_return, book_use
from mpms.factory.services.stock.move import change_lot
from mpms.factory.services.stock.plan import (
    begun,
    keep_plan,
    plan_order,
    still_true,
    told,
)
from mpms.factory.services.stock.receive import ReceiptRefused, receive

Now = Callable[[], datetime]
NOTHING_LOADED = {
    "lot": "",
    "message": "",
    "confirmed": False,
    "weighed_kg": None,
    "unloaded": False,
    "on_robot": False,
    "accepted_kg": None,
}


class NextMaterial:
    """``stock.next``: the next material, where it lies now.

    A robot is never sent to an empty place: if the plan is no longer true, what is
    left of the order is planned anew before it drives.
    """

    def __init__(self, world: World, materials: CurrentCatalogue, now: Now) -> None:
        self._world = world
        self._materials = materials
        self._now = now

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        materials = job.inputs["materials"]
        index = int(job.inputs["index"])
        if index >= len(materials):
            raise BusinessError("StockMissing", "The order has no more materials.")
        material = materials[index]
        picks = tx.picks.of_order(job.inputs["order_number"])
        pick = _pick_of(picks, material)
        if pick is None or pick.state is not PickState.PLANNED:
            return Done({"material": material, **NOTHING_LOADED})
        today = self._now().date()
        if still_true(tx, pick, today=today):
            return Done({"material": material, **NOTHING_LOADED})
        fetched = [p for p in picks if p.state is not PickState.PLANNED]
        order = tx.orders.get(pick.order_number)
        in_force = self._materials(tx)
        plan = plan_order(
            tx,
            order,
            in_force.placed(self._world),
            in_force.catalogue,
            today=today,
            begun=begun(fetched),
        )
        if plan.missing:
            raise BusinessError("StockMissing", told(plan.missing))
        keep_plan(tx, order, plan, fetched)
        planned = [
            p for p in tx.picks.of_order(order.number) if p.state is PickState.PLANNED
        ]
        again = [*materials[:index], *as_materials(order, planned)]
        tx.events.append(
            "picks planned again",
            actor=job.topic,
            instance_id=job.instance_id,
            element=job.element,
            data={"order": order.number, "material": pick.material, "lot": pick.lot},
        )
        return Done({"materials": again, "material": again[index], **NOTHING_LOADED})


class BookLoad:
    """``stock.load``: what was weighed is on the robot and no longer at its place."""

    def __init__(self, now: Now) -> None:
        self._now = now

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        material = job.inputs["material"]
        pick = _pick_of(tx.picks.of_order(job.inputs["order_number"]), material)
        if pick is None:
            return Done({"on_robot": True})
        weighed = job.inputs.get("measured_kg")
        grams = pick.grams if weighed is None else grams_of(weighed)
        robot, lot = job.inputs["robot"], job.inputs.get("lot") or None
        try:
            made = book_load(
                tx,
                pick,
                lot=lot,
                grams=grams,
                robot=robot,
                today=self._now().date(),
                by=_who_loaded(tx, job),
            )
        except LotRefused as refused:
            raise BusinessError("LotRefused", str(refused)) from refused
        _tell(tx, job, "material loaded", made, grams)
        return Done({"on_robot": True})


def use_material(tx: Transaction, job: Job) -> Answer:
    """``stock.use``: the load is in the tank."""
    material, index = job.inputs["material"], int(job.inputs["index"])
    measured = job.inputs.get("measured_kg")
    pick = _pick_of(tx.picks.of_order(job.inputs["order_number"]), material)
    if pick is not None and pick.state is PickState.ON_ROBOT:
        used = book_use(tx, pick, by=_who_loaded(tx, job))
        _tell(tx, job, "material used", used, used.loaded_grams or 0)
    loaded = {
        "code": material["code"],
        "name": material["name"],
        "required_kg": material["required_kg"],
        "loaded_kg": measured,
        "lot": job.inputs.get("lot") or "",
    }
    so_far = [*job.inputs["so_far"], loaded]
    return Done({"loaded": so_far, "index": index + 1, "on_robot": False})


def find_carried(tx: Transaction, job: Job) -> Answer:
    """``stock.carried``: what an ended order has left on a robot."""
    number = job.inputs["order_number"]
    left = [
        pick
        for pick in tx.picks.of_order(number)
        if pick.state is PickState.ON_ROBOT and pick.robot
    ]
    if not left:
        raise BusinessError("NothingCarried", f"Nothing of {number} is on a robot.")
    order = tx.orders.get(number)
    pick = left[0]
    return Done(
        {
            "wanted_robot": pick.robot,
            "product": order.product,
            "material": as_materials(order, [pick])[0],
            "materials": [],
            "carried_kg": float(kg_of(pick.loaded_grams or 0)),
            "carried_lot": pick.loaded_lot or "",
            "place": pick.loaded_place or pick.place,
        }
    )


def return_material(tx: Transaction, job: Job) -> Answer:
    """``stock.return``: what was on the robot is back at its place."""
    pick = _pick_of(
        tx.picks.of_order(job.inputs["order_number"]), job.inputs["material"]
    )
    if pick is None or pick.state is not PickState.ON_ROBOT:
        return Done({"on_robot": False})
    weighed = job.inputs.get("returned_kg")
    grams = (pick.loaded_grams or 0) if weighed is None else grams_of(weighed)
    try:
        made = book_return(
            tx,
            pick,
            place=job.inputs["place"],
            grams=grams,
            by=_who_loaded(tx, job),
        )
    except StockMissing as missing:
        raise BusinessError("StockMissing", str(missing)) from missing
    _tell(tx, job, "material returned", made, grams)
    return Done({"on_robot": False})


def as_materials(order: Order, picks: Sequence[Pick]) -> list[dict[str, Any]]:
    """What a process knows of its picks, in the order of the drives."""
    return [
        {
            "code": pick.material,
            "name": order.lines[pick.line].name,
            "required_kg": float(kg_of(pick.grams)),
            "place": pick.place,
            "lot": pick.lot,
            "line": pick.line,
            "pick": pick.pick,
        }
        for pick in picks
    ]


def _pick_of(picks: Sequence[Pick], material: dict[str, Any]) -> Pick | None:
    number = material.get("pick")
    return next((pick for pick in picks if pick.pick == number), None)


def _who_loaded(tx: Transaction, job: Job) -> str:
    """The person whose form came before this step; else the step itself."""
    return tx.picks.last_answer_by(job.instance_id) or job.topic


def _tell(tx: Transaction, job: Job, kind: str, pick: Pick, grams: int) -> None:
    tx.events.append(
        kind,
        actor=pick.loaded_by or job.topic,
        instance_id=job.instance_id,
        element=job.element,
        task_id=job.task_id,
        data={
            "order": pick.order_number,
            "line": pick.line,
            "material": pick.material,
            "lot": pick.loaded_lot,
            "kg": str(Decimal(grams) / 1000),
            "place": pick.loaded_place or pick.place,
            "robot": pick.robot,
        },
    )


class ReceiveLot:
    """``stock.receive``: a delivery lies at its place, in quarantine."""

    def __init__(self, world: World, materials: CurrentCatalogue, now: Now) -> None:
        self._world = world
        self._materials = materials
        self._now = now

    def __call__(self, tx: Transaction, job: Job) -> Answer:
        try:
            receive(
                tx,
                self._materials(tx).catalogue,
                self._world,
                dict(job.inputs),
                today=self._now().date(),
                by=_who_loaded(tx, job),
            )
        except ReceiptRefused as refused:
            raise BusinessError("ReceiptRefused", str(refused)) from refused
        return Done({"error_message": None})


def set_lot_state(tx: Transaction, job: Job) -> Answer:
    """``stock.set_state``: a supervisor has decided about a lot."""
    change_lot(
        tx,
        job.inputs["lot"],
        state=LotState(job.inputs["state"]),
        by=_who_loaded(tx, job),
        reason=job.inputs.get("reason") or "decided after goods in",
    )
    return Done()
