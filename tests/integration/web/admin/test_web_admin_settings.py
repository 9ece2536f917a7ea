"""Settings with their source, logs to fetch, and no secret in any of it."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpms import assets
from mpms.domain import trace
from mpms.log_lines import OwnFile, log_files, start_log, without_secrets
from mpms.server.site import plant_desk
from mpms.settings import Settings
from mpms.settings.shown import settings_shown, without_password
from tests.support.web_admin import Office

SECRETS = ("s3cret-db-pw", "im%40p-pw-77", "im@p-pw-77", "smtp-pw-88", "client-99-xyz")
ENVIRONMENT = {
    "MPMS_DATABASE_URL": "postgresql://mpms:s3cret-db-pw@db.example.org:5432/mpms",
    "MPMS_IMAP_URL": "imaps://orders%40x.org:im%40p-pw-77@mail.example.org/INBOX",
    "MPMS_SMTP_URL": "smtps://orders%40x.org:smtp-pw-88@mail.example.org",
    "MPMS_MICROSOFT_CLIENT_SECRET": "client-99-xyz",
    "MPMS_MAIL_FROM": "orders@x.org",
}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings.read(ENVIRONMENT | {"MPMS_STATE_DIR": str(tmp_path)})


@pytest.fixture
def quiet_root() -> Iterator[None]:
    """The log of the test run comes back afterwards."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    for handler in root.handlers:
        handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


def test_every_setting_has_a_meaning_and_a_source(settings: Settings) -> None:
    shown = settings_shown(settings, ENVIRONMENT, assets.settings_page())
    assert [s.name for s in shown if not s.meaning] == []
    by_name = {s.name: s for s in shown}
    assert by_name["MPMS_IMAP_URL"].source == "environment"
    assert by_name["MPMS_POLL_S"].source == "default"
    assert by_name["MPMS_POLL_S"].value == "1.0"
    assert by_name["MPMS_DATABASE_URL"].value == (
        "postgresql://mpms:•••@db.example.org:5432/mpms"
    )
    embedded = settings_shown(Settings(), {}, "", embedded=["MPMS_DATABASE_URL"])
    assert embedded[0].source == "embedded"


def test_an_address_never_shows_what_may_be_a_secret() -> None:
    assert without_password("postgresql://h/db?password=abc") == "postgresql://h/db?•••"
    assert without_password("imaps://u:p#w@h") == "•••" or "p#w" not in (
        without_password("imaps://u:p#w@h")
    )
    assert without_password("ws://127.0.0.1:9090") == "ws://127.0.0.1:9090"


def test_no_secret_is_in_a_page_a_log_or_an_export(
    office: Office, settings: Settings, quiet_root: None
) -> None:
    start_log(settings, "work")
    log = logging.getLogger("mpms.test")
    log.error("cannot reach %s", settings.database_url)
    log.error("imap said: LOGIN orders im@p-pw-77 refused")
    try:
        raise OSError(f"could not log in with {settings.microsoft_client_secret}")
    except OSError:
        log.exception("trouble with password=hunter2-hunter2")
    plant = plant_desk(
        Settings(state_dir=settings.state_dir, database_url=settings.database_url),
        None,
    )
    shown = settings_shown(settings, ENVIRONMENT, assets.settings_page())
    adam = office.browser_of("adam", plant=type(plant)(settings=shown, logs=plant.logs))
    page = adam.get("/admin/settings").text
    assert "work-1.log" in page
    fetched = adam.get("/admin/log/work-1.log")
    assert fetched.headers["Content-Disposition"].startswith("attachment")
    assert "could not log in" in fetched.text
    everything = page + fetched.text
    for path in ("/admin", "/admin/mail", "/admin/audit.json", "/admin/health.json"):
        everything += adam.get(path).text
    assert [word for word in (*SECRETS, "hunter2") if word in everything] == []
    assert office.told("log fetched") == [("adam", {"file": "work-1.log"})]


@pytest.mark.parametrize("name", ["../mail/mail.json", "mail.json", "work-1.lock"])
def test_no_other_file_can_be_fetched(
    office: Office, settings: Settings, quiet_root: None, name: str
) -> None:
    start_log(settings, "work")
    (settings.state_dir / "mail.json").write_text("{}")
    plant = plant_desk(Settings(state_dir=settings.state_dir), None)
    adam = office.browser_of("adam", plant=plant)
    assert adam.get(f"/admin/log/{name}").status_code == 404


def test_json_lines_tell_request_actor_instance_and_order(
    settings: Settings, quiet_root: None
) -> None:
    as_json = Settings(
        state_dir=settings.state_dir, log_format="json", log_level="INFO"
    )
    start_log(as_json, "serve")
    with trace.tracing(request="r1", actor="adam", instance="i1", order="MO-1"):
        logging.getLogger("mpms.test").info("two\nlines of Ünïcode")
    (path,) = log_files(settings.state_dir / "log")
    (line,) = path.read_text(encoding="utf-8").splitlines()
    told = json.loads(line)
    assert told["message"] == "two\nlines of Ünïcode"
    assert {k: told[k] for k in ("request", "actor", "instance", "order", "level")} == {
        "request": "r1",
        "actor": "adam",
        "instance": "i1",
        "order": "MO-1",
        "level": "INFO",
    }


def test_requests_are_logged_with_a_number_and_without_their_query(
    office: Office, settings: Settings, quiet_root: None
) -> None:
    as_json = Settings(
        state_dir=settings.state_dir, log_format="json", log_level="INFO"
    )
    start_log(as_json, "serve")
    adam = office.browser_of("adam")
    answer = adam.get("/admin/audit?thing=topsecret", headers={"X-Request-Id": "abc-1"})
    assert answer.headers["X-Request-Id"] == "abc-1"
    odd = adam.get("/admin", headers={"X-Request-Id": "two words"})
    assert odd.headers["X-Request-Id"] != "two words"
    text = (settings.state_dir / "log" / "serve-1.log").read_text(encoding="utf-8")
    first = next(json.loads(x) for x in text.splitlines() if "/admin/audit" in x)
    assert (first["request"], first["actor"]) == ("abc-1", "adam")
    assert "topsecret" not in text


def test_two_processes_write_two_files(settings: Settings, quiet_root: None) -> None:
    start_log(settings, "work")
    other = OwnFile(settings.state_dir / "log", "work")
    other.close()
    names = sorted(path.name for path in log_files(settings.state_dir / "log"))
    assert names == ["work-1.log", "work-2.log"]


@pytest.mark.parametrize(
    "text",
    [
        "postgresql://u:hunter2@h/db",
        "password=hunter2",
        "password: 'hunter2'",
        "access_token=hunter2&x=1",
        "the word hunter2",
    ],
)
def test_a_secret_is_hidden_wherever_it_stands(text: str) -> None:
    assert "hunter2" not in without_secrets(text, ["hunter2"])
    assert without_secrets("nothing to hide", ["hunter2"]) == "nothing to hide"
