"""A mail account is described by settings; a bad one is named."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mpms.adapters.mail_account import (
    AccountInvalid,
    Google,
    Microsoft,
    Password,
    Security,
)
from mpms.bootstrap.mail import MailDesk, MailFilesInvalid, mail_desk
from mpms.factory.domain.order_mail import CatalogueInvalid
from mpms.factory.ports.mail.mailbox import MailMessage, MailMessageId
from mpms.settings import SettingInvalid, Settings

IMAP = "imaps://orders@plant.example.com:hush-hush@mail.example.com"
SMTP = "smtps://orders@plant.example.com:hush-hush@mail.example.com"


@contextmanager
def desk_of(**settings: Any) -> Iterator[MailDesk]:
    defaults = {"MPMS_IMAP_URL": IMAP, "MPMS_SMTP_URL": SMTP}
    environment = defaults | {f"MPMS_{name}": value for name, value in settings.items()}
    desk = mail_desk(Settings.read({k: v for k, v in environment.items() if v}))
    assert desk is not None
    try:
        yield desk
    finally:
        desk.close()


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (IMAP, ("mail.example.com", 993, Security.TLS)),
        ("imaps://u:p@h.example.com:1993", ("h.example.com", 1993, Security.TLS)),
        (
            "imap+starttls://u:p@h.example.com",
            ("h.example.com", 143, Security.STARTTLS),
        ),
        ("imap://u:p@127.0.0.1:1143", ("127.0.0.1", 1143, Security.PLAIN)),
        ("imap://u:p@[::1]", ("::1", 143, Security.PLAIN)),
    ],
)
def test_a_mailbox_is_one_url(url: str, expected: tuple[str, int, Security]) -> None:
    with desk_of(IMAP_URL=url, MAIL_FROM="orders@plant.example.com") as desk:
        account = desk.mailbox.account
        assert (account.host, account.port, account.security) == expected
        assert account.folder == "INBOX"


@pytest.mark.parametrize(
    ("url", "port", "security"),
    [
        (SMTP, 465, Security.TLS),
        ("smtp+starttls://u:p@h.example.com", 587, Security.STARTTLS),
        ("smtp://127.0.0.1", 25, Security.PLAIN),
    ],
)
def test_replies_leave_by_one_url(url: str, port: int, security: Security) -> None:
    with desk_of(SMTP_URL=url) as desk:
        account = desk.mail_sender.account
        assert (account.port, account.security) == (port, security)
        assert account.sender == "orders@plant.example.com"


def test_special_characters_are_written_in_percent_form() -> None:
    url = "imaps://orders%40plant.example.com:p%40ss%2Fw%23rd%3F@h.example.com/In%20box"
    with desk_of(IMAP_URL=url) as desk:
        account = desk.mailbox.account
        assert account.user == "orders@plant.example.com"
        assert account.login == Password("p@ss/w#rd?")
        assert account.folder == "In box"


def test_passwords_are_never_shown() -> None:
    settings = Settings.read({"MPMS_IMAP_URL": IMAP, "MPMS_SMTP_URL": SMTP})
    with desk_of() as desk:
        shown = repr((settings, desk.mailbox.account, desk.mail_sender.account))
    assert "hush-hush" not in shown


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"IMAP_URL": "mail.example.com"}, "MPMS_IMAP_URL"),
        ({"IMAP_URL": "https://u:p@mail.example.com"}, "MPMS_IMAP_URL"),
        ({"IMAP_URL": "smtps://u:p@mail.example.com"}, "MPMS_IMAP_URL"),
        ({"IMAP_URL": "imaps://"}, "MPMS_IMAP_URL"),
        ({"IMAP_URL": "imaps://u:p@[::1"}, "MPMS_IMAP_URL"),
        ({"IMAP_URL": "imaps://u:p#w@mail.example.com"}, "percent form"),
        ({"IMAP_URL": "imaps://u:p?w@mail.example.com"}, "percent form"),
        ({"IMAP_URL": "imaps://u:p@mail.example.com:99999"}, "MPMS_IMAP_URL.*port"),
        ({"IMAP_URL": "imaps://u:p@mail.example.com:0"}, "MPMS_IMAP_URL.*port"),
        ({"IMAP_URL": "imaps://u:p@mail.example.com:x"}, "MPMS_IMAP_URL.*port"),
        ({"IMAP_URL": "imaps://u@mail.example.com"}, "MPMS_IMAP_URL.*password"),
        ({"IMAP_URL": "imaps://:p@mail.example.com"}, "MPMS_IMAP_URL.*user"),
        ({"IMAP_URL": "imap://u:p@mail.example.com"}, "MPMS_IMAP_URL.*TLS"),
        ({"SMTP_URL": "smtp://u:p@mail.example.com"}, "MPMS_SMTP_URL.*TLS"),
        ({"SMTP_URL": "imaps://u:p@mail.example.com"}, "MPMS_SMTP_URL"),
        ({"SMTP_URL": "smtps://u@mail.example.com"}, "MPMS_SMTP_URL.*password"),
        ({"SMTP_URL": ""}, "MPMS_SMTP_URL is needed"),
        ({"MAIL_FROM": "orders"}, "MPMS_MAIL_FROM.*address"),
        ({"IMAP_URL": "imaps://u:p@mail.example.com"}, "MPMS_MAIL_FROM.*address"),
        ({"MICROSOFT_TENANT": "t"}, "CLIENT_ID and MPMS_MICROSOFT_CLIENT_SECRET"),
        ({"MICROSOFT_CLIENT_SECRET": "t"}, "lacks MPMS_MICROSOFT_TENANT"),
    ],
)
def test_a_bad_account_is_named(settings: dict[str, str], named: str) -> None:
    with pytest.raises(AccountInvalid, match=named), desk_of(**settings):
        pass


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MPMS_RELEASE_ABOVE_KG", "many"),
        ("MPMS_RELEASE_ABOVE_KG", "-1"),
        ("MPMS_RELEASE_FIRST_ORDER", "maybe"),
        ("MPMS_MICROSOFT_SECRET_EXPIRES_ON", "soon"),
    ],
)
def test_a_bad_value_is_named(name: str, value: str) -> None:
    with pytest.raises(SettingInvalid, match=name):
        Settings.read({name: value})


def test_no_mailbox_is_no_desk() -> None:
    assert mail_desk(Settings.read({"MPMS_SMTP_URL": SMTP})) is None


def test_microsoft_logs_in_with_its_secret_and_warns_before_it_expires() -> None:
    microsoft = {
        "MICROSOFT_TENANT": "tenant",
        "MICROSOFT_CLIENT_ID": "application",
        "MICROSOFT_CLIENT_SECRET": "hush",
        "IMAP_URL": "imaps://orders%40plant.example.com@outlook.office365.com",
        "SMTP_URL": "smtp+starttls://orders%40plant.example.com@smtp.office365.com",
    }
    today = datetime.now(UTC).date()
    for days, worries in ((3, True), (90, False)):
        expires_on = str(today + timedelta(days=days))
        with desk_of(**microsoft, MICROSOFT_SECRET_EXPIRES_ON=expires_on) as desk:
            assert isinstance(desk.mailbox.account.login, Microsoft)
            assert isinstance(desk.mail_sender.account.login, Microsoft)
            assert ("expires" in (desk.concern() or "")) is worries


def test_google_logs_in_with_a_key_file_and_not_with_two_logins(
    tmp_path: Path,
) -> None:
    google = {
        "GOOGLE_KEY_FILE": str(tmp_path / "key.json"),
        "IMAP_URL": "imaps://orders%40plant.example.com@imap.gmail.com",
        "SMTP_URL": "smtps://orders%40plant.example.com@smtp.gmail.com",
    }
    with desk_of(**google) as desk:
        assert isinstance(desk.mailbox.account.login, Google)
    both = {"MICROSOFT_TENANT": "t", "MICROSOFT_CLIENT_ID": "i"}
    with (
        pytest.raises(AccountInvalid, match="either MPMS_GOOGLE_KEY_FILE"),
        desk_of(**google, **both, MICROSOFT_CLIENT_SECRET="s"),
    ):
        pass


def test_files_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    missing, bad = tmp_path / "senders.json", tmp_path / "catalogue.json"
    bad.write_text("[]")
    with (
        pytest.raises(MailFilesInvalid, match=r"senders\.json"),
        desk_of(SENDERS=str(missing)),
    ):
        pass
    with pytest.raises(CatalogueInvalid), desk_of(CATALOGUE=str(bad)):
        pass


def test_our_own_dkim_check_is_asked_only_where_it_is_switched_on() -> None:
    with desk_of() as desk:
        assert desk.prove is None
    with desk_of(CHECK_DKIM="yes") as desk:
        assert desk.prove is not None
        assert desk.prove(b"From: a@example.com\r\n\r\nunsigned\r\n") == frozenset()


def test_a_sender_whose_domain_we_proved_needs_no_result_of_the_mail_host() -> None:
    raw = (
        b"From: buyer@example.com\r\nMessage-ID: <1@example.com>\r\n"
        b"Subject: MO-2026-0009\r\n\r\nOrder: MO-2026-0009\r\n\r\nMaterials:\r\n"
        b"RM-001 5 kg\r\n"
    )
    message = MailMessage(MailMessageId("a", "INBOX", 1, 1), len(raw), raw)
    with desk_of() as desk:
        assert desk.read(message).codes == ("sender_not_authenticated",)
        proving = replace(desk, prove=lambda raw: frozenset({"example.com"}))
        assert proving.read(message).outcome == "accepted"
