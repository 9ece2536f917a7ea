"""Replies on their way: through the embedded server, and through others with TLS."""

import base64
import contextlib
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult

from mpms.adapters.mail_account import (
    Microsoft,
    Password,
    Security,
    SmtpAccount,
)
from mpms.adapters.smtp import SmtpSender
from mpms.embedded import mail
from mpms.embedded.mail import MailServers
from mpms.factory.adapters.mail.account import MailAccount
from mpms.ports.outgoing_mail import MailServerAway, Reply
from tests.support.certificates import Certificates
from tests.support.mail_servers import free_port
from tests.support.mailbox import OpenMailbox, list_messages, raw_of

SENDER = "orders@plant.example.com"
BUYER = mail.BUYER


RunServer = Callable[..., AbstractContextManager[int]]


def reply(number: int = 1, **changes: Any) -> Reply:
    settings: dict[str, Any] = {
        "id": f"reply-{number}",
        "to": BUYER,
        "subject": "Sipariş kabul edildi",
        "body": "Çok teşekkürler.\n",
        "in_reply_to": "<order-1@harbourpaints.example.org>",
    }
    return Reply(**settings | changes)


def mail_sender(
    servers: mail.MailServers, user: str = SENDER, **changes: Any
) -> SmtpSender:
    home = servers.home
    login = Password(home.password(user))
    settings: dict[str, Any] = {"sender": user, "user": user, "login": login}
    return SmtpSender(
        SmtpAccount(home.host, home.smtp_port, Security.PLAIN, **settings | changes)
    )


def box_of(servers: mail.MailServers, user: str) -> MailAccount:
    home = servers.home
    login = Password(home.password(user))
    return MailAccount(home.host, home.imap_port, Security.PLAIN, user, login)


def test_a_reply_lands_in_the_buyers_mailbox_once(
    servers: MailServers, open_mailbox: OpenMailbox
) -> None:
    assert mail_sender(servers).send([reply(1), reply(2)]) == ["reply-1", "reply-2"]
    # As after a crash before the success was noted:
    assert mail_sender(servers).send([reply(1)]) == ["reply-1"]
    with open_mailbox(box_of(servers, BUYER)).open() as session:
        messages = [raw_of(session, it) for it in list_messages(session, 2)]
    first = next(raw for raw in messages if b"<reply-1@" in raw)
    for line in (
        b"Auto-Submitted: auto-replied\r\n",
        b"In-Reply-To: <order-1@harbourpaints.example.org>\r\n",
        b"References: <order-1@harbourpaints.example.org>\r\n",
        b"Message-ID: <reply-1@plant.example.com>\r\n",
        b"dmarc=pass header.from=plant.example.com",
    ):
        assert line in first


def test_a_recipient_nobody_knows_does_not_hold_up_the_others(
    servers: MailServers,
) -> None:
    post = mail_sender(servers)
    stranger = reply(10, to="nobody@elsewhere.example.org")
    broken = reply(11, to="a@b.example.org\r\nBcc: c@d.example.org")
    assert post.send([stranger, broken, reply(12)]) == ["reply-12"]
    assert set(post.refusals) == {"reply-10", "reply-11"}
    assert "550" in post.refusals["reply-10"]


def test_nothing_to_send_asks_nobody(unused_port: int) -> None:
    account = SmtpAccount("127.0.0.1", unused_port, Security.PLAIN, SENDER)
    assert SmtpSender(account).send([]) == []


def test_a_server_that_is_not_there_is_named_to_the_postman(unused_port: int) -> None:
    account = SmtpAccount("127.0.0.1", unused_port, Security.PLAIN, SENDER)
    with pytest.raises(MailServerAway, match="connection refused"):
        SmtpSender(account).send([reply()])


def test_a_wrong_password_is_named_to_the_postman(servers: MailServers) -> None:
    with pytest.raises(MailServerAway, match=f"password of {SENDER}"):
        mail_sender(servers, login=Password("wrong")).send([reply()])


def test_without_a_login_the_embedded_server_takes_nothing(
    servers: MailServers,
) -> None:
    post = mail_sender(servers, login=None)
    assert post.send([reply(20)]) == []
    assert "530" in post.refusals["reply-20"]


def test_a_message_written_elsewhere_is_handed_over_as_it_is(
    servers: MailServers, open_mailbox: OpenMailbox
) -> None:
    raw = f"From: {BUYER}\nSubject: MO-2026-0001\n\n.\n..\nçay\n".encode()
    mail_sender(servers, BUYER).send_raw(BUYER, [SENDER], raw)
    with open_mailbox(box_of(servers, SENDER)).open() as session:
        (message,) = list_messages(session, 1)
        taken = raw_of(session, message)
        session.file_away(message, "Processed")
    assert taken.endswith(raw.replace(b"\n", b"\r\n"))
    assert b"dmarc=pass header.from=harbourpaints.example.org" in taken


class Odd:
    """Takes what it is told to take."""

    def __init__(self) -> None:
        self.taken: list[bytes] = []
        self.answers: list[str] = []

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer == "drop":
            server.transport.close()
            return "421 going"
        if answer.startswith("250"):
            self.taken.append(envelope.content)
        return answer


@pytest.fixture
def odd() -> Odd:
    return Odd()


@pytest.fixture
def plain_server() -> RunServer:
    @contextlib.contextmanager
    def run(handler: Odd, **options: Any) -> Iterator[int]:
        controller = Controller(
            handler,
            hostname="127.0.0.1",
            port=free_port(),
            ready_timeout=60,
            **options,
        )
        controller.start()
        try:
            yield controller.port
        finally:
            controller.stop()

    return run


def test_the_ids_before_a_lost_connection_are_returned(
    odd: Odd, plain_server: RunServer
) -> None:
    odd.answers = ["250 OK", "drop"]
    with plain_server(odd) as port:
        post = SmtpSender(SmtpAccount("127.0.0.1", port, Security.PLAIN, SENDER))
        assert post.send([reply(1), reply(2), reply(3)]) == ["reply-1"]
        odd.answers = ["drop"]
        with pytest.raises(MailServerAway, match="closed the connection"):
            post.send([reply(2)])
        assert post.send([reply(2), reply(3)]) == ["reply-2", "reply-3"]


def test_a_reply_that_is_put_off_is_not_refused_for_good(
    odd: Odd, plain_server: RunServer
) -> None:
    odd.answers = ["451 later", "250 OK", "451 later"]
    with plain_server(odd) as port:
        post = SmtpSender(SmtpAccount("127.0.0.1", port, Security.PLAIN, SENDER))
        assert post.send([reply(1), reply(2)]) == ["reply-2"]
        assert post.refusals == {}
        with pytest.raises(MailServerAway, match="451"):
            post.send([reply(1)])
        assert post.send([reply(1)]) == ["reply-1"]


def test_a_stalled_mail_server_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        account = SmtpAccount("127.0.0.1", port, Security.PLAIN, SENDER)
        with pytest.raises(MailServerAway, match="in time"):
            SmtpSender(account, timeout_s=0.5).send([reply()])


def test_starttls_is_verified(
    odd: Odd, plain_server: RunServer, certificates: Certificates
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.cert, certificates.key)
    logins: list[tuple[str, bytes, bytes]] = []

    def authenticate(
        server: Any, session: Any, envelope: Any, mechanism: str, credentials: Any
    ) -> AuthResult:
        logins.append((mechanism, credentials.login, credentials.password))
        return AuthResult(success=True)

    with plain_server(
        odd, tls_context=context, authenticator=authenticate, auth_required=True
    ) as port:
        account = SmtpAccount(
            "localhost",
            port,
            Security.STARTTLS,
            SENDER,
            SENDER,
            Password("secret"),
            certificates.ca_file,
        )
        assert SmtpSender(account).send([reply()]) == ["reply-1"]
        stranger = SmtpAccount(
            "localhost",
            port,
            Security.STARTTLS,
            SENDER,
            ca_file=certificates.other_ca_file,
        )
        with pytest.raises(MailServerAway, match="certificate"):
            SmtpSender(stranger).send([reply()])
    assert [password for _, _, password in logins] == [b"secret"]


def test_tls_from_the_beginning_is_verified(
    odd: Odd, plain_server: RunServer, certificates: Certificates
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates.cert, certificates.key)

    with plain_server(odd, ssl_context=context) as port:
        account = SmtpAccount(
            "127.0.0.1", port, Security.TLS, SENDER, ca_file=certificates.ca_file
        )
        assert SmtpSender(account).send([reply()]) == ["reply-1"]
        stranger = SmtpAccount(
            "127.0.0.1", port, Security.TLS, SENDER, ca_file=certificates.other_ca_file
        )
        with pytest.raises(MailServerAway, match="certificate"):
            SmtpSender(stranger).send([reply()])


def test_a_server_without_starttls_gets_no_password(
    odd: Odd, plain_server: RunServer, certificates: Certificates
) -> None:
    with plain_server(odd) as port:
        account = SmtpAccount(
            "localhost",
            port,
            Security.STARTTLS,
            SENDER,
            SENDER,
            Password("secret"),
            certificates.ca_file,
        )
        with pytest.raises(MailServerAway, match="STARTTLS"):
            SmtpSender(account).send([reply()])


def test_a_token_is_used_where_there_is_no_password(plain_server: RunServer) -> None:
    seen: list[bytes] = []

    class Tokens(Odd):
        async def auth_XOAUTH2(self, server: Any, arguments: list[str]) -> AuthResult:
            seen.append(base64.b64decode(arguments[1]))
            return AuthResult(success=seen[-1].find(b"good") > 0, handled=False)

    login = Microsoft("tenant", "application", "secret")
    with plain_server(Tokens(), auth_require_tls=False) as port:
        account = SmtpAccount("127.0.0.1", port, Security.PLAIN, SENDER, SENDER, login)
        assert SmtpSender(account, lambda: "good").send([reply()]) == ["reply-1"]
        with pytest.raises(MailServerAway, match="access token"):
            SmtpSender(account, lambda: "bad").send([reply()])
        with pytest.raises(MailServerAway, match="source of access tokens"):
            SmtpSender(account).send([reply()])
    assert seen[0] == f"user={SENDER}\1auth=Bearer good\1\1".encode()
