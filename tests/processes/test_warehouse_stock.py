"""Orders over lots: a load leaves its place, and what is not used comes back."""

from __future__ import annotations

import json
from datetime import date
from functools import partial
from typing import Any

import pytest

from mpms.domain.errors import FormInvalid, ReasonMissing
from mpms.domain.forms import AnswersInvalid
from mpms.factory.domain.stock import Lot, LotState, grams_of
from mpms.factory.domain.weighing import Weight
from mpms.factory.ports.scales import ScaleByHand
from mpms.factory.services.robots.empty import (
    LoadWanted,
    NothingCarried,
    empty_robot,
)
from mpms.factory.services.robots.watch_loads import WatchLoads
from mpms.factory.services.stock.move import change_lot, correct, receive_lot
from mpms.services.instances.cancel import cancel_instance
from tests.support.paint_factory import PaintFactory

FAR = date(2099, 1, 1)


def receive(
    plant: PaintFactory,
    lot: str,
    code: str = "RM-001",
    kg: float = 1000,
    *,
    place: str = "A",
    state: LotState = LotState.RELEASED,
    until: date = FAR,
) -> None:
    with plant.uow() as tx:
        receive_lot(
            tx,
            Lot(lot, code, state, until),
            place=place,
            grams=grams_of(kg),
            by="gina",
            reason="delivery",
        )


def stock(plant: PaintFactory) -> dict[tuple[str, str], float]:
    rows = plant.rows("SELECT lot, place, grams FROM stock WHERE grams > 0")
    return {(lot, place): grams / 1000 for lot, place, grams in rows}


def load(plant: PaintFactory, lot: str | None, **more: Any) -> None:
    task = plant.form("load_material")
    said = {"confirmed": True} | ({} if lot is None else {"lot": lot}) | more
    plant.submit(task.task_id, said)


def test_a_scale_without_a_wire_is_read_by_two_people(
    plant: PaintFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def by_hand(robot: str, place: str | None = None) -> Weight:
        raise ScaleByHand("Bizerba 0815", date(2026, 10, 1))

    receive(plant, "W-1")
    plant.make("MO-1")
    monkeypatch.setattr(plant.scale, "weigh", by_hand)
    load(plant, "W-1")
    needed_kg = plant.sees("weigh_by_hand")["material"]["required_kg"]
    plant.submit(plant.form("weigh_by_hand").task_id, {"measured_kg": needed_kg})
    read = {"second_kg": needed_kg, "i_have_read_it": True}
    with pytest.raises(AnswersInvalid, match="somebody else must read"):
        plant.submit(plant.form("confirm_weight").task_id, read)
    other = read | {"second_kg": needed_kg + 1}
    plant.submit(plant.form("confirm_weight").task_id, other, by="bea")
    again = {"measured_kg": needed_kg + 1}
    plant.submit(plant.form("weigh_by_hand").task_id, again)  # they do it once more
    plant.submit(plant.form("confirm_weight").task_id, other, by="bea")
    assert plant.form("unload_material")
    assert stock(plant)["W-1", "A"] == 1000 - needed_kg - 1
    with plant.uow() as tx:
        told = [json.loads(each.content) for each in tx.records.lines("MO-1")]
    (weighed,) = [line for line in told if line["what"] == "weighed"]
    assert (weighed["who"], weighed["data"]["first"]) == ("bea", "ada")
    assert "Bizerba 0815" in weighed["instrument"]
    assert "2026-10-01" in weighed["instrument"]


@pytest.mark.covers("A15", "A85", "A78")
def test_a_load_leaves_its_place_and_the_line_keeps_what_was_weighed(
    plant: PaintFactory,
) -> None:
    receive(plant, "W-1")
    plant.scale.readings = [311.5]
    instance_id = plant.make("MO-1")
    assert plant.sees("load_material")["material"]["lot"] == "W-1"
    load(plant, "W-1")
    robot = plant.variables(instance_id)["robot"]
    assert stock(plant) == {("W-1", "A"): 688.5, ("W-1", f"@{robot}"): 311.5}
    measured = "SELECT measured_kg, loaded_lot FROM order_lines ORDER BY line"
    assert plant.rows(measured)[0] == (pytest.approx(311.5), "W-1")
    plant.confirm("unload_material")
    assert stock(plant) == {("W-1", "A"): 688.5}
    plant.confirm_everything()
    assert plant.rows("SELECT status FROM orders") == [("done",)]
    # Materials without lots are weighed and kept with their lines all the same.
    assert [kg for kg, _ in plant.rows(measured)] == [
        pytest.approx(kg) for kg in (311.5, 120.5, 240)
    ]


@pytest.mark.parametrize(
    ("lot", "reason"),
    [
        (None, "scan or enter the lot"),
        ("nowhere", "there is no lot nowhere"),
        ("T-1", "lot T-1 is RM-002, not RM-001"),
        ("W-old", "lot W-old expired on 2020-01-01"),
        ("W-quarantine", "is in quarantine"),
        ("W-blocked", "lot W-blocked is blocked"),
        ("W-far", "lot W-far does not lie at A"),
        ("W-little", "only 5 kg of lot W-little are left here, 310 kg are wanted"),
    ],
)
def test_a_lot_that_may_not_be_used_is_refused_beside_its_field(
    plant: PaintFactory, lot: str | None, reason: str
) -> None:
    receive(plant, "W-1")
    receive(plant, "T-1", "RM-002", place="B")
    receive(plant, "W-old", until=date(2020, 1, 1))
    receive(plant, "W-quarantine", state=LotState.QUARANTINE)
    receive(plant, "W-blocked", state=LotState.BLOCKED)
    receive(plant, "W-far", place="B")
    receive(plant, "W-little", kg=5)
    before = stock(plant)
    plant.make("MO-1")
    assert plant.sees("load_material")["material"]["place"] == "A"
    with pytest.raises(AnswersInvalid) as refused:
        load(plant, lot)
    assert [(p.key, reason in str(p)) for p in refused.value.problems] == [
        ("lot", True)
    ]
    assert stock(plant) == before
    assert plant.form("load_material")  # the worker still stands there


def test_the_first_to_expire_goes_first_and_a_line_may_take_two_lots(
    plant: PaintFactory,
) -> None:
    receive(plant, "W-late", kg=1000, place="D", until=date(2098, 1, 1))
    receive(plant, "W-soon", kg=100, place="A", until=date(2097, 1, 1))
    instance_id = plant.make("MO-1")
    picks = {
        (m["lot"], m["place"], m["required_kg"])
        for m in plant.variables(instance_id)["materials"][:2]
    }
    assert picks == {("W-soon", "A", 100.0), ("W-late", "D", 210.0)}
    for _ in range(2):
        load(plant, plant.sees("load_material")["material"]["lot"])
        plant.confirm("unload_material")
    assert plant.rows(
        "SELECT measured_kg, loaded_lot FROM order_lines WHERE line = 0"
    ) == [(pytest.approx(310), "W-late, W-soon")]
    assert plant.rows("SELECT lot, state FROM lots ORDER BY lot") == [
        ("W-late", "released"),
        ("W-soon", "used up"),
    ]


def test_what_an_order_was_promised_another_does_not_take(plant: PaintFactory) -> None:
    receive(plant, "W-1", kg=400)
    plant.make("MO-1")
    plant.make("MO-2")
    assert plant.sees("decide")["error_code"] == "StockMissing"
    assert plant.sees("decide")["error_message"] == "Not in stock: 220 kg of RM-001."


def test_a_robot_is_never_sent_to_an_empty_place(plant: PaintFactory) -> None:
    receive(plant, "T-1", "RM-002", 500, place="B", until=date(2097, 1, 1))
    receive(plant, "T-2", "RM-002", 500, place="E", until=date(2098, 1, 1))
    instance_id = plant.make("MO-1")
    with plant.uow() as tx:  # a stock-take finds the place empty
        correct(tx, "T-1", place="B", grams=0, by="gina", reason="stock-take")
    load(plant, None)
    plant.confirm("unload_material")
    goals = [goal.place for goal in plant.robots.received]
    assert goals == ["A", "tank", "E"]
    assert plant.sees("load_material")["material"]["lot"] == "T-2"
    with plant.uow() as tx:
        change_lot(tx, "T-2", state=LotState.BLOCKED, by="sofia", reason="clumps")
    with pytest.raises(FormInvalid, match="lot T-2 is blocked"):
        load(plant, "T-2")
    assert plant.told("picks planned again", instance_id)


@pytest.mark.covers("A64")
@pytest.mark.parametrize("how", ["cockpit", "form"])
def test_a_cancelled_order_brings_its_material_back(
    plant: PaintFactory, how: str
) -> None:
    receive(plant, "W-1")
    instance_id = plant.make("MO-1")
    with plant.uow() as tx:
        tx.orders.assign("MO-1", instance_id)
    if how == "form":
        plant.robots.failing = {"tank": "no way around the pallet"}
    load(plant, "W-1")
    robot = plant.variables(instance_id)["robot"]
    assert stock(plant) == {("W-1", "A"): 690, ("W-1", f"@{robot}"): 310}
    if how == "form":
        said = {"decision": "cancel", "reason": "the floor is blocked"}
        plant.submit(plant.form("decide").task_id, said)
    else:
        cancel_instance(
            plant.uow, plant.advance, instance_id, by="sofia", reason="not wanted"
        )
    plant.worker.settle()
    assert plant.rows("SELECT status FROM orders") == [("cancelled",)]
    back = plant.form("put_back")
    assert plant.robots.received[-1].place == "A"
    plant.submit(back.task_id, {"returned_kg": 309.5, "put_back": True})
    assert stock(plant) == {("W-1", "A"): 999.5}
    assert plant.rows(
        "SELECT measured_kg, loaded_lot FROM order_lines WHERE line = 0"
    ) == [(None, None)]
    kinds = "SELECT kind, grams FROM stock_moves WHERE place = 'A' ORDER BY id"
    assert plant.rows(kinds)[1:] == [
        ("pick", -310_000),
        ("return", 310_000),
        ("correct", -500),
    ]
    assert plant.robots.received[-1].place == "home"
    assert (plant.live_rows(), plant.open_goals()) == ({}, 0)


@pytest.mark.covers("A64")
def test_a_robot_whose_load_has_no_lot_is_unloaded_too_before_it_serves_others(
    plant: PaintFactory,
) -> None:
    instance_id = plant.make("MO-1")
    with plant.uow() as tx:
        tx.orders.assign("MO-1", instance_id)
    load(plant, None)
    robot = plant.variables(instance_id)["robot"]
    cancel_instance(
        plant.uow, plant.advance, instance_id, by="sofia", reason="not wanted"
    )
    plant.worker.settle()
    with plant.uow() as tx:
        assert tx.picks.carriers() == {robot: "MO-1"}
    back = plant.form("put_back")
    plant.submit(back.task_id, {"returned_kg": 310, "put_back": True})
    with plant.uow() as tx:
        assert tx.picks.carriers() == {}
    assert plant.variables(plant.make("MO-2"))["robot"] == robot
    assert stock(plant) == {}


@pytest.mark.covers("A64")
def test_a_load_that_nobody_brings_back_is_told_until_a_person_says_it_is_gone(
    plant: PaintFactory,
) -> None:
    receive(plant, "W-1")
    instance_id = plant.make("MO-1")
    with plant.uow() as tx:
        tx.orders.assign("MO-1", instance_id)
    load(plant, "W-1")
    robot = plant.variables(instance_id)["robot"]

    def told() -> list[tuple[str, str | None]]:
        WatchLoads(plant.uow)()
        return plant.rows(
            "SELECT message, resolved_by FROM incidents WHERE kind = 'load'"
        )

    def empty(reason: str = "fell off") -> None:
        empty_robot(plant.uow, plant.world, robot, by="sofia", reason=reason)

    assert told() == []
    with pytest.raises(LoadWanted, match=f"{robot} carries 310 kg of RM-001 for MO-1"):
        empty()
    cancel = partial(cancel_instance, plant.uow, plant.advance, by="sofia")
    cancel(instance_id, reason="not wanted")
    plant.worker.settle()
    assert told() == []  # it is being brought back
    cancel(plant.form("put_back").instance_id, reason="by mistake")
    ((message, _),) = told()
    assert message.startswith(
        f"'{robot}' still carries 310 kg of RM-001 (lot W-1) of MO-1, which has ended"
    )
    assert len(told()) == 1  # once, however often somebody looks
    with pytest.raises(ReasonMissing):
        empty(" ")
    empty("it was put back by hand")
    assert stock(plant) == {("W-1", "A"): 1000}
    assert told() == [(message, "sofia")]
    (line,) = [e for e in plant.history() if e.kind == "robot emptied"]
    assert (line.actor, line.data["reason"]) == ("sofia", "it was put back by hand")
    with pytest.raises(NothingCarried):
        empty()
    assert plant.variables(plant.make("MO-2"))["robot"] == robot


def test_goods_become_stock_when_a_supervisor_releases_them(
    plant: PaintFactory,
) -> None:
    plant.start("goods_in")
    said = {"material": "RM-001", "lot": "W-9", "kg": 250, "place": "nowhere"}
    plant.submit(plant.form("receive_lot").task_id, said)
    assert (
        plant.sees("receive_lot")["error_message"] == "The floor has no place nowhere."
    )
    plant.submit(plant.form("receive_lot").task_id, said | {"place": "A"})
    assert stock(plant) == {("W-9", "A"): 250}
    plant.submit(plant.form("label_lot").task_id, {"labelled": True})
    task = plant.form("decide_lot")
    assert task.groups == ("supervisor",)
    plant.submit(task.task_id, {"state": "released", "reason": "certificate is there"})
    assert plant.rows("SELECT state, received_by FROM lots") == [("released", "ada")]
