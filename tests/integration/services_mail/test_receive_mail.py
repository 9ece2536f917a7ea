"""Every message has one outcome, whatever breaks while it is read."""

from __future__ import annotations

import random
import re
import threading
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from mpms.domain.errors import DatabaseAway
from mpms.factory.domain.customer_links import read_link
from mpms.factory.domain.order_mail import Outcome
from mpms.factory.ports.mail.intake import MailboxUnavailable
from mpms.factory.ports.mail.mailbox import MailMessage
from mpms.factory.services.mail.receive import ReleaseRules
from mpms.factory.services.mail.record import AlreadyRead, RecordMail
from mpms.factory.services.orders.follow import LINKS
from tests.support.intake_desk import IntakeDesk
from tests.support.mailbox import Box, FakeMailbox, write_order

ROOT = Path(__file__).resolve().parents[3]

BUYER = "orders@brightcoat.example.com"
OTHER = "einkauf@nordfarben.example.org"


class Killed(BaseException):
    """Stands for a process that ends between two instructions."""


@pytest.mark.covers("A9")
def test_a_message_becomes_an_order_row(box: Box, desk: IntakeDesk) -> None:
    raw = write_order("MO-2026-0001")
    box.deliver(raw)
    assert desk.intake(box.mailbox)() == (1, 1)
    assert desk.orders() == ["MO-2026-0001"]
    (kept,) = desk.rows("SELECT id, sender, message_id, counts FROM mails")
    assert kept[1:] == (BUYER, "<1@brightcoat.example.com>", True)
    with desk.uow() as tx:
        assert tx.mails.raw(kept[0]) == raw
    assert desk.replies() == [(BUYER, "<1@brightcoat.example.com>")]
    assert box.contents("INBOX") == []
    assert box.contents("Processed") == [raw]


@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 3 << 20])
def test_the_bytes_of_a_message_are_kept_whatever_their_number(
    fake: FakeMailbox, desk: IntakeDesk, size: int
) -> None:
    raw = random.Random(size).randbytes(size)
    fake.put(raw)
    assert desk.intake(fake)() == (1, 0)
    with desk.uow() as tx:
        (mail_id,) = desk.rows("SELECT id FROM mails")[0]
        assert tx.mails.raw(mail_id) == raw


def test_of_a_message_that_is_too_large_only_the_answer_is_kept(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    message = MailMessage(fake.mail_id(1), 26 << 20, None, write_order())
    assert desk.intake(fake).receive(message) == "rejected"
    assert desk.codes() == [["too_large"]]
    with desk.uow() as tx:
        assert tx.mails.raw(desk.rows("SELECT id FROM mails")[0][0]) is None
    assert len(desk.replies()) == 1


@pytest.mark.covers("A10")
def test_an_order_has_the_materials_of_its_message(box: Box, desk: IntakeDesk) -> None:
    lines = "- RM-001 Water 310 kg\r\n- 120,500 g RM-002\r\n- RM-003 = 0.5 t\r\n"
    box.deliver(
        write_order(
            "MO-2026-0001", body=f"Order: MO-2026-0001\r\n\r\nMaterials:\r\n{lines}"
        )
    )
    desk.intake(box.mailbox)()
    with desk.uow() as tx:
        (stored,) = tx.orders.listing()
    assert [(line.material, line.required_kg) for line in stored.lines] == [
        ("RM-001", Decimal(310)),
        ("RM-002", Decimal("120.5")),
        ("RM-003", Decimal(500)),
    ]


def test_the_confirmation_has_the_customers_link_where_pages_have_an_address(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    read = desk.intake(fake).read
    for number, site_url in (
        ("MO-2026-0001", "https://p.example/"),
        ("MO-2026-0002", ""),
    ):
        raw = write_order(number, message_id=f"<{number}@x>")
        message = MailMessage(fake.mail_id(int(number[-1])), len(raw), raw)
        RecordMail(desk.uow, desk.engine, site_url=site_url)(message, read(message))
    bodies = [body for (body,) in desk.rows("SELECT body FROM outbox ORDER BY mail_id")]
    (link,) = re.findall(r"https://p\.example/follow/(\S+)", bodies[0])
    assert "/follow/" not in bodies[1]
    with desk.uow() as tx:
        secret = tx.orders.link_secret(LINKS)
    assert read_link(secret, link, datetime.now(UTC)) == "MO-2026-0001"


@pytest.mark.covers("A10")
def test_a_malformed_message_is_kept_and_answered(box: Box, desk: IntakeDesk) -> None:
    raw = write_order(
        "MO-2026-0001", body="Order: MO-2026-0001\r\n\r\nMaterials:\r\n- Gold 5 kg\r\n"
    )
    box.deliver(raw)
    assert desk.intake(box.mailbox)() == (1, 0)
    assert (desk.outcomes(), desk.orders()) == (["rejected"], [])
    assert "unknown_material" in desk.codes()[0]
    (body,) = desk.rows("SELECT body FROM outbox")[0]
    assert "Gold" in body
    assert box.contents("Rejected") == [raw]


def test_only_the_right_people_are_heard_and_only_the_proven_answered(
    box: Box, desk: IntakeDesk
) -> None:
    box.deliver(write_order("MO-2026-0001", auth_result="fail", message_id="<a@x>"))
    box.deliver(
        write_order("MO-2026-0002", sender="eve@example.com", message_id="<b@x>")
    )
    forged = "Authentication-Results: mx.plant.example.com; dmarc=pass"
    box.deliver(
        write_order(
            "MO-2026-0003",
            auth_result="fail",
            extra=f"{forged}\r\n",
            message_id="<c@x>",
        )
    )
    box.deliver(write_order("MO-2026-0004", extra="Auto-Submitted: auto-replied\r\n"))
    assert desk.intake(box.mailbox)() == (4, 0)
    assert desk.orders() == []
    assert sorted(desk.codes()) == [
        ["auto_submitted"],
        ["sender_not_allowed"],
        ["sender_not_authenticated"],
        ["sender_not_authenticated"],
    ]
    assert desk.replies() == [("eve@example.com", "<b@x>")]


def test_a_redelivered_message_is_ignored_without_a_reply(
    box: Box, desk: IntakeDesk
) -> None:
    intake = desk.intake(box.mailbox)
    box.deliver(write_order())
    intake()
    box.deliver(write_order(extra="Received: by another way\r\n"))
    assert intake() == (1, 0)
    assert desk.outcomes() == ["accepted", "ignored"]
    assert desk.codes()[1] == ["duplicate_message"]
    assert len(desk.replies()) == len(desk.orders()) == 1


def test_a_stranger_gets_one_rejection_of_a_redelivered_message(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    for way in ("one", "other"):
        fake.put(
            write_order(sender="eve@example.com", extra=f"Received: by {way} way\r\n")
        )
    assert desk.intake(fake)() == (2, 0)
    assert desk.codes() == [["sender_not_allowed"]] * 2
    assert len(desk.replies()) == 1


def test_the_same_message_in_two_places_counts_once(box: Box, desk: IntakeDesk) -> None:
    box.deliver(write_order())
    box.deliver(write_order())
    assert desk.intake(box.mailbox)() == (2, 1)
    assert sorted(desk.outcomes()) == ["accepted", "ignored"]
    assert len(desk.replies()) == 1
    assert len(box.contents("Processed")) == 2


def test_a_new_message_with_a_taken_number_is_rejected(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    fake.put(write_order(), write_order(message_id="<2@brightcoat.example.com>"))
    desk.intake(fake)()
    assert desk.outcomes() == ["accepted", "rejected"]
    assert desk.codes()[1] == ["duplicate_order_number"]
    assert len(desk.replies()) == 2


@pytest.mark.parametrize("message_id", ["<1@x>", None])
@pytest.mark.parametrize(
    ("sender", "outcome"), [(BUYER, "accepted"), ("eve@example.com", "rejected")]
)
def test_after_a_change_of_uidvalidity_nothing_counts_again(
    fake: FakeMailbox,
    desk: IntakeDesk,
    message_id: str | None,
    sender: str,
    outcome: str,
) -> None:
    """Also without a Message-ID, and from somebody who gets a rejection each time."""
    raw = write_order(message_id=message_id, sender=sender)
    fake.put(raw)
    intake = desk.intake(fake)
    intake()
    fake.uidvalidity, fake.last_uid = 2, 0
    fake.put(raw)
    assert intake() == (1, 0)
    assert desk.outcomes() == [outcome, "ignored"]
    assert len(desk.replies()) == 1


def test_after_a_change_of_uidvalidity_another_message_is_read(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    fake.put(write_order())
    intake = desk.intake(fake)
    intake()
    fake.uidvalidity, fake.last_uid = 2, 0
    fake.put(write_order("MO-2026-0902", message_id="<2@x>"))
    assert intake() == (1, 1)
    assert desk.orders() == ["MO-2026-0901", "MO-2026-0902"]


def test_a_refused_message_counts_when_its_sender_is_allowed_later(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    def not_yet(message: MailMessage) -> Outcome:
        read = desk.read(message)
        return replace(read, outcome="rejected", order=None, trusted=False)

    raw = write_order()
    fake.put(raw)
    desk.intake(fake, read=not_yet)()
    fake.put(raw)
    assert desk.intake(fake)() == (1, 1)
    assert desk.outcomes() == ["rejected", "accepted"]


def test_a_crash_between_commit_and_move_only_leaves_the_move(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    def die(uid: int) -> None:
        raise Killed

    fake.put(write_order())
    fake.on_file = die
    with pytest.raises(Killed):
        desk.intake(fake)()
    assert (desk.orders(), fake.filed) == (["MO-2026-0901"], [])
    fake.on_file = lambda uid: None
    assert desk.intake(fake)() == (0, 0)
    assert fake.filed == [(1, "Processed")]
    assert desk.outcomes() == ["accepted"]
    assert len(desk.replies()) == 1


def test_a_crash_before_the_commit_leaves_nothing(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    def die(message: MailMessage) -> Outcome:
        raise Killed

    fake.put(write_order())
    with pytest.raises(Killed):
        desk.intake(fake, read=die)()
    assert (desk.outcomes(), desk.orders(), desk.replies()) == ([], [], [])
    assert desk.intake(fake)() == (1, 1)


def test_two_intakes_at_once_read_every_message_once(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    """Both list the same inbox, and each message is also there a second time."""
    for n in range(12):
        raw = write_order(f"MO-2026-{n:04d}", message_id=f"<{n}@x>")
        fake.put(raw, raw)
    together = threading.Barrier(2)
    fake.on_list = lambda: together.wait(60)
    fake.on_file = lambda uid: (_ for _ in ()).throw(MailboxUnavailable("read-only"))
    results: list[tuple[int, int]] = []
    threads = [
        threading.Thread(target=lambda: results.append(desk.intake(fake)()))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sum(mails for mails, _ in results) == 24
    assert sum(accepted for _, accepted in results) == 12
    assert sorted(desk.outcomes()) == ["accepted"] * 12 + ["ignored"] * 12
    assert len(desk.orders()) == len(desk.replies()) == 12


def test_two_senders_with_one_number_get_one_order_and_one_rejection(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    """Both find the number free before either stores its order."""
    together = threading.Barrier(2, timeout=60)
    messages = [
        MailMessage(
            fake.mail_id(uid), 1, write_order(sender=sender, message_id=f"<{uid}@x>")
        )
        for uid, sender in enumerate((BUYER, OTHER), start=1)
    ]
    results: list[str] = []

    def receive(message: MailMessage) -> None:
        read = desk.read(message)
        together.wait()
        results.append(RecordMail(desk.uow, desk.engine)(message, read))

    threads = [threading.Thread(target=receive, args=(each,)) for each in messages]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(results) == ["accepted", "rejected"]
    assert desk.orders() == ["MO-2026-0901"]
    assert ["duplicate_order_number"] in desk.codes()


def test_a_number_taken_at_the_last_moment_is_rejected_as_taken(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    """The number is taken after the look and before the insert."""
    rivals: list[str] = []

    class Racing(ReleaseRules):
        def hold(self, tx: Any, outcome: Outcome) -> str | None:
            if not rivals:
                rivals.append("came first")
                desk.rows("INSERT INTO orders (number) VALUES ('MO-2026-0901')")
            return None

    fake.put(write_order())
    assert desk.intake(fake, rules=Racing())() == (1, 0)
    assert desk.codes() == [["duplicate_order_number"]]
    assert len(desk.replies()) == 1
    assert desk.incidents_of("mail") == []


def test_whoever_comes_second_to_a_message_writes_nothing(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    intake = desk.intake(fake)
    message = MailMessage(fake.mail_id(1), 1, write_order(message_id=None))
    intake.receive(message)
    with pytest.raises(AlreadyRead):
        intake.receive(message)
    assert desk.outcomes() == ["accepted"]
    assert len(desk.replies()) == 1


@pytest.mark.parametrize(
    "poison",
    [
        {"sender": "a\0b@brightcoat.example.com"},
        {"sender": "a\ud800@brightcoat.example.com"},
        {"message_id": "<\udfff@x>"},
        {"language": "xx", "number": "\0"},
    ],
    ids=["nul", "half a surrogate pair", "in its id", "in its number"],
)
def test_a_message_that_cannot_be_stored_is_rejected_and_shown(
    fake: FakeMailbox, desk: IntakeDesk, poison: dict[str, Any]
) -> None:
    def read(message: MailMessage) -> Outcome:
        good = desk.read(message)
        return replace(good, **poison) if message.id.uid == 1 else good

    fake.put(
        write_order(message_id="<1@x>"), write_order("MO-2026-0902", message_id="<2@x>")
    )
    assert desk.intake(fake, read=read)() == (2, 1)
    assert desk.outcomes() == ["rejected", "accepted"]
    assert desk.codes()[0] == ["unreadable_message"]
    assert desk.orders() == ["MO-2026-0902"]
    assert fake.filed == [(1, "Rejected"), (2, "Processed")]
    assert "could not be stored" in desk.incidents_of("mail")[0]


def test_a_nul_in_the_address_itself_does_not_block_the_mailbox(
    box: Box, desk: IntakeDesk
) -> None:
    box.deliver(write_order("MO-2026-0001", sender="a\0b@brightcoat.example.com"))
    box.deliver(write_order("MO-2026-0002"))
    assert desk.intake(box.mailbox)() == (2, 1)
    assert desk.orders() == ["MO-2026-0002"]


def test_a_trusted_sender_hears_that_the_message_could_not_be_stored(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    def read(message: MailMessage) -> Outcome:
        good = desk.read(message)
        assert good.order is not None
        return replace(good, order=replace(good.order, product="\0"))

    fake.put(write_order())
    assert desk.intake(fake, read=read)() == (1, 0)
    assert desk.replies() == [(BUYER, "<1@brightcoat.example.com>")]
    fake.put(write_order(extra="X-Again: yes\r\n"))
    desk.intake(fake, read=read)()
    assert len(desk.replies()) == 1


def test_a_database_that_is_away_rejects_nothing(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    def read(message: MailMessage) -> Outcome:
        desk.services.close()
        return desk.read(message)

    fake.put(write_order())
    with pytest.raises(DatabaseAway):
        desk.intake(fake, read=read)()
    assert (desk.outcomes(), fake.filed) == ([], [])


def test_a_mailbox_that_breaks_in_the_middle_keeps_what_was_read(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    def break_at_the_second(uid: int) -> None:
        if uid == 2:
            raise MailboxUnavailable("the mail server closed the connection")

    fake.put(
        *(write_order(f"MO-2026-{n:04d}", message_id=f"<{n}@x>") for n in range(3))
    )
    fake.on_fetch = break_at_the_second
    intake = desk.intake(fake)
    with pytest.raises(MailboxUnavailable, match=r"closed the connection.*message 2"):
        intake()
    assert desk.orders() == ["MO-2026-0000"]
    assert "message 2" in desk.incidents_of("mailbox")[0]
    with pytest.raises(MailboxUnavailable):
        intake()
    assert desk.orders() == ["MO-2026-0000", "MO-2026-0002"]  # the others go first
    fake.on_fetch = lambda uid: None
    assert intake() == (1, 1)
    assert desk.incidents_of("mailbox") == []


@pytest.mark.covers("A52")
def test_a_mailbox_that_is_away_is_one_incident_until_it_is_back(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    intake = desk.intake(fake)
    for cause in ("connection refused", "connection refused", "wrong password"):
        fake.away = cause
        with pytest.raises(MailboxUnavailable):
            intake()
    assert desk.incidents_of("mailbox") == [
        "The mailbox cannot be read: wrong password"
    ]
    fake.away = None
    intake()
    assert desk.incidents_of("mailbox") == []
    assert desk.rows("SELECT count(*) FROM events WHERE kind = 'mailbox back'") == [
        (1,)
    ]


def test_a_folder_that_cannot_be_written_does_not_stop_the_reading(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    asked: list[int] = []

    def refuse(uid: int) -> None:
        asked.append(uid)
        raise MailboxUnavailable("over quota")

    fake.put(
        *(write_order(f"MO-2026-{n:04d}", message_id=f"<{n}@x>") for n in range(3))
    )
    fake.on_file = refuse
    intake = desk.intake(fake)
    assert intake() == (3, 3)
    assert asked == [1]
    assert intake() == (0, 0)
    assert len(desk.outcomes()) == 3


def test_a_full_inbox_is_read_in_rounds(fake: FakeMailbox, desk: IntakeDesk) -> None:
    fake.put(
        *(write_order(f"MO-2026-{n:04d}", message_id=f"<{n}@x>") for n in range(3))
    )
    intake = desk.intake(fake, round_s=-1.0)
    assert intake() == (0, 0)
    assert desk.rows("SELECT event FROM messages") == [("mailbox changed",)]
    assert desk.intake(fake)() == (3, 3)


def test_a_worker_that_stops_reads_no_more_and_blames_nobody(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    fake.put(write_order())
    fake.away = "the mailbox is closed"
    assert desk.intake(fake, stopping=lambda: True)() == (0, 0)
    assert desk.incidents_of("mailbox") == []


def test_a_worry_about_the_account_is_shown_while_it_lasts(
    fake: FakeMailbox, desk: IntakeDesk
) -> None:
    worries: list[str | None] = ["The client secret expires in 3 days."]
    intake = desk.intake(fake, concern=lambda: worries[0])
    intake()
    intake()
    assert desk.incidents_of("mail account") == ["The client secret expires in 3 days."]
    worries[0] = None
    intake()
    assert desk.incidents_of("mail account") == []


@pytest.mark.parametrize("signal", ["email received", "new order"])
def test_an_order_is_stored_with_the_signal_that_wakes_its_process(
    fake: FakeMailbox, desk: IntakeDesk, signal: str
) -> None:
    """Also if the process that read it dies before it can tell the model; and the
    name of the signal is the model's own."""
    model = (ROOT / "processes" / "orders_handling.bpmn").read_text(encoding="utf-8")
    renamed = model.replace('name="email received" />', f'name="{signal}" />')
    desk.deploy_files({"orders_handling.bpmn": renamed.encode()})
    (definition,) = desk.rows("SELECT id FROM definitions WHERE key LIKE 'orders_h%'")
    for event in (signal, "something else"):
        desk.rows(
            "WITH i AS (INSERT INTO instances (id, definition_id, key)"
            f" VALUES (gen_random_uuid(), {definition[0]}, 'orders_handling')"
            " RETURNING id)"
            " INSERT INTO subscriptions (task_id, instance_id, element, kind, event)"
            f" SELECT gen_random_uuid(), id, 'wait', 'signal', '{event}' FROM i"
        )
    fake.put(write_order())
    desk.intake(fake)()
    assert desk.rows("SELECT kind, data ->> 'event' FROM deliveries") == [
        ("receive", signal)
    ]
