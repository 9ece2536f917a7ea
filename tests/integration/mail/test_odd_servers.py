"""A server that drops, stalls, splits its answers and numbers its messages anew."""

import pytest

from mpms.factory.adapters.mail.imap.connection import Patience
from mpms.factory.ports.mail.intake import MailboxUnavailable
from tests.support.mailbox import LetWait, OpenMailbox, raw_of
from tests.support.odd_imap import OddServer
from tests.support.waiting import eventually

RAW = b"From: a@example.com\r\nSubject: one\r\n\r\nHello\r\n"


def test_a_connection_lost_in_a_message_is_named_and_the_next_look_works(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.messages[1] = RAW
    odd_server.odd.fetch.append("drop")
    mailbox = open_mailbox(odd_server.account())
    with (
        pytest.raises(MailboxUnavailable, match="closed the connection"),
        mailbox.open() as session,
    ):
        session.fetch(session.messages()[0])
    with mailbox.open() as session:
        assert raw_of(session, session.messages()[0]) == RAW


@pytest.mark.parametrize("where", ["fetch", "login"])
def test_a_server_that_stalls_is_given_up(
    odd_server: OddServer, open_mailbox: OpenMailbox, where: str
) -> None:
    odd_server.odd.messages[1] = RAW
    getattr(odd_server.odd, where).append("stall")
    mailbox = open_mailbox(odd_server.account(), patience=Patience(60, 1))
    with (
        pytest.raises(MailboxUnavailable, match="did not answer in time"),
        mailbox.open() as session,
    ):
        session.fetch(session.messages()[0])


def test_an_answer_in_single_bytes_is_put_together(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.messages[1] = RAW
    odd_server.odd.fetch.append("split")
    with open_mailbox(odd_server.account()).open() as session:
        assert raw_of(session, session.messages()[0]) == RAW


def test_an_answer_that_makes_no_sense_is_an_outage_and_no_crash(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.messages[1] = RAW
    odd_server.odd.fetch.append("nonsense")
    with (
        pytest.raises(MailboxUnavailable),
        open_mailbox(odd_server.account()).open() as session,
    ):
        session.fetch(session.messages()[0])


def test_a_connection_lost_while_logging_in_is_no_wrong_password(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.login.append("drop")
    with (
        pytest.raises(MailboxUnavailable, match="closed the connection"),
        open_mailbox(odd_server.account()).open(),
    ):
        pass


def test_new_numbering_makes_other_ids_of_the_same_messages(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.messages[1] = RAW
    mailbox = open_mailbox(odd_server.account())
    with mailbox.open() as session:
        (before,) = session.messages()
    assert mailbox.wait(0) is False
    odd_server.odd.uidvalidity = 2
    odd_server.odd.messages = {1: b"another"}
    assert mailbox.wait(60) is True
    with mailbox.open() as session:
        (after,) = session.messages()
        assert (before.uid, after.uid) == (1, 1)
        assert before != after
        assert session.fetch(before) is None
        session.file_away(before, "Processed")
        assert raw_of(session, after) == b"another"


def logins(odd_server: OddServer) -> int:
    return len([line for line in odd_server.odd.log if line.startswith("LOGIN")])


def test_a_server_that_closes_during_idle_is_called_again(
    odd_server: OddServer, open_mailbox: OpenMailbox, waiting: LetWait
) -> None:
    odd_server.odd.idle.append("close")
    sleeper = waiting(open_mailbox(odd_server.account()))
    eventually(lambda: odd_server.odd.log.count("IDLE") == 2, "it idles again")
    assert logins(odd_server) == 2
    odd_server.announce(RAW)
    assert sleeper.result() is True


def test_a_server_that_always_closes_during_idle_is_not_stormed(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.idle += ["close"] * 1000
    mailbox = open_mailbox(odd_server.account())
    assert mailbox.wait(60) is True
    assert logins(odd_server) == 2
    assert mailbox.wait(60) is True  # after a pause
    assert logins(odd_server) == 3
    assert mailbox.wait(60) is True  # after a longer one
    assert logins(odd_server) == 4


def test_an_announcement_in_two_packets_wakes(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.idle.append("split")
    assert open_mailbox(odd_server.account()).wait(60) is True


def test_an_announcement_that_comes_with_the_answer_to_idle_wakes(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.idle.append("with-answer")
    assert open_mailbox(odd_server.account()).wait(60) is True


def test_an_arrival_mentioned_after_a_search_that_missed_it_wakes(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.search += ["", "late"]
    mailbox = open_mailbox(odd_server.account())
    assert mailbox.wait(0) is False
    assert mailbox.wait(60) is True
    assert "IDLE" not in odd_server.odd.log


def test_a_server_that_went_away_says_look_once_and_then_is_left_alone(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    mailbox = open_mailbox(odd_server.account())
    assert mailbox.wait(0) is False
    odd_server.close()
    assert mailbox.wait(60) is True
    assert mailbox.wait(0.2) is True  # after the whole time, not at once
    with pytest.raises(MailboxUnavailable, match="refused"), mailbox.open():
        pass


def test_a_server_without_idle_is_asked_now_and_then(
    odd_server: OddServer,
    open_mailbox: OpenMailbox,
    monkeypatch: pytest.MonkeyPatch,
    waiting: LetWait,
) -> None:
    monkeypatch.setattr("mpms.factory.adapters.mail.imap.waiting.POLL_S", 0.05)
    odd_server.odd.capabilities = "IMAP4rev1"
    sleeper = waiting(open_mailbox(odd_server.account()))
    eventually(lambda: "NOOP" in odd_server.odd.log, "it was asked")
    odd_server.odd.messages[1] = RAW
    assert sleeper.result() is True
    assert "IDLE" not in odd_server.odd.log


@pytest.mark.parametrize(
    ("capabilities", "steps"),
    [
        ("IMAP4rev1 MOVE UIDPLUS", [("move", 1)]),
        ("IMAP4rev1 UIDPLUS", [("copy", 1), ("expunge", 1)]),
        ("IMAP4rev1", [("copy", 1)]),
    ],
)
def test_filing_away_works_with_what_the_server_has(
    odd_server: OddServer,
    open_mailbox: OpenMailbox,
    capabilities: str,
    steps: list[tuple[str, int]],
) -> None:
    odd_server.odd.capabilities = capabilities
    odd_server.odd.messages |= {1: RAW, 2: RAW}
    with open_mailbox(odd_server.account()).open() as session:
        first, second = session.messages()
        session.file_away(first, "Processed")
        assert list(session.messages()) == [second]
    assert odd_server.odd.filed == steps
    assert "EXPUNGE" not in odd_server.odd.log  # it would take others' messages too


def test_a_spare_connection_that_died_is_replaced_unnoticed(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.messages[1] = RAW
    mailbox = open_mailbox(odd_server.account())
    with mailbox.open() as session:
        session.messages()
    odd_server.hang_up()
    with mailbox.open() as session:
        assert len(session.messages()) == 1


def test_messages_are_asked_for_by_number_only(
    odd_server: OddServer, open_mailbox: OpenMailbox
) -> None:
    odd_server.odd.messages |= dict.fromkeys(range(1, 1200), RAW)
    with open_mailbox(odd_server.account()).open() as session:
        assert len(session.messages()) == 1199
    fetches = [line for line in odd_server.odd.log if "FETCH" in line]
    assert len(fetches) == 3
    assert not any("*" in line or ":" in line for line in fetches)
