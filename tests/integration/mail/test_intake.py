"""What the intake relies on, against the embedded server and against Dovecot."""

import os
import signal
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from imapclient import IMAPClient

from mpms.adapters.mail_account import (
    Password,
    Security,
)
from mpms.embedded import mail, maildrop
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.ports.mail.intake import MailboxUnavailable
from tests.support.certificates import Certificates
from tests.support.mail_servers import Server, run_dovecot
from tests.support.mailbox import LetWait, OpenMailbox, fetched, list_messages, raw_of
from tests.support.waiting import eventually

MIB = 1024 * 1024
PLAIN = b"From: a@example.com\r\nSubject: one\r\nMessage-ID: <1@x>\r\n\r\nHello\r\n"
EIGHT_BIT = (
    b"From: J\xf6rg <a@example.com>\r\nSubject: caf\xc3\xa9 \xff\xfe\r\n"
    b"Content-Type: text/plain; charset=iso-8859-9\r\n\r\n\xfe\xfd\xf0 \x80 fin\r\n"
)
NESTED = b"From: a@example.com\r\n" + b"".join(
    b"Content-Type: multipart/mixed; boundary=b%d\r\n\r\n--b%d\r\n" % (depth, depth)
    for depth in range(2000)
)


def talk(account: MailAccount) -> IMAPClient:
    client = IMAPClient(account.host, account.port, ssl=False, timeout=60)
    assert isinstance(account.login, Password)
    client.login(account.user, account.login.password)
    return client


def orders_account(home: mail.MailHome) -> MailAccount:
    login = Password(home.password(home.orders))
    return MailAccount(home.host, home.imap_port, Security.PLAIN, home.orders, login)


@pytest.mark.covers("A9")
def test_messages_are_listed_oldest_first_and_read_byte_by_byte(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    sent = [PLAIN, EIGHT_BIT, PLAIN.replace(b"one", b"two")]
    for count, raw in enumerate(sent, 1):
        server.deliver(account, raw)
        with open_mailbox(account).open() as session:
            list_messages(session, count)
    with open_mailbox(account).open() as session:
        messages = list_messages(session, 3)
        assert [message.uid for message in messages] == sorted(
            message.uid for message in messages
        )
        read = [fetched(session, message) for message in messages]
        assert [message.raw for message in read] == sent
        assert [message.size_bytes for message in read] == list(map(len, sent))
        assert {message.account for message in messages} == {account.name}
        assert {message.folder for message in messages} == {"INBOX"}


def test_a_thousand_random_bytes_and_deep_nesting_arrive_unchanged(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    noise = b"Subject: noise\r\n\r\n" + bytes(
        byte for byte in range(1, 256) if byte not in (10, 13)
    )
    for raw in (NESTED, noise + b"\r\n"):
        server.deliver(account, raw)
    with open_mailbox(account).open() as session:
        messages = list_messages(session, 2)
        found = {raw_of(session, message) for message in messages}
    assert found == {NESTED, noise + b"\r\n"}


def test_a_nul_in_a_body_does_not_stop_the_reading(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    server.deliver(account, PLAIN + b"a\x00b\r\n")
    with open_mailbox(account).open() as session:
        (message,) = list_messages(session, 1)
        raw = raw_of(session, message)
    # IMAP has no NUL in ordinary literals; Dovecot sends another byte instead.
    assert raw in (PLAIN + b"a\x00b\r\n", PLAIN + b"a\x80b\r\n")


def test_reading_leaves_no_mark(server: Server, open_mailbox: OpenMailbox) -> None:
    account = server.account()
    server.deliver(account, PLAIN)
    mailbox = open_mailbox(account)
    with mailbox.open() as session:
        (message,) = list_messages(session, 1)
        session.fetch(message)
    client = talk(account)
    client.select_folder("INBOX", readonly=True)
    flags = client.get_flags(client.search())
    client.logout()
    assert [b"\\Seen" in marks for marks in flags.values()] == [False]
    with mailbox.open() as session:
        assert list(session.messages()) == [message]


def test_a_message_above_the_limit_is_not_fetched_but_its_headers_are(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account(limit_bytes=MIB)
    large = PLAIN + (b"x" * 998 + b"\r\n") * (20 * MIB // 1000)
    server.deliver(account, large)
    server.deliver(account, PLAIN)
    with open_mailbox(account).open() as session:
        messages = [fetched(session, message) for message in list_messages(session, 2)]
    (big,) = [message for message in messages if message.raw is None]
    (small,) = [message for message in messages if message.raw is not None]
    assert big.size_bytes == len(large)
    assert big.headers.replace(b"\r\n\r\n", b"\r\n") == PLAIN.partition(b"\r\nHello")[0]
    assert small.raw == PLAIN


def test_filing_away_makes_the_folder_and_a_second_time_changes_nothing(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    server.deliver(account, PLAIN)
    server.deliver(account, EIGHT_BIT)
    mailbox = open_mailbox(account)
    with mailbox.open() as session:
        first, second = list_messages(session, 2)
        session.file_away(first, "Processed")
        session.file_away(second, "Rejected")
        session.file_away(first, "Processed")
        assert list(session.messages()) == []
        assert session.fetch(first) is None
    filed = {}
    for folder in ("Processed", "Rejected"):
        with open_mailbox(replace(account, folder=folder)).open() as session:
            (message,) = list_messages(session, 1)
            filed[folder] = raw_of(session, message)
    assert set(filed.values()) == {PLAIN, EIGHT_BIT}


def test_two_conversations_may_file_the_same_mail(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    server.deliver(account, PLAIN)
    mailbox = open_mailbox(account)
    with mailbox.open() as one, mailbox.open() as other:
        (message,) = list_messages(one, 1)
        assert list_messages(other, 1) == [message]
        one.file_away(message, "Processed")
        other.file_away(message, "Processed")
        assert other.fetch(message) is None
    with open_mailbox(replace(account, folder="Processed")).open() as session:
        list_messages(session, 1)


def test_a_message_delivered_twice_is_two_messages(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    server.deliver(account, PLAIN)
    server.deliver(account, PLAIN)
    with open_mailbox(account).open() as session:
        messages = list_messages(session, 2)
        assert len(set(messages)) == 2
        assert {raw_of(session, message) for message in messages} == {PLAIN}


def test_a_message_of_another_numbering_is_gone(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    server.deliver(account, PLAIN)
    with open_mailbox(account).open() as session:
        (message,) = list_messages(session, 1)
        stale = replace(message, uidvalidity=message.uidvalidity + 1)
        assert session.fetch(stale) is None
        session.file_away(stale, "Processed")
        assert list(session.messages()) == [message]


@pytest.mark.covers("A51")
def test_a_message_wakes_who_waits(
    server: Server, open_mailbox: OpenMailbox, waiting: LetWait
) -> None:
    account = server.account()
    mailbox = open_mailbox(account)
    with mailbox.open() as session:
        assert list(session.messages()) == []
    sleeper = waiting(mailbox)
    server.deliver(account, PLAIN)
    assert sleeper.result() is True


def test_what_came_between_looking_and_waiting_is_not_missed(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    mailbox = open_mailbox(account)
    server.deliver(account, PLAIN)
    with mailbox.open() as session:
        list_messages(session, 1)
    server.deliver(account, EIGHT_BIT)
    assert mailbox.wait(60) is True


def test_a_message_that_was_listed_does_not_wake_again(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    mailbox = open_mailbox(account)
    server.deliver(account, PLAIN)
    with mailbox.open() as session:
        list_messages(session, 1)
    assert mailbox.wait(0.3) is False
    assert mailbox.wait(0.3) is False


def test_closing_wakes_who_waits(
    server: Server, open_mailbox: OpenMailbox, waiting: LetWait
) -> None:
    mailbox = open_mailbox(server.account())
    sleeper = waiting(mailbox, 3600)
    mailbox.close()
    assert sleeper.result() is False
    assert mailbox.wait(3600) is False
    with pytest.raises(MailboxUnavailable, match="closed"), mailbox.open():
        pass


def test_a_wrong_password_is_named(server: Server, open_mailbox: OpenMailbox) -> None:
    account = server.account(login=Password("wrong"))
    words = f"refused the password of {account.user}"
    with (
        pytest.raises(MailboxUnavailable, match=words),
        open_mailbox(account).open(),
    ):
        pass


def test_a_password_may_have_any_characters(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account(login=Password('pässwörd "\\ şifre'))
    with (
        pytest.raises(MailboxUnavailable, match="refused the password"),
        open_mailbox(account).open(),
    ):
        pass


def test_a_missing_folder_is_named(server: Server, open_mailbox: OpenMailbox) -> None:
    account = server.account(folder="Nowhere")
    with (
        pytest.raises(MailboxUnavailable, match="the folder Nowhere"),
        open_mailbox(account).open(),
    ):
        pass


def test_a_server_that_is_not_there_is_named(
    server: Server, open_mailbox: OpenMailbox, unused_port: int
) -> None:
    account = server.account(port=unused_port)
    with (
        pytest.raises(MailboxUnavailable, match="connection refused"),
        open_mailbox(account).open(),
    ):
        pass


def test_several_threads_may_look_at_once(
    server: Server, open_mailbox: OpenMailbox
) -> None:
    account = server.account()
    server.deliver(account, PLAIN)
    mailbox = open_mailbox(account)
    found = []

    def look() -> None:
        with mailbox.open() as session:
            found.append(raw_of(session, list_messages(session, 1)[0]))

    threads = [threading.Thread(target=look) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert found == [PLAIN] * 5


def test_appended_messages_come_back_byte_by_byte_from_dovecot(
    dovecot: Server, open_mailbox: OpenMailbox
) -> None:
    account = dovecot.account()
    samples = sorted((Path(__file__).parents[2] / "data").glob("**/*.eml"))
    sent = [path.read_bytes() for path in samples][:40] or [PLAIN, EIGHT_BIT]
    sent = [raw.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n") for raw in sent]
    sent = [raw for raw in sent if b"\x00" not in raw and len(raw) < MIB]
    client = talk(account)
    for raw in sent:
        client.append("INBOX", raw)
    client.logout()
    with open_mailbox(account).open() as session:
        messages = list_messages(session, len(sent))
        assert [raw_of(session, message) for message in messages] == sent


def test_folders_are_made_where_the_server_keeps_them(
    mail_directory: Path, certificates: Certificates, open_mailbox: OpenMailbox
) -> None:
    with run_dovecot(mail_directory / "below", certificates, "INBOX.") as server:
        account = server.account()
        server.deliver(account, PLAIN)
        mailbox = open_mailbox(account)
        with mailbox.open() as session:
            (message,) = list_messages(session, 1)
            session.file_away(message, "Processed")
        below = replace(account, folder="INBOX.Processed")
        with open_mailbox(below).open() as session:
            list_messages(session, 1)


@pytest.mark.covers("A52")
def test_a_restarted_server_is_used_again_without_help(
    mail_directory: Path, open_mailbox: OpenMailbox
) -> None:
    directory = mail_directory / "restarted"
    with mail.start(directory) as servers:
        account = orders_account(servers.home)
        mailbox = open_mailbox(account)
        maildrop.drop_into(servers.mailboxes / account.user, PLAIN)
        with mailbox.open() as session:
            (message,) = list_messages(session, 1)
        assert mailbox.wait(0) is False
    assert mailbox.wait(60) is True  # to look, and hear why
    with pytest.raises(MailboxUnavailable, match="refused"), mailbox.open():
        pass
    with mail.start(directory) as servers:
        assert mailbox.wait(60) is True  # it is back
        with mailbox.open() as session:
            assert list(session.messages()) == [message]
            assert raw_of(session, message) == PLAIN


@pytest.mark.parametrize(
    ("name", "security"),
    [  # pymap offers no implicit TLS
        ("dovecot", Security.TLS),
        ("dovecot", Security.STARTTLS),
        ("pymap", Security.STARTTLS),
    ],
)
def test_encrypted_connections_are_verified(
    request: pytest.FixtureRequest,
    certificates: Certificates,
    open_mailbox: OpenMailbox,
    waiting: LetWait,
    name: str,
    security: Security,
) -> None:
    server = request.getfixturevalue(name)
    account = server.account(security)
    server.deliver(account, PLAIN)
    mailbox = open_mailbox(account)
    with mailbox.open() as session:
        (message,) = list_messages(session, 1)
        assert raw_of(session, message).replace(b"\r\n", b"\n") == PLAIN.replace(
            b"\r\n", b"\n"
        )
        session.file_away(message, "Processed")
    sleeper = waiting(mailbox, 30)
    server.deliver(account, PLAIN)
    assert sleeper.result() is True
    for ca_file in (certificates.other_ca_file, None):
        stranger = open_mailbox(replace(account, ca_file=ca_file))
        with pytest.raises(MailboxUnavailable, match="certificate"), stranger.open():
            pass


def test_a_server_without_encryption_is_refused_when_it_is_asked_for(
    embedded: Server, certificates: Certificates, open_mailbox: OpenMailbox
) -> None:
    account = replace(
        embedded.account(), security=Security.STARTTLS, ca_file=certificates.ca_file
    )
    mailbox = open_mailbox(account)
    with pytest.raises(MailboxUnavailable, match="STARTTLS"), mailbox.open():
        pass
    wrong = replace(account, security=Security.TLS)
    with (
        pytest.raises(MailboxUnavailable, match="no encrypted connection"),
        open_mailbox(wrong).open(),
    ):
        pass


def test_the_embedded_server_is_replaced_when_it_dies(
    mail_directory: Path, open_mailbox: OpenMailbox
) -> None:
    with mail.start(mail_directory / "dying") as servers:
        account = orders_account(servers.home)
        mailbox = open_mailbox(account)
        maildrop.drop_into(servers.mailboxes / account.user, PLAIN)
        with mailbox.open() as session:
            (message,) = list_messages(session, 1)
        victim = servers.pids[0]
        os.kill(victim, signal.SIGKILL)
        eventually(lambda: servers.pids[0] != victim, "another process serves")

        def looks() -> bool:
            try:
                with mailbox.open() as session:
                    return list(session.messages()) == [message]
            except MailboxUnavailable:
                return False

        eventually(looks, "the same message is listed again")
