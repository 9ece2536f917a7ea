"""The mail loop of the orders-handling process on real mail servers."""

from __future__ import annotations

import pytest

from mpms.embedded import mail
from mpms.factory.domain.orders import Order
from mpms.factory.services.mail.receive import ReleaseRules
from mpms.factory.services.mail.watch import watch_mailbox
from mpms.factory.services.orders.accept import accept_order
from mpms.factory.services.orders.release import release_order
from tests.support.mail_office import MailOffice, write_order

BUYER = "orders@brightcoat.example.com"
STRANGER = "eve@example.com"
WAREHOUSES = "SELECT business_key FROM instances WHERE key = 'warehouse' ORDER BY 1"


@pytest.mark.covers("A48")
def test_a_new_mail_is_a_new_order_in_postgresql(office: MailOffice) -> None:
    office.send(write_order("MO-2026-0001"))
    assert office.intake() == (1, 1)
    assert office.rows("SELECT number, status, customer FROM orders") == [
        ("MO-2026-0001", "new", BUYER)
    ]
    assert office.rows(
        "SELECT material, required_kg FROM order_lines ORDER BY line"
    ) == [("RM-001", 310), ("RM-002", 120.5)]


@pytest.mark.covers("A9", "A49", "A50")
def test_a_mail_starts_exactly_one_warehouse_process(office: MailOffice) -> None:
    handling = office.open()
    office.send(write_order("MO-2026-0001"))
    assert watch_mailbox(office.uow, office.desk.mailbox, timeout_s=120)
    office.worker.settle()
    assert office.rows(WAREHOUSES) == [("MO-2026-0001",)]
    thrown = office.rows(
        "SELECT min(id) FROM events WHERE instance_id = %s AND kind = 'thrown'"
        " AND element = 'tell_email_received'",
        handling,
    )
    stored = office.rows("SELECT min(id) FROM events WHERE kind = 'order accepted'")
    assert thrown[0][0] > stored[0][0]
    office.look()
    office.look()
    assert office.rows(WAREHOUSES) == [("MO-2026-0001",)]


def test_an_order_is_started_also_if_its_reader_died_after_the_commit(
    office: MailOffice,
) -> None:
    """The signal is stored with the order, not told by whoever read it."""
    office.open()
    office.send(write_order("MO-2026-0001"))
    office.intake()  # and the process that ran it ends here
    office.worker.settle()
    assert office.rows(WAREHOUSES) == [("MO-2026-0001",)]


@pytest.mark.covers("A52")
def test_a_mailbox_that_is_away_is_an_incident_and_recovers_by_itself(
    office: MailOffice,
) -> None:
    handling = office.open()
    office.servers.stop()
    office.look()
    assert office.rows(
        "SELECT count(*) FROM events WHERE instance_id = %s AND kind = 'left'"
        " AND element = 'mailbox_fails'",
        handling,
    ) == [(1,)]
    (incident,) = office.complaints("mailbox")
    assert f"127.0.0.1:{office.home.imap_port}" in incident
    with office.uow() as tx:
        assert tx.instances.get(handling).status == "active"

    other = _an_order_from_elsewhere(office)
    office.worker.settle()
    assert office.rows(WAREHOUSES) == [(other,)]  # the other path goes on

    office.clock.move(31)
    office.worker.settle()
    assert len(office.complaints("mailbox")) == 1  # tried again, still away

    with mail.start(office.servers.directory) as servers:
        assert servers.home.imap_port == office.home.imap_port
        office.send(write_order("MO-2026-0001"))
        office.clock.move(31)
        office.worker.settle()
        assert office.complaints("mailbox") == []
        assert office.rows(WAREHOUSES) == [("MO-2026-0001",), (other,)]


def _an_order_from_elsewhere(office: MailOffice) -> str:
    with office.uow() as tx:
        accept_order(tx, office.engine, Order("MO-2026-9000", "Glue", ()), by="test")
    return "MO-2026-9000"


def test_an_order_that_waits_starts_when_it_is_released(office: MailOffice) -> None:
    rules = ReleaseRules(first_of_sender=True)
    object.__setattr__(office.intake, "rules", rules)
    office.open()
    office.send(write_order("MO-2026-0001"))
    office.look()
    assert office.rows(WAREHOUSES) == []
    release_order(office.uow, office.engine, "MO-2026-0001", by="supervisor")
    office.worker.settle()
    assert office.rows(WAREHOUSES) == [("MO-2026-0001",)]


def test_the_buyer_gets_one_answer_to_each_message(office: MailOffice) -> None:
    office.open()
    office.send(write_order("MO-2026-0001", name="good"))
    office.send(write_order("MO-2026-0002", name="bad", lines="- RM-001 5 buckets"))
    office.send(write_order("MO-2026-0001", name="good"))
    office.send(write_order("MO-2026-0003", name="who", sender=STRANGER), STRANGER)
    office.send(write_order("MO-2026-0004", name="forged"), STRANGER)
    office.look()
    office.send_replies()
    answers = {m["In-Reply-To"]: m["Subject"] for m in office.received()}
    assert answers == {
        "<good@example.com>": "Order MO-2026-0001 accepted",
        "<bad@example.com>": "Order MO-2026-0002 not accepted",
    }
    assert len(office.received()) == 2
    (stranger,) = office.received(STRANGER)
    assert stranger["In-Reply-To"] == "<who@example.com>"
    assert office.rows(WAREHOUSES) == [("MO-2026-0001",)]
    assert office.rows("SELECT outcome, count(*) FROM mails GROUP BY 1 ORDER BY 1") == [
        ("accepted", 1),
        ("ignored", 1),
        ("rejected", 3),
    ]
