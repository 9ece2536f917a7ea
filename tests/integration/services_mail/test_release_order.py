"""A supervisor decides about orders that wait, once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from decimal import Decimal

import pytest

from mpms.factory.domain.errors import OrderUnknown
from mpms.factory.services.mail.receive import ReleaseRules
from mpms.factory.services.orders.release import (
    OrderNotWaiting,
    RefusalReasonMissing,
    refuse_order,
    release_order,
)
from tests.support.intake_desk import IntakeDesk
from tests.support.mailbox import FakeMailbox, write_order
from tests.support.waiting import eventually

BUYER = "orders@brightcoat.example.com"
FIRST = ReleaseRules(first_of_sender=True)


def status(desk: IntakeDesk, number: str = "MO-2026-0001") -> str:
    with desk.uow() as tx:
        return str(tx.orders.get(number).status)


def test_the_first_order_of_a_sender_waits_and_the_next_does_not(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    intake = desk.intake(fake, rules=FIRST)
    fake.put(write_order("MO-2026-0001", message_id="<1@x>"))
    assert intake() == (1, 1)
    assert status(desk) == "waiting for release"
    with desk.uow() as tx:
        assert tx.orders.next_new() is None
    release_order(desk.uow, desk.engine, "MO-2026-0001", by="supervisor")
    assert status(desk) == "new"
    fake.put(write_order("MO-2026-0002", message_id="<2@x>"))
    intake()
    assert status(desk, "MO-2026-0002") == "new"


@pytest.mark.parametrize("refused", [True, False])
def test_a_sender_is_new_until_an_order_was_released(
    fake: FakeMailbox, desk: IntakeDesk, refused: bool
) -> None:
    intake = desk.intake(fake, rules=FIRST)
    fake.put(write_order("MO-2026-0001", message_id="<1@x>"))
    intake()
    if refused:
        refuse_order(desk.uow, "MO-2026-0001", by="supervisor", reason="who is that?")
    fake.put(write_order("MO-2026-0002", message_id="<2@x>"))
    intake()
    assert status(desk, "MO-2026-0002") == "waiting for release"


def test_an_order_above_the_limit_waits(fake: FakeMailbox, desk: IntakeDesk) -> None:
    intake = desk.intake(fake, rules=ReleaseRules(above_kg=Decimal(5)))
    heavy = "Order: MO-2026-0002\r\n\r\nMaterials:\r\n- RM-001 5.001 kg\r\n"
    fake.put(
        write_order("MO-2026-0001", message_id="<1@x>"),
        write_order("MO-2026-0002", message_id="<2@x>", body=heavy),
    )
    intake()
    assert status(desk, "MO-2026-0001") == "new"
    assert status(desk, "MO-2026-0002") == "waiting for release"
    assert desk.rows(
        "SELECT data ->> 'why' FROM events WHERE kind = 'order waits for release'"
    ) == [("5.001 kg are more than 5 kg",)]


def test_a_refused_order_is_cancelled_and_its_sender_told(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    fake.put(write_order("MO-2026-0001"))
    desk.intake(fake, rules=FIRST)()
    refuse_order(desk.uow, "MO-2026-0001", by="supervisor", reason="too much of it")
    assert status(desk) == "cancelled"
    (refusal,) = desk.rows(
        "SELECT recipient, subject, body, in_reply_to FROM outbox"
        " WHERE id LIKE 'refusal-%%'"
    )
    assert refusal[0] == BUYER
    assert refusal[1] == "Order MO-2026-0001 was refused"
    assert "too much of it" in refusal[2]
    assert refusal[3] == "<1@brightcoat.example.com>"
    assert desk.rows(
        "SELECT actor, data ->> 'new' FROM events WHERE kind = 'order status'"
    ) == [("supervisor", "cancelled")]


def test_a_refusal_needs_a_reason(desk: IntakeDesk) -> None:
    with pytest.raises(RefusalReasonMissing, match="Enter a reason"):
        refuse_order(desk.uow, "MO-2026-0001", by="supervisor", reason="  ")


def test_only_an_order_that_waits_can_be_decided(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    fake.put(write_order("MO-2026-0001"))
    desk.intake(fake)()
    with pytest.raises(OrderNotWaiting, match="it is new"):
        release_order(desk.uow, desk.engine, "MO-2026-0001", by="supervisor")
    with pytest.raises(OrderNotWaiting):
        refuse_order(desk.uow, "MO-2026-0001", by="supervisor", reason="no")
    with pytest.raises(OrderUnknown, match="MO-2026-9999"):
        release_order(desk.uow, desk.engine, "MO-2026-9999", by="supervisor")
    assert status(desk) == "new"
    assert len(desk.replies()) == 1


def test_of_two_supervisors_one_decides(fake: FakeMailbox, desk: IntakeDesk) -> None:
    for n in range(8):
        fake.put(write_order(f"MO-2026-{n:04d}", message_id=f"<{n}@x>"))
    desk.intake(fake, rules=FIRST)()
    late: list[str] = []

    def decide(how: Callable[[str], None]) -> None:
        for n in range(8):
            try:
                how(f"MO-2026-{n:04d}")
            except OrderNotWaiting:
                late.append(f"MO-2026-{n:04d}")

    threads = [
        threading.Thread(target=decide, args=(how,))
        for how in (
            lambda number: release_order(desk.uow, desk.engine, number, by="ada"),
            lambda number: refuse_order(desk.uow, number, by="eve", reason="no"),
        )
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(late) == [f"MO-2026-{n:04d}" for n in range(8)]
    refused = desk.rows("SELECT count(*) FROM outbox WHERE id LIKE 'refusal-%%'")
    assert refused == desk.rows(
        "SELECT count(*) FROM orders WHERE status = 'cancelled'"
    )


def test_an_order_made_ready_while_somebody_looks_is_seen_or_waited_for(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    """A look that finds nothing ends before the next order's signal is thrown."""
    fake.put(write_order("MO-2026-0001"))
    desk.intake(fake, rules=FIRST)()
    with desk.uow() as tx:
        assert tx.orders.next_new() is None
        thread = threading.Thread(
            target=release_order,
            args=(desk.uow, desk.engine, "MO-2026-0001"),
            kwargs={"by": "ada"},
        )
        thread.start()
        eventually(
            lambda: desk.rows(
                "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                " AND database = (SELECT oid FROM pg_database"
                " WHERE datname = current_database())"
            ),
            "the release waits for the look",
        )
        assert status(desk) == "waiting for release"
    thread.join(60)
    assert status(desk) == "new"
