"""``mpms orders``: check, send, list, release, refuse."""

from __future__ import annotations

import json
from email import message_from_bytes
from pathlib import Path

import pytest

from mpms import cli
from mpms.embedded.mail import MailServers
from mpms.factory.services.mail.receive import ReleaseRules
from tests.support.mail_office import MailOffice, write_order

DATA = Path(__file__).resolve().parents[2] / "data" / "orders"
BUYER = "orders@brightcoat.example.com"


@pytest.fixture
def settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, database_url: str
) -> pytest.MonkeyPatch:
    """A database and a state directory; no mail server is configured."""
    monkeypatch.setenv("MPMS_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("MPMS_DATABASE_URL", database_url)
    return monkeypatch


@pytest.fixture
def waiting(office: MailOffice) -> MailOffice:
    """An office with one order that waits."""
    office.send(write_order("MO-2026-0001"))
    object.__setattr__(office.intake, "rules", ReleaseRules(first_of_sender=True))
    office.intake()
    return office


def test_check_says_what_becomes_of_every_sample(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert cli.main(["orders", "check", str(DATA)]) == 0
    found = {entry["file"]: entry for entry in json.loads(capsys.readouterr().out)}
    expected = json.loads((DATA / "expected.json").read_text())["messages"]
    assert len(expected) == len(found) == 15
    for entry in expected:
        mine = found[entry["file"]]
        assert (mine["outcome"], mine["reply"]) == (entry["outcome"], entry["reply"])
        if "reason" in entry:
            assert entry["reason"] in mine["reasons"]


@pytest.mark.usefixtures("settings")
def test_send_hands_the_message_to_the_embedded_server(
    mail_servers: MailServers, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "order.eml"
    path.write_bytes(write_order("MO-2026-0001"))
    assert cli.main(["orders", "send", str(path)]) == 0
    assert "order.eml: handed to" in capsys.readouterr().out
    folder = mail_servers.mailboxes / mail_servers.home.orders / "new"
    (file,) = folder.iterdir()
    taken = message_from_bytes(file.read_bytes())
    assert taken["Message-ID"] == "<MO-2026-0001@example.com>"
    assert "dmarc=pass" in taken["Authentication-Results"]


def test_send_hands_the_message_to_the_configured_server(
    mail_servers: MailServers,
    settings: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    home = mail_servers.home
    login = f"{BUYER}:{home.password(BUYER)}"
    settings.setenv("MPMS_SMTP_URL", f"smtp://{login}@{home.host}:{home.smtp_port}")
    path = tmp_path / "order.eml"
    path.write_bytes(write_order("MO-2026-0001"))
    assert cli.main(["orders", "send", str(path)]) == 0
    assert len(list((mail_servers.mailboxes / home.orders / "new").iterdir())) == 1
    path.write_bytes(b"From: orders@brightcoat.example.com\r\n\r\nhello\r\n")
    assert cli.main(["orders", "send", str(path)]) == 1


@pytest.mark.usefixtures("settings")
def test_send_names_what_is_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "order.eml"
    assert cli.main(["orders", "send", str(path)]) == 1
    assert "order.eml" in capsys.readouterr().err
    path.write_bytes(b"Subject: nobody\r\n\r\n")
    assert cli.main(["orders", "send", str(path)]) == 1
    assert "does not say who it is from" in capsys.readouterr().err
    path.write_bytes(write_order("MO-2026-0001"))
    assert cli.main(["orders", "send", str(path)]) == 1
    assert "MPMS_SMTP_URL" in capsys.readouterr().err


@pytest.mark.usefixtures("settings", "mail_servers")
def test_send_tells_who_may_use_the_embedded_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "order.eml"
    path.write_bytes(write_order("MO-2026-0001", sender="nobody@example.com"))
    assert cli.main(["orders", "send", str(path)]) == 1
    assert BUYER in capsys.readouterr().err


@pytest.mark.usefixtures("settings")
def test_list_shows_where_orders_stand(
    waiting: MailOffice, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["orders", "list"]) == 0
    assert capsys.readouterr().out.split("  ")[:2] == [
        "MO-2026-0001",
        "waiting for release",
    ]


@pytest.mark.usefixtures("settings")
def test_release_lets_an_order_be_made_once(
    waiting: MailOffice, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["orders", "release", "MO-2026-0001"]) == 0
    assert waiting.rows("SELECT status FROM orders") == [("new",)]
    assert cli.main(["orders", "release", "MO-2026-0001"]) == 1
    assert "does not wait: it is new" in capsys.readouterr().err
    assert cli.main(["orders", "release", "MO-2026-0404"]) == 1
    assert "There is no order MO-2026-0404" in capsys.readouterr().err
    assert cli.main(["orders", "release", "\udcff"]) == 1


@pytest.mark.usefixtures("settings")
def test_refuse_tells_the_buyer_why(
    waiting: MailOffice, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["orders", "refuse", "MO-2026-0001", "--why", " "]) == 1
    assert "Enter a reason" in capsys.readouterr().err
    refuse = ["orders", "refuse", "MO-2026-0001", "--why", "no tank is free"]
    assert cli.main(refuse) == 0
    waiting.send_replies()
    bodies = [m.get_payload(decode=True) for m in waiting.received()]
    assert sum(b"no tank is free" in body for body in bodies) == 1
    assert waiting.rows("SELECT status FROM orders") == [("cancelled",)]


def test_a_bad_mail_setting_is_one_sentence(
    settings: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    settings.setenv("MPMS_IMAP_URL", "imap://u:p@mail.example.com")
    settings.setenv("MPMS_SMTP_URL", "smtps://u:p@mail.example.com")
    assert cli.main(["work"]) == 1
    said = capsys.readouterr().err
    assert said.startswith("mpms: MPMS_IMAP_URL: Without TLS")
    assert len(said.splitlines()) == 1
