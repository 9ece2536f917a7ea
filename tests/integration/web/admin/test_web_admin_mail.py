"""The mail test says at which step it stops, against real servers and stopped ones."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from mpms.adapters.mail_account import (
    Password,
    Security,
    SmtpAccount,
)
from mpms.bootstrap.mail import mail_accounts
from mpms.embedded import mail
from mpms.embedded.mail import MailHome
from mpms.factory.adapters.mail.account import MailAccount
from mpms.factory.adapters.mail.servers_check import ServersCheck
from mpms.factory.ports.checks import CheckStep
from mpms.settings import Settings
from tests.support.web_admin import Office

WRONG = "not-the-password-4711"


@pytest.fixture(scope="module")
def servers(postgres_directory: Path) -> Iterator[mail.MailServers]:
    directory = postgres_directory / f"mail-{uuid4().hex[:8]}"
    started = mail.start(directory)
    yield started
    started.stop()


@pytest.fixture
def home(servers: mail.MailServers) -> MailHome:
    return servers.home


def check(home: MailHome, password: str | None = None, **ports: int) -> ServersCheck:
    login = Password(password or home.password(home.orders))
    imap = ports.get("imap", home.imap_port)
    smtp = ports.get("smtp", home.smtp_port)
    return ServersCheck(
        MailAccount(home.host, imap, Security.PLAIN, home.orders, login),
        SmtpAccount(home.host, smtp, Security.PLAIN, home.orders, home.orders, login),
        lambda account: None,
    )


def imap_steps(checks: ServersCheck) -> list[CheckStep]:
    steps: list[CheckStep] = []
    checks.imap(steps.append)
    return steps


def messages(home: MailHome) -> int:
    return int(str(imap_steps(check(home))[-1].values["messages"]))


def smtp_steps(checks: ServersCheck, send: bool = False) -> list[CheckStep]:
    steps: list[CheckStep] = []
    checks.smtp(steps.append, send=send)
    return steps


def told(steps: list[CheckStep]) -> list[tuple[str, bool | None]]:
    return [(step.name, step.ok) for step in steps]


def test_a_working_account_passes_every_step(home: MailHome) -> None:
    checks = check(home)
    reached = [("resolve", True), ("connect", True), ("tls", None), ("login", True)]
    assert told(imap_steps(checks)) == [*reached, ("folder", True)]
    assert told(smtp_steps(checks)) == reached


def test_a_message_to_ourselves_arrives(home: MailHome) -> None:
    before = messages(home)
    assert told(smtp_steps(check(home), send=True))[-1] == ("send", True)
    assert messages(home) == before + 1


def test_a_wrong_password_is_the_login_and_never_told(home: MailHome) -> None:
    for steps in (imap_steps(check(home, WRONG)), smtp_steps(check(home, WRONG))):
        last = steps[-1]
        assert (last.name, last.ok, last.cause) == ("login", False, "login")
        assert WRONG not in str(steps)


def test_a_stopped_server_is_the_connection(home: MailHome) -> None:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        checks = check(home, imap=port, smtp=port)
        for steps in (imap_steps(checks), smtp_steps(checks)):
            last = steps[-1]
            assert (last.name, last.ok, last.cause) == ("connect", False, "refused")


def test_a_server_without_tls_or_without_a_name_is_told_apart(home: MailHome) -> None:
    login = Password("x" * 12)
    plain = MailAccount(
        "localhost", home.imap_port, Security.TLS, "orders@plant.example.com", login
    )
    steps = imap_steps(ServersCheck(plain, None, lambda account: None))
    assert told(steps)[-1] == ("tls", False)
    nowhere = MailAccount("no-such-host.invalid", 993, Security.TLS, "o@x.org", login)
    steps = imap_steps(ServersCheck(nowhere, None, lambda account: None))
    assert [(s.name, s.cause) for s in steps] == [("resolve", "not_found")]


def test_the_page_tests_the_account_of_the_settings_and_explains(
    office: Office, home: MailHome
) -> None:
    assert mail_accounts(Settings(), None) == (None, None)
    account, out = mail_accounts(Settings(), home)
    checks = ServersCheck(account, out, lambda a: None)
    adam = office.browser_of("adam", mail_check=checks)
    page = adam.get("/admin/mail").text
    assert f"127.0.0.1:{home.imap_port}" in page
    answer = adam.post("/admin/mail/test", data={"server": "imap"})
    assert "Everything that was tried works." in answer.text
    broken = check(home, WRONG)
    answer = office.browser_of("adam", mail_check=broken).post(
        "/admin/mail/test", data={"server": "smtp"}, headers={"HX-Request": "true"}
    )
    assert "It stops at: Log in" in answer.text
    assert "app password" in answer.text
    assert WRONG not in answer.text
    assert home.password(home.orders) not in page + answer.text
    assert [data["worked"] for _, data in office.told("connection tested")] == [
        True,
        False,
    ]


def test_without_settings_the_page_says_so(office: Office) -> None:
    adam = office.browser_of("adam")
    answer = adam.post("/admin/mail/test", data={"server": "imap"})
    assert "No server is set." in answer.text
