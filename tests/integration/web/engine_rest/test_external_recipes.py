"""The commands of the pages about external workers do what the pages say."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from werkzeug.serving import make_server

from mpms.domain.people.people import Role
from tests.support.external_workers import ForeignPlant
from tests.support.recipes import blocks

pytestmark = pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")


@contextmanager
def listening(plant: ForeignPlant) -> Iterator[str]:
    server = make_server("127.0.0.1", 0, plant.app(), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.port}"
    server.shutdown()
    thread.join()


def sh(command: str, **names: str) -> str:
    done = subprocess.run(
        ["sh", "-ec", command],
        env=os.environ | names,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("page", "heading", "language"),
    [
        ("extend.md", "An external worker", "sh"),
        ("external_workers.md", "With plain HTTP", "sh"),
    ],
)
def test_a_task_is_taken_and_done_by_the_commands_of_the_page(
    plant: ForeignPlant, page: str, heading: str, language: str
) -> None:
    (code,) = blocks(page, heading, language)
    fetch, complete = (f"curl{part}" for part in code.split("curl")[1:])
    secret = plant.token(Role.SUPERVISOR).secret
    instance = plant.start_only("weighing", paint="blue")
    with listening(plant) as address:
        told = {"TOKEN": secret, "MPMS": address}
        given = sh(fetch.replace("https://mpms.example.com", "$MPMS"), **told)
        (task,) = json.loads(given)
        assert task["topicName"] == "weigh paint"
        done = complete.replace("https://mpms.example.com", "$MPMS")
        assert sh(done, ID=task["id"], **told) == ""
    assert plant.variables(instance)["kg"] == 2.5
