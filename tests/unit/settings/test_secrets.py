"""Secrets come from files and from systemd's credentials, in one way only."""

from __future__ import annotations

from pathlib import Path

import pytest

from mpms.domain.settings import SettingInvalid
from mpms.factory.settings import FactorySettings
from mpms.settings import Settings, secret_variables
from mpms.settings.shown import settings_shown

URL = "postgresql://mpms:pass-word@db.plant.example/mpms"
IMAP = "imaps://orders:pass-word@mail.plant.example/INBOX"


def kept(directory: Path, name: str, content: str) -> str:
    file = directory / name
    file.write_text(content)
    return str(file)


def test_every_secret_of_the_core_can_stand_in_a_file(tmp_path: Path) -> None:
    values = {each: f"secret of {each}" for each in secret_variables()}
    values["MPMS_DATABASE_URL"] = URL
    environment = {
        f"{name}_FILE": kept(tmp_path, name, f"{value}\n")
        for name, value in values.items()
    }
    read = Settings.read(environment)
    found = {n: getattr(read, n.removeprefix("MPMS_").lower()) for n in values}
    assert found == values
    assert len(values) >= 5


def test_an_address_of_a_plugin_with_a_password_can_stand_in_a_file(
    tmp_path: Path,
) -> None:
    read = Settings.read({"MPMS_IMAP_URL_FILE": kept(tmp_path, "imap", IMAP)})
    assert FactorySettings.of(read).imap_url == IMAP


def test_a_credential_of_systemd_is_read_by_itself(tmp_path: Path) -> None:
    kept(tmp_path, "MPMS_DATABASE_URL", URL)
    kept(tmp_path, "MPMS_IMAP_URL", IMAP)
    kept(tmp_path, "of_something_else", "never looked at")
    read = Settings.read({"CREDENTIALS_DIRECTORY": str(tmp_path)})
    assert (read.database_url, FactorySettings.of(read).imap_url) == (URL, IMAP)


def test_a_secret_that_is_given_twice_stops_the_program(tmp_path: Path) -> None:
    file = kept(tmp_path, "MPMS_DATABASE_URL", URL)
    for environment in (
        {"MPMS_DATABASE_URL": URL, "MPMS_DATABASE_URL_FILE": file},
        {"MPMS_DATABASE_URL": URL, "CREDENTIALS_DIRECTORY": str(tmp_path)},
        {"MPMS_DATABASE_URL_FILE": file, "CREDENTIALS_DIRECTORY": str(tmp_path)},
    ):
        with pytest.raises(SettingInvalid, match=r"MPMS_DATABASE_URL.* both set"):
            Settings.read(environment)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read: No such file"),
        (b"", "does not hold one line"),
        (b"one\ntwo\n", "does not hold one line"),
        (b"\xff\xfe", "not text"),
        (b"x" * 70_000, "larger than 64 kB"),
    ],
)
def test_a_file_that_is_no_secret_is_named_but_never_shown(
    tmp_path: Path, content: bytes | None, why: str
) -> None:
    file = tmp_path / "token"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SettingInvalid, match=f"MPMS_METRICS_TOKEN_FILE.*{why}"):
        Settings.read({"MPMS_METRICS_TOKEN_FILE": str(file)})


def test_only_secrets_can_be_given_so(tmp_path: Path) -> None:
    with pytest.raises(SettingInvalid, match="MPMS_WEB_PORT_FILE is not a setting"):
        Settings.read({"MPMS_WEB_PORT_FILE": kept(tmp_path, "port", "8080")})


def test_the_page_of_settings_says_that_a_value_stands_in_a_file(
    tmp_path: Path,
) -> None:
    environment = {"MPMS_METRICS_TOKEN_FILE": kept(tmp_path, "token", "abc-def")}
    shown = settings_shown(Settings.read(environment), environment, "")
    token = next(each for each in shown if each.name == "MPMS_METRICS_TOKEN")
    assert token.source == "file"
    assert "abc-def" not in token.value
