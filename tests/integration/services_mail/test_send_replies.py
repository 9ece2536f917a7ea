"""A reply goes out once, or somebody is told that it may not have."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from email import message_from_bytes
from typing import Any

import pytest

from mpms.adapters.mail_account import Password, Security, SmtpAccount
from mpms.adapters.smtp import SmtpSender
from mpms.embedded.mail import MailServers
from mpms.factory.services.mail.send_replies import ATTEMPTS, send_reply
from mpms.ports.outgoing_mail import MailSender, MailServerAway, ReplyInDoubt
from tests.support.checkers import there
from tests.support.intake_desk import IntakeDesk
from tests.support.mailbox import FakeMailbox, FakeMailSender, write_order

BUYER = "orders@brightcoat.example.com"


class Killed(BaseException):
    """Stands for a process that ends between two instructions."""


@pytest.fixture
def one_reply(desk: IntakeDesk, fake: FakeMailbox) -> None:
    """One accepted order whose confirmation waits."""
    fake.put(write_order())
    desk.intake(fake)()


def send(desk: IntakeDesk, mail_sender: MailSender) -> bool:
    return send_reply(desk.uow, mail_sender, process="here")


def states(desk: IntakeDesk) -> list[tuple[Any, ...]]:
    return desk.rows("SELECT state, attempts FROM outbox ORDER BY mail_id")


def make_due(desk: IntakeDesk) -> None:
    desk.rows("UPDATE outbox SET not_before = now()")


@pytest.mark.usefixtures("one_reply")
def test_a_reply_is_sent_once(desk: IntakeDesk, mail_sender: FakeMailSender) -> None:
    assert send(desk, mail_sender)
    assert not send(desk, mail_sender)
    (reply,) = mail_sender.taken
    assert (reply.to, reply.in_reply_to) == (BUYER, "<1@brightcoat.example.com>")
    assert "MO-2026-0901" in reply.subject
    assert "RM-001 Water: 5 kg" in reply.body
    assert states(desk) == [("sent", 1)]


@pytest.mark.usefixtures("one_reply")
def test_a_reply_waits_for_a_server_that_is_away(
    desk: IntakeDesk, mail_sender: FakeMailSender
) -> None:
    mail_sender.failure = MailServerAway("connection refused")
    for _ in range(10):
        assert send(desk, mail_sender)
        assert not send(desk, mail_sender)  # not before its delay is over
        make_due(desk)
    assert states(desk) == [("waiting", 10)]
    assert desk.incidents_of("mail server") == [
        "Replies cannot be sent: connection refused"
    ]
    mail_sender.failure = None
    assert send(desk, mail_sender)
    assert len(mail_sender.taken) == 1
    assert desk.incidents_of("mail server") == []


@pytest.mark.usefixtures("one_reply")
def test_a_server_that_stays_away_for_days_is_given_up(
    desk: IntakeDesk, mail_sender: FakeMailSender
) -> None:
    desk.rows("UPDATE outbox SET attempts = %s", ATTEMPTS - 1)
    mail_sender.failure = MailServerAway("connection refused")
    send(desk, mail_sender)
    assert states(desk) == [("given_up", ATTEMPTS)]
    assert BUYER in desk.incidents_of("reply")[0]


@pytest.mark.usefixtures("one_reply")
def test_a_reply_that_is_refused_is_not_tried_again(
    desk: IntakeDesk, mail_sender: FakeMailSender
) -> None:
    mail_sender.refuses = "550 no such mailbox"
    send(desk, mail_sender)
    make_due(desk)
    assert not send(desk, mail_sender)
    assert states(desk) == [("given_up", 1)]
    assert "550 no such mailbox" in desk.incidents_of("reply")[0]


@pytest.mark.usefixtures("one_reply")
def test_a_reply_that_may_have_gone_out_is_shown_and_not_sent_again(
    desk: IntakeDesk, mail_sender: FakeMailSender
) -> None:
    mail_sender.failure = ReplyInDoubt("closed the connection")
    send(desk, mail_sender)
    make_due(desk)
    mail_sender.failure = None
    assert not send(desk, mail_sender)
    assert (states(desk), mail_sender.taken) == ([("unknown", 1)], [])
    assert "not known whether" in desk.incidents_of("reply")[0]


@pytest.mark.usefixtures("one_reply")
def test_a_reply_of_a_process_that_died_is_shown_and_not_sent_again(
    desk: IntakeDesk, mail_sender: FakeMailSender
) -> None:
    mail_sender.failure = Killed()
    with pytest.raises(Killed):
        send(desk, mail_sender)
    mail_sender.failure = None
    assert not send(desk, mail_sender)
    assert (states(desk), desk.incidents_of("reply")) == ([("sending", 1)], [])
    desk.rows("UPDATE outbox SET taken_at = now() - interval '1 day'")
    assert not send(desk, mail_sender)
    assert (states(desk), mail_sender.taken) == ([("unknown", 1)], [])
    assert BUYER in desk.incidents_of("reply")[0]


def test_many_processes_share_the_outbox(
    desk: IntakeDesk, fake: FakeMailbox, mail_sender: FakeMailSender
) -> None:
    fake.put(
        *(write_order(f"MO-2026-{n:04d}", message_id=f"<{n}@x>") for n in range(12))
    )
    desk.intake(fake)()

    def send_all() -> None:
        while send(desk, mail_sender):
            pass

    threads = [threading.Thread(target=send_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(there(reply.in_reply_to) for reply in mail_sender.taken) == sorted(
        f"<{n}@x>" for n in range(12)
    )
    assert states(desk) == [("sent", 1)] * 12


def test_confirmation_and_rejection_land_in_the_buyers_mailbox_once(
    desk: IntakeDesk, fake: FakeMailbox, servers: MailServers
) -> None:
    home = servers.home
    login = Password(home.password(home.orders))
    account = SmtpAccount(
        home.host, home.smtp_port, Security.PLAIN, home.orders, home.orders, login
    )
    mail_sender = SmtpSender(account)
    bad = "Order: MO-2026-0002\r\n\r\nMaterials:\r\n- RM-001 5 gallons\r\n"
    fake.put(
        write_order("MO-2026-0001", message_id="<good@x>"),
        write_order("MO-2026-0002", message_id="<bad@x>", body=bad),
        write_order("MO-2026-0003", message_id="<stranger@x>", auth_result="fail"),
    )
    desk.intake(fake)()
    while send(desk, mail_sender):
        pass
    found = {}
    for path in (servers.mailboxes / BUYER / "new").iterdir():
        message = message_from_bytes(path.read_bytes())
        assert message["In-Reply-To"] not in found
        found[message["In-Reply-To"]] = message
    assert set(found) == {"<good@x>", "<bad@x>"}
    confirmation, rejection = found["<good@x>"], found["<bad@x>"]
    assert confirmation["Subject"] == "Order MO-2026-0001 accepted"
    assert rejection["Subject"] == "Order MO-2026-0002 not accepted"
    assert confirmation["Auto-Submitted"] == "auto-replied"
    assert b"gallons" in rejection.get_payload(decode=True)
    assert states(desk) == [("sent", 1)] * 2


@pytest.mark.parametrize(
    ("last_word", "state"),
    [(b"", "unknown"), (b"250 OK\r\n", "sent"), (b"451 later\r\n", "waiting")],
)
@pytest.mark.usefixtures("one_reply")
def test_only_a_server_that_got_the_whole_reply_leaves_a_doubt(
    desk: IntakeDesk,
    last_word: bytes,
    state: str,
    serve_smtp: Callable[[list[bytes]], int],
) -> None:
    before = [b"220 hello\r\n", b"250 OK\r\n", b"250 OK\r\n", b"250 OK\r\n"]
    port = serve_smtp([*before, b"354 go on\r\n", last_word])
    mail_sender = SmtpSender(
        SmtpAccount("127.0.0.1", port, Security.PLAIN, "orders@plant.example.com")
    )
    send(desk, mail_sender)
    assert states(desk) == [(state, 1)]


@pytest.mark.usefixtures("one_reply")
def test_a_server_that_hangs_up_before_the_text_leaves_no_doubt(
    desk: IntakeDesk, serve_smtp: Callable[[list[bytes]], int]
) -> None:
    port = serve_smtp([b"220 hello\r\n", b"250 OK\r\n", b"250 OK\r\n", b""])
    mail_sender = SmtpSender(
        SmtpAccount("127.0.0.1", port, Security.PLAIN, "orders@plant.example.com")
    )
    send(desk, mail_sender)
    assert states(desk) == [("waiting", 1)]


@pytest.fixture
def serve_smtp() -> Any:
    """Return a function that starts a server which says these words to one client,
    each after a whole command or text, and hangs up at an empty one."""
    threads: list[threading.Thread] = []

    def start(words: list[bytes]) -> int:
        listening = socket.create_server(("127.0.0.1", 0))
        listening.settimeout(60)

        def serve() -> None:
            with listening, listening.accept()[0] as client:
                client.settimeout(60)
                end = b"\r\n"
                for number, word in enumerate(words):
                    heard = b""
                    while number and not heard.endswith(end):
                        heard += client.recv(65536) or end
                    if not word:
                        return
                    client.sendall(word)
                    end = b"\r\n.\r\n" if word.startswith(b"354") else b"\r\n"
                while client.recv(65536):
                    client.sendall(b"221 bye\r\n")

        thread = threading.Thread(target=serve)
        thread.start()
        threads.append(thread)
        return int(listening.getsockname()[1])

    yield start
    for thread in threads:
        thread.join(60)
