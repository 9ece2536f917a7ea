"""The demo and a plant never share a database: the demo's passwords are printed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode

import pytest

from mpms import bootstrap
from mpms.adapters.argon2_hasher import Argon2Hasher
from mpms.cli import main
from mpms.demo.known_secrets import known_to_everybody, require_plant
from mpms.demo.people import PEOPLE, settle_people
from mpms.domain.people.people import Role
from mpms.services.people import change_secret

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 60.0
NEW = "a long enough passphrase"


@pytest.fixture
def services(
    database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[bootstrap.Services]:
    for name in list(os.environ):
        if name.startswith("MPMS_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("MPMS_DATABASE_URL", database_url)
    monkeypatch.setenv("MPMS_STATE_DIR", str(tmp_path))
    monkeypatch.setenv("MPMS_WEB_PORT", "0")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    made = bootstrap.connect(database_url)
    yield made
    made.close()


@contextmanager
def served(*options: str) -> Iterator[int]:
    with subprocess.Popen(
        [sys.executable, "-m", "mpms", "serve", *options],
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert "http://127.0.0.1:" in line, line
        try:
            yield int(line.rsplit(":", 1)[1])
        finally:
            process.terminate()
            process.wait(WAIT_S)


def sign_in(port: int, login: str, password: str) -> int:
    link = HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
    form = urlencode({"login": login, "password": password})
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    link.request("POST", "/login", form, kind)
    status = link.getresponse().status
    link.close()
    return status


def test_a_database_of_any_demo_is_not_served(
    services: bootstrap.Services, capsys: pytest.CaptureFixture[str]
) -> None:
    """As every version of the demo has left it."""
    settle_people(services.uow)
    assert main(["serve"]) == 1
    said = capsys.readouterr().err
    assert "made by mpms demo" in said
    assert "adam" in said
    assert "MPMS_STATE_DIR" in said
    assert "--keep-demo-data" in said
    assert "Traceback" not in said


def test_data_of_the_demo_that_are_kept_open_no_door(
    services: bootstrap.Services, database_url: str
) -> None:
    settle_people(services.uow)
    with served("--keep-demo-data") as port:
        assert [sign_in(port, p.login, p.password) for p in PEOPLE] == [401] * 5
        with services.uow() as tx:
            secrets = [tx.people.secrets(p.login) for p in PEOPLE]
        assert not any(each and each.pin_hash for each in secrets)
        change_secret.set_password(
            services.uow, Argon2Hasher(), "adam", NEW, by="test", reason="new"
        )
        assert sign_in(port, "adam", NEW) == 303
    require_plant(database_url)  # it is one now


def test_one_who_can_still_be_anybody_is_enough(services: bootstrap.Services) -> None:
    settle_people(services.uow)
    with services.uow() as tx:
        for person in PEOPLE:
            tx.people.set_password(person.login, None)
    assert [p.login for p in known_to_everybody(services.uow)] == ["ana", "max"]


def test_the_demo_adds_nobody_to_a_plant(
    services: bootstrap.Services, capsys: pytest.CaptureFixture[str]
) -> None:
    with services.uow() as tx:
        tx.people.add("maria", "Maria", Role.ADMIN)
    done = subprocess.run(
        [sys.executable, "-m", "mpms", "demo", "--once"],
        capture_output=True,
        text=True,
        timeout=WAIT_S,
    )
    assert done.returncode == 1
    assert "MPMS_DATABASE_URL" in done.stderr
    with services.uow() as tx:
        assert [person.login for person in tx.people.listing()] == ["maria"]


def test_a_namesake_in_a_plant_is_nobody_of_the_demo(
    services: bootstrap.Services, database_url: str
) -> None:
    """Also one who has the PIN of the demo's Ana, which many would choose."""
    with services.uow() as tx:
        tx.people.add("ana", "Ana Kern", Role.WORKER)
    hasher = Argon2Hasher()
    with services.uow() as tx:
        tx.people.set_password("ana", hasher.hash(NEW))
        tx.people.set_pin("ana", hasher.hash("2580"))
    require_plant(database_url)
