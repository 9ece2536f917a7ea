"""Whatever is done in whatever order, what lies in the plant is what was received."""

from __future__ import annotations

import threading
from typing import Any

import psycopg2
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mpms.domain.errors import MpmsError
from mpms.factory.domain.stock import Move, MoveKind, Pick, PickState
from mpms.factory.ports.store import Transaction
from mpms.factory.services.stock.load import book_load, book_return, book_use
from mpms.factory.services.stock.move import correct, transfer
from tests.support.stock_plant import TODAY, StockPlant

LOTS = {"L-1": "RM-001", "L-2": "RM-001", "L-3": "RM-002"}
ORDERS = ("MO-1", "MO-2", "MO-3")
WHO = {"by": "ada", "reason": "test"}

_lots, _places = st.sampled_from(sorted(LOTS)), st.sampled_from(["A", "B"])
_grams, _orders = st.integers(1, 60), st.sampled_from(ORDERS)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("receive"), _lots, _places, _grams),
        st.tuples(st.just("transfer"), _lots, _places, _grams),
        st.tuples(st.just("correct"), _lots, _places, st.integers(0, 60)),
        st.tuples(st.just("load"), _orders, _lots, _grams),
        st.tuples(st.just("use"), _orders),
        st.tuples(st.just("return"), _orders, _places, st.integers(0, 60)),
    ),
    min_size=8,
    max_size=30,
)


class Books:
    """What a careful person would write beside the product."""

    def __init__(self, plant: StockPlant) -> None:
        self.plant = plant
        self.inside = 0  # in places and on robots
        for number in ORDERS:
            plant.order(number, ("RM-001", 50))
            with plant.uow() as tx:
                tx.picks.replace(number, [Pick(number, 0, 0, "RM-001", "A", 50)])

    def step(self, what: str, *given: Any) -> None:
        before = self.plant.stock()
        try:
            with self.plant.uow() as tx:
                change = getattr(self, what)(tx, *given)
        except MpmsError:
            assert self.plant.stock() == before  # refused means that nothing happened
        else:
            self.inside += change

    def receive(self, tx: Transaction, lot: str, place: str, grams: int) -> int:
        self.plant.receive(lot, LOTS[lot], kg=grams / 1000, place=place)
        return grams

    def transfer(self, tx: Transaction, lot: str, place: str, grams: int) -> int:
        other = "B" if place == "A" else "A"
        transfer(tx, lot, from_place=place, to_place=other, grams=grams, **WHO)
        return 0

    def correct(self, tx: Transaction, lot: str, place: str, grams: int) -> int:
        return correct(tx, lot, place=place, grams=grams, **WHO)

    def load(self, tx: Transaction, number: str, lot: str, grams: int) -> int:
        pick = self._pick(tx, number, PickState.PLANNED, PickState.RETURNED)
        kept = tx.stock.with_lots([pick.material])
        book_load(tx, pick, lot=lot, grams=grams, robot="robot1", today=TODAY, by="ada")
        assert kept or not tx.stock.held(lot=lot, place="@robot1")
        return 0

    def use(self, tx: Transaction, number: str) -> int:
        pick = self._pick(tx, number, PickState.ON_ROBOT)
        on_robot = self.plant.on("robot1")
        book_use(tx, pick, by="ada")
        return sum(h.grams for h in tx.stock.held(place="@robot1")) - on_robot

    def return_(self, tx: Transaction, number: str, place: str, grams: int) -> int:
        pick = self._pick(tx, number, PickState.ON_ROBOT)
        before = sum(h.grams for h in tx.stock.held())
        book_return(tx, pick, place=place, grams=grams, by="ada")
        return sum(h.grams for h in tx.stock.held()) - before

    def _pick(self, tx: Transaction, number: str, *states: PickState) -> Pick:
        pick = tx.picks.of_order(number)[0]
        if pick.state not in states:
            raise MpmsError("not now")
        return pick


@pytest.mark.covers("A78")
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(steps=STEPS)
def test_any_interleaving_keeps_the_balance(
    plant: StockPlant, steps: list[tuple[Any, ...]]
) -> None:
    plant.rows(
        "TRUNCATE stock_moves, stock, order_picks, lots, order_lines, orders CASCADE"
    )
    books = Books(plant)
    for what, *given_ in steps:
        books.step("return_" if what == "return" else what, *given_)
        stock = plant.stock()
        assert stock == plant.summed()
        assert all(grams > 0 for grams in stock.values())
        assert sum(stock.values()) == books.inside
        loaded = plant.rows(
            "SELECT COALESCE(sum(loaded_grams), 0) FROM order_picks"
            " WHERE state = 'on robot' AND loaded_lot IN (SELECT lot FROM stock_moves"
            " WHERE order_number = order_picks.order_number)"
        )
        assert plant.on("robot1") == loaded[0][0]


def test_no_move_can_make_a_place_hold_less_than_nothing(plant: StockPlant) -> None:
    plant.receive("L-1", kg=1)
    add = (
        "INSERT INTO stock_moves (lot, place, grams, kind, reason, moved_by)"
        " VALUES ('L-1', %s, %s, 'correct', 'by hand', 'nobody')"
    )
    for place, grams in (("A", -1001), ("B", -1)):
        with pytest.raises(psycopg2.errors.CheckViolation, match="never_negative"):
            plant.rows(add, place, grams)
    plant.rows(add, "A", -1000)
    assert plant.stock() == {}


@pytest.mark.parametrize(
    "tamper",
    ["UPDATE stock_moves SET grams = 5", "DELETE FROM stock_moves"],
)
def test_a_move_stays_as_it_was_written(plant: StockPlant, tamper: str) -> None:
    plant.receive("L-1", kg=1)
    with pytest.raises(psycopg2.errors.RaiseException, match="append-only"):
        plant.rows(tamper)


def test_a_move_says_for_which_order_or_why(plant: StockPlant) -> None:
    plant.receive("L-1", kg=1)
    silent = Move("L-1", "A", 5, MoveKind.CORRECT, "nobody")

    def move() -> None:
        with plant.uow() as tx:
            tx.stock.move([silent])

    with pytest.raises(psycopg2.errors.CheckViolation, match="stock_moves_why"):
        move()


def test_of_two_who_take_the_last_of_a_lot_at_once_one_gets_it(
    plant: StockPlant,
) -> None:
    plant.receive("L-1", kg=1)
    both, said = threading.Barrier(2), []

    def take(to_place: str) -> None:
        both.wait(30)
        try:
            with plant.uow() as tx:
                transfer(tx, "L-1", from_place="A", to_place=to_place, grams=800, **WHO)
        except MpmsError as refused:
            said.append(str(refused))

    people = [threading.Thread(target=take, args=(to,)) for to in ("B", "C")]
    for person in people:
        person.start()
    for person in people:
        person.join(60)
    assert said == ["0.2 kg of lot L-1 lie at A, not 0.8 kg."]
    assert sorted(plant.stock().values()) == [200, 800]
