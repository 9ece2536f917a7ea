"""The embedded mail servers: whom they trust, and what they survive."""

import os
import signal
import smtplib
import socket
import stat
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest
from imapclient import IMAPClient

from mpms.adapters.mail_account import (
    Password,
    Security,
)
from mpms.embedded import mail, maildrop
from mpms.embedded.mail import (
    BUYER,
    ORDERS,
    TRUSTED_HOST,
    MailHome,
    MailNotStarted,
    MailServers,
)
from mpms.factory.adapters.mail.account import MailAccount
from tests.support.mailbox import OpenMailbox, empty
from tests.support.waiting import eventually

ROOT = Path(__file__).parents[3]
SUPERVISE = """
import sys, time
from pathlib import Path
from mpms.embedded import mail
servers = mail.start(Path(sys.argv[1]))
print(*servers.pids, flush=True)
time.sleep(600)
"""


def submit(home: MailHome, user: str, raw: bytes, to: str = ORDERS) -> None:
    with smtplib.SMTP(home.host, home.smtp_port, timeout=60) as client:
        client.login(user, home.password(user))
        client.sendmail(user, [to], raw)


def talk(home: MailHome, user: str) -> IMAPClient:
    client = IMAPClient(home.host, home.imap_port, ssl=False, timeout=60)
    client.login(user, home.password(user))
    return client


def take(home: MailHome, user: str = ORDERS) -> list[bytes]:
    """Return everything in the inbox and empty it."""
    return empty(home, user)


FORGED = (
    f"Authentication-Results: {TRUSTED_HOST}; dmarc=pass header.from=bank.example\r\n"
)


def test_the_servers_word_replaces_what_the_client_claims(servers: MailServers) -> None:
    submit(
        servers.home,
        BUYER,
        (
            f"{FORGED}From: Me <{BUYER.upper()}>\r\n"
            f"authentication-results : {TRUSTED_HOST};\r\n dmarc=pass header.from=x\r\n"
            f"Subject: a\rAuthentication-Results: {TRUSTED_HOST}; dmarc=pass\r\n"
            "\r\nbody\r\n"
        ).encode(),
    )
    (raw,) = take(servers.home)
    claims = [it for it in raw.split(b"\r\n") if it.lower().startswith(b"authenticat")]
    assert claims == [f"Authentication-Results: {TRUSTED_HOST};".encode()]
    assert b"dkim=none; dmarc=pass header.from=harbourpaints.example.org\r\n" in raw
    assert raw.index(b"Authentication-Results") < raw.index(b"From:")


@pytest.mark.parametrize(
    "origin",
    [
        "From: boss@plant.example.com",
        f"From: {BUYER}\r\nFrom: boss@plant.example.com",
        f"From: {BUYER}, boss@plant.example.com",
        f"From: {BUYER} <boss@plant.example.com>",
        f"From: boss@plant.example.com ({BUYER})",
        "From: " + "(" * 5000,
        "Subject: nobody",
    ],
)
def test_who_writes_in_anothers_name_does_not_pass(
    servers: MailServers, origin: str
) -> None:
    submit(servers.home, BUYER, f"{origin}\r\n\r\nx\r\n".encode())
    (raw,) = take(servers.home)
    assert b"dkim=none; dmarc=fail" in raw
    assert b"dmarc=pass" not in raw


def test_nobody_sends_without_a_password(servers: MailServers) -> None:
    with smtplib.SMTP(servers.home.host, servers.home.smtp_port, timeout=60) as client:
        with pytest.raises(smtplib.SMTPSenderRefused) as refused:
            client.sendmail(BUYER, [ORDERS], "From: x\r\n\r\n")
        assert refused.value.smtp_code == 530
        with pytest.raises(smtplib.SMTPAuthenticationError):
            client.login(BUYER, "wrong")


def test_nothing_is_relayed(servers: MailServers) -> None:
    with pytest.raises(smtplib.SMTPRecipientsRefused):
        submit(servers.home, BUYER, b"From: x\r\n\r\n", "somebody@example.net")


def test_long_lines_and_large_messages_are_taken(servers: MailServers) -> None:
    raw = f"From: {BUYER}\r\nSubject: {'x' * 100_000}\r\n\r\n".encode()
    raw += (b"y" * 998 + b"\r\n") * 26 * 1049  # above the limit of an order
    submit(servers.home, BUYER, raw)
    (taken,) = take(servers.home)
    assert taken.endswith(raw)


def test_an_order_sent_twice_arrives_twice(servers: MailServers) -> None:
    raw = f"From: {BUYER}\r\nMessage-ID: <1@x>\r\n\r\nx\r\n".encode()
    submit(servers.home, BUYER, raw)
    submit(servers.home, BUYER, raw)
    assert len(take(servers.home)) == 2


def test_a_copied_message_keeps_its_content(servers: MailServers) -> None:
    submit(servers.home, BUYER, f"From: {BUYER}\r\n\r\nkeep me\r\n".encode())
    client = talk(servers.home, ORDERS)
    client.create_folder("Copies")
    client.select_folder("INBOX")
    client.copy(client.search(), "Copies")
    client.select_folder("Copies")
    (copied,) = client.fetch(client.search(), ["BODY.PEEK[]"]).values()
    client.logout()
    assert [copied[b"BODY[]"]] == take(servers.home)
    assert copied[b"BODY[]"].endswith(b"keep me\r\n")


def test_numbers_last_when_messages_come_and_go(servers: MailServers) -> None:
    box = servers.mailboxes / ORDERS
    client = talk(servers.home, ORDERS)
    client.create_folder("Filed")
    seen = []
    for round_number in range(4):
        for number in range(30):
            maildrop.drop_into(box, b"Subject: %d-%d\r\n\r\n" % (round_number, number))
        validity = client.select_folder("INBOX")[b"UIDVALIDITY"]
        uids = client.search()
        subjects = client.fetch(uids, ["BODY.PEEK[HEADER]"])
        for uid in uids:
            expected = b"Subject: %d-%d" % (round_number, uids.index(uid))
            assert subjects[uid][b"BODY[HEADER]"].startswith(expected + b"\r\n")
        for start in range(0, 30, 7):
            client.move(uids[start : start + 7], "Filed")
        assert client.search() == []
        seen += [(validity, uid) for uid in uids]
    assert len(set(seen)) == 120
    assert [uid for _, uid in seen] == sorted(uid for _, uid in seen)
    client.select_folder("Filed")
    assert len(client.search()) == 120
    client.logout()


def test_a_delivery_wakes_many_who_idle(servers: MailServers) -> None:
    clients = [talk(servers.home, BUYER) for _ in range(10)]
    for client in clients:
        client.select_folder("INBOX", readonly=True)
        client.idle()
    maildrop.drop_into(servers.mailboxes / BUYER, b"Subject: x\r\n\r\n")
    heard: list[bytes] = []

    def listen(client: IMAPClient) -> None:
        client.socket().settimeout(60)
        heard.append(client._imap.readline())

    threads = [threading.Thread(target=listen, args=(it,)) for it in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(90)
    for client in clients:
        client.shutdown()
    assert len(heard) == 10
    assert all(b"EXISTS" in line or b"RECENT" in line for line in heard)


def test_secrets_are_for_this_account_only(servers: MailServers) -> None:
    assert stat.S_IMODE(servers.directory.stat().st_mode) == 0o700
    for name in ("mail.json", "mailboxes/pymap-etc-shadow", "imap.log", "smtp.log"):
        assert stat.S_IMODE((servers.directory / name).stat().st_mode) == 0o600
    password = servers.home.password(BUYER)
    assert len(password) >= 20
    assert password not in repr(servers.home)


def test_another_process_joins_and_leaves_the_servers_alone(
    servers: MailServers,
) -> None:
    with mail.start(servers.directory) as joined:
        assert joined.home == servers.home
        assert not joined.owned
    assert mail.read(servers.directory) == servers.home
    talk(servers.home, ORDERS).logout()


def test_ports_passwords_and_mail_last_over_a_restart(mail_directory: Path) -> None:
    directory = mail_directory / "lasting"
    with mail.start(directory) as servers:
        before = servers.home
        submit(before, BUYER, f"From: {BUYER}\r\n\r\nx\r\n".encode())
    with mail.start(directory, others=[BUYER, "new@example.net"]) as servers:
        after = servers.home
        assert (after.imap_port, after.smtp_port) == (
            before.imap_port,
            before.smtp_port,
        )
        assert after.users.items() > before.users.items()
        assert len(take(after)) == 1
        talk(after, "new@example.net").logout()


def test_servers_end_with_a_killed_supervisor_and_start_again(
    mail_directory: Path,
) -> None:
    directory = mail_directory / "killed"
    supervisor = subprocess.Popen(
        [sys.executable, "-c", SUPERVISE, str(directory)],
        stdout=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert supervisor.stdout is not None
    try:
        pids = [int(it) for it in supervisor.stdout.readline().split()]
        home = mail.read(directory)
        assert home is not None
        submit(home, BUYER, f"From: {BUYER}\r\n\r\nx\r\n".encode())
    finally:
        supervisor.send_signal(signal.SIGKILL)
        supervisor.wait(30)
        supervisor.stdout.close()
    lock = directory / "mailboxes" / ORDERS / "dovecot-uidlist.lock"
    lock.touch()  # as a killed server may leave it
    with mail.start(directory) as servers:
        assert servers.owned
        assert servers.home.users == home.users
        assert len(take(servers.home)) == 1
    for pid in pids:
        eventually(partial(is_gone, pid), "the old servers are gone")


def is_gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state == "Z"


def test_a_port_that_is_taken_is_named(mail_directory: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as other,
        pytest.raises(MailNotStarted, match=str(other.getsockname()[1])),
    ):
        mail.start(mail_directory / "taken", imap_port=other.getsockname()[1])


def test_a_user_that_is_no_address_is_refused(mail_directory: Path) -> None:
    for name in ("../../etc/passwd@x", "nobody", "a:b@c", ".@x", "a/b@c.d"):
        with pytest.raises(MailNotStarted, match="cannot be a user"):
            mail.start(mail_directory / "names", others=[name])


def test_a_directory_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(MailNotStarted, match="file"):
        mail.start(tmp_path / "file" / "mail")
    assert mail.read(tmp_path) is None


def test_stopping_twice_is_allowed_and_frees_everything(
    mail_directory: Path, open_mailbox: OpenMailbox
) -> None:
    servers = mail.start(mail_directory / "twice")
    home = servers.home
    servers.stop()
    servers.stop()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((home.host, home.imap_port), timeout=30)
    account = MailAccount(
        home.host, home.imap_port, Security.PLAIN, ORDERS, Password("x")
    )
    assert "x" not in repr(account.login)
