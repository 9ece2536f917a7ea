"""A loop costs the same in its ten-thousandth turn: what is kept does not grow."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mpms.domain.instances.instances import Snapshot
from mpms.domain.instances.steps import (
    Complete,
    Fail,
    Fire,
    JobWait,
    Receive,
    Start,
    TimerWait,
)
from mpms.domain.models.definitions import Definition
from mpms.engine import codec
from mpms.engine.building import build
from mpms.engine.reading import read_model
from mpms.engine.runner import SpiffEngine
from mpms.engine.tokens import Surroundings
from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player

ROOT = Path(__file__).resolve().parents[3]
FEW, MANY = 10, 10_000


class Plant:
    """Plays orders_handling without the checks of every step, for speed."""

    def __init__(self, now: datetime) -> None:
        xml = (ROOT / "processes" / "orders_handling.bpmn").read_bytes()
        self.engine = SpiffEngine()
        assert self.engine.check(xml) == []
        self.definition = Definition("digest", "orders_handling", 1, "", xml)
        self.spec = build(read_model(xml).processes[0])
        self.now = now
        self.snapshot: Snapshot | None = None
        self.do(Start())

    def do(self, command: Any) -> None:
        step = self.engine.advance(
            self.definition, self.snapshot, command, now=self.now
        )
        self.snapshot = step.snapshot
        self.waits = {wait.element: wait for wait in step.waits}

    def id_of(self, element: str, kind: type = object) -> str:
        wait = self.waits[element]
        assert isinstance(wait, kind)
        return wait.task_id

    def mail_turn(self, number: int) -> None:
        """Once round the mail loop: mail, no mail, or a mailbox that fails."""
        kind = number % 10
        if kind == 4:
            failure = Fail(self.id_of("read_emails", JobWait), "MailboxUnavailable")
            self.do(failure)
            self.fire("wait_for_mailbox")
            return
        self.do(Complete(self.id_of("read_emails"), {"accepted": int(kind < 4)}))
        if kind in (5, 6, 7):
            self.fire("after_one_minute")
        elif kind > 7:
            self.do(Receive(self.id_of("hear_mailbox_changed")))

    def order_turn(self, number: int) -> None:
        """Twice round the order loop: an order, then none and a rest."""
        self.do(Complete(self.id_of("find_order"), {"order_number": f"{number:08d}"}))
        self.do(Complete(self.id_of("activate_warehouse")))
        self.do(Complete(self.id_of("find_order"), {"order_number": None}))
        self.fire("after_ten_minutes")

    def fire(self, element: str) -> None:
        wait = self.waits[element]
        assert isinstance(wait, TimerWait)
        self.now = max(self.now, wait.due_at)
        self.do(Fire(wait.task_id))

    def tokens(self) -> int:
        assert self.snapshot is not None
        run = codec.load(
            self.snapshot.state,
            self.snapshot.variables,
            self.spec,
            Surroundings(self.now),
        )
        return len(run.tasks)


@pytest.mark.covers("A46", "A47")
@pytest.mark.parametrize("many", [1_000, pytest.param(MANY, marks=pytest.mark.soak)])
def test_thousands_of_turns_of_orders_handling_keep_as_much_as_ten(many: int) -> None:
    plant = Plant(datetime(2026, 1, 5, 8, 0, tzinfo=UTC))
    sizes: dict[int, tuple[int, int]] = {}
    largest = 0
    for turn in range(1, many + 1):
        plant.mail_turn(turn)
        if turn % 50 == FEW:
            plant.order_turn(turn)
        assert plant.snapshot is not None
        largest = max(largest, len(plant.snapshot.state))
        if turn in (FEW, many):
            sizes[turn] = plant.tokens(), len(plant.snapshot.state)
            assert set(plant.waits) == {"read_emails", "find_order"}
    assert sizes[many] == sizes[FEW]
    assert sizes[many][0] <= 30
    assert largest < 3_000


def test_a_simple_loop_keeps_the_same_bytes_after_hundreds_of_turns(
    draw: Drawing, play: Player
) -> None:
    run = play(
        draw(
            "start -> xor -> and_in -> a -> and_out -> xor_more",
            "and_in -> sub -> and_out",
            "xor_more -> xor if more",
            "xor_more -> end otherwise",
            sub=draw.sub("start_in -> b -> end_in"),
            late=draw.border("sub", timer="PT1H"),
        ),
        {"more": True},
    )
    before = len(run.kept.state)
    for _ in range(300):
        run.complete("a")
        run.complete("b")
        run.now += timedelta(seconds=1)
    assert len(run.kept.state) == before
    run.complete("a", more=False)
    run.complete("b")
    assert run.done


def test_fourteen_parallel_blocks_in_a_row_start_with_two_tokens(
    draw: Drawing, play: Player
) -> None:
    """An engine that predicts every path would hold 2**14 of them."""
    lines = ["start -> and0_in"]
    for n in range(14):
        after = f"and{n + 1}_in" if n < 13 else "end"
        lines += [
            f"and{n}_in -> a{n} -> and{n}_out -> {after}",
            f"and{n}_in -> b{n} -> and{n}_out",
        ]
    run = play(draw(*lines))
    for n in range(14):
        assert run.open == [f"a{n}", f"b{n}"]
        assert len(run.kept.state) < 1_000
        run.complete(f"b{n}")
        run.complete(f"a{n}")
    assert run.done
