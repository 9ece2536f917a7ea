"""Accounts are checked before they are used, and say nothing secret."""

import imaplib
import socket
import ssl
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from mpms.adapters.mail_account import (
    AccountInvalid,
    Google,
    Microsoft,
    Password,
    Security,
    SmtpAccount,
    TokenUnavailable,
    XOAuth2,
    expiry_warning,
    explain,
    is_loopback,
    tls_context,
)
from mpms.factory.adapters.mail.account import MailAccount

PLACE = "the mail server mail.example.com:993"


def account(**changes: Any) -> MailAccount:
    settings: dict[str, Any] = {
        "host": "mail.example.com",
        "port": 993,
        "security": Security.TLS,
        "user": "orders@example.com",
        "login": Password("secret"),
    }
    return MailAccount(**settings | changes)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"security": Security.PLAIN}, "Without TLS only this machine"),
        ({"host": ""}, "not the name of a mail server"),
        ({"host": "a b"}, "not the name of a mail server"),
        ({"port": 0}, "not a port"),
        ({"port": 70000}, "not a port"),
        ({"user": ""}, "needs a user name"),
        ({"user": "a\r\nb"}, "needs a user name"),
        ({"login": Password("a\nb")}, "needs a user name"),
        ({"folder": ""}, "not the name of a mail folder"),
        ({"folder": "a\r\nb"}, "not the name of a mail folder"),
        ({"limit_bytes": 0}, "above zero"),
    ],
)
def test_an_account_that_cannot_work_is_refused(
    changes: dict[str, Any], words: str
) -> None:
    with pytest.raises(AccountInvalid, match=words):
        account(**changes)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "localhost"])
def test_this_machine_may_be_talked_to_without_tls(host: str) -> None:
    assert is_loopback(host)
    assert account(host=host, security=Security.PLAIN).host == host


@pytest.mark.parametrize("host", ["10.0.0.1", "localhost.example.com", "::", ""])
def test_other_machines_are_not_taken_for_this_one(host: str) -> None:
    assert not is_loopback(host)


def test_replies_need_an_address_they_come_from() -> None:
    for sender in ("nobody", "a@b\r\nBcc: c@d"):
        with pytest.raises(AccountInvalid, match="not a mail address"):
            SmtpAccount("mail.example.com", 465, Security.TLS, sender)
    with pytest.raises(AccountInvalid, match="Without TLS"):
        SmtpAccount("mail.example.com", 25, Security.PLAIN, "a@b.c")
    with pytest.raises(AccountInvalid, match="needs a user"):
        SmtpAccount("h", 465, Security.TLS, "a@b.c", login=Password("x"))


def test_the_name_of_a_mailbox_depends_on_neither_port_nor_password() -> None:
    other = account(port=143, security=Security.STARTTLS, login=Password("new"))
    assert account().name == other.name == "mail.example.com/orders@example.com"


def test_secrets_do_not_show() -> None:
    logins = [Password("s3cret"), Microsoft("tenant", "application", "s3cret")]
    for login in logins:
        assert "s3cret" not in repr(account(login=login))


def test_a_certificate_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(AccountInvalid, match=r"no\.pem"):
        tls_context(tmp_path / "no.pem")
    (tmp_path / "bad.pem").write_text("nonsense")
    with pytest.raises(AccountInvalid, match=r"bad\.pem"):
        tls_context(tmp_path / "bad.pem")
    context = tls_context(None)
    assert context.check_hostname
    assert context.verify_mode is ssl.CERT_REQUIRED


@pytest.mark.parametrize(
    ("days", "words"),
    [(31, None), (30, "in 30 days"), (1, "in 1 days"), (0, "expired"), (-5, "expired")],
)
def test_a_client_secret_that_ends_soon_is_announced(
    days: int, words: str | None
) -> None:
    today = date(2026, 11, 1)
    ends_on = date.fromordinal(today.toordinal() + days)
    login = Microsoft("tenant", "application", "secret", ends_on)
    warning = expiry_warning(login, today)
    assert warning is None if words is None else words in (warning or "")


def test_other_logins_have_nothing_that_expires() -> None:
    today = date(2026, 11, 1)
    for login in (None, Password("x"), Google(Path("k")), Microsoft("t", "a", "s")):
        assert expiry_warning(login, today) is None


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionRefusedError(111, "x"), "cannot be reached: connection refused"),
        (TimeoutError("timed out"), "did not answer in time"),
        (socket.gaierror(-2, "Name or service not known"), "cannot be found"),
        (ConnectionResetError(104, "x"), "closed the connection"),
        (EOFError(), "closed the connection"),
        (imaplib.IMAP4.abort("EOF"), "closed the connection"),
        (imaplib.IMAP4.error("NO way"), "refused: NO way"),
        (imaplib.IMAP4.readonly("INBOX"), "lets nobody write"),
        (ssl.SSLError(1, "[SSL] wrong version number"), "no encrypted connection"),
        (OSError(113, "No route to host"), "cannot be reached: No route to host"),
        (TokenUnavailable("no token"), "no token"),
        (IndexError("oops"), "makes no sense"),
    ],
)
def test_every_failure_has_plain_words(error: Exception, words: str) -> None:
    assert words in explain(error, PLACE)


def test_a_second_challenge_is_answered_with_nothing() -> None:
    answer = XOAuth2("orders@example.com", "token")
    assert answer(b"") == "user=orders@example.com\1auth=Bearer token\1\1"
    assert answer(b'{"status":"401"}') == ""
    assert answer() == ""
