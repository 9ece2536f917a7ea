"""Clients for Camunda 7 in three languages, unmodified, each in a worker of its own.

Each is fetched from its registry below ``build``. The workers do the same and tell the
same, so that one scenario is for all. Run as a script it fetches what ``make test``
needs, for ``make packages``; the one for Java is fetched by who uses it.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.npm_client import ENTRY, HOME_8, SOURCE, SOURCE_8, fetch_client
from tests.support.script_process import ScriptProcess

ROOT = Path(__file__).resolve().parents[2]
PYPI = ROOT / "build" / "pypi" / "external_worker"
MAVEN = ROOT / "build" / "maven" / "external_worker"
PYTHON_CLIENT = "camunda-external-task-client-python3==4.5.0"
COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies"
FETCH_S = 300


class ClientMissing(Exception):
    """A client cannot be fetched or run here."""


@dataclass(frozen=True)
class Command:
    """How a worker is started."""

    argv: Sequence[str]
    environment: dict[str, str] = field(default_factory=dict)


def in_javascript() -> Command:
    node = fetch_client()
    return Command([*node.node, str(SOURCE / "worker.mjs")], {"CLIENT": ENTRY.as_uri()})


def in_python() -> Command:
    """Its one dependency, requests, is ours as well."""
    packages = from_pypi(PYPI, PYTHON_CLIENT, "--no-deps")
    return Command(
        [sys.executable, str(SOURCE / "worker.py")], {"PYTHONPATH": str(packages)}
    )


def from_pypi(home: Path, package: str, *options: str) -> Path:
    """The directory in which it is. ClientMissing."""
    packages = home / "packages"
    with fetched_once(home, package) as needed:
        if needed:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", *options]
            run_quietly([*pip, "--upgrade", "--target", str(packages), package])
    return packages


def in_java() -> Command:
    """ClientMissing without a JDK or Maven."""
    for program in ("java", "javac", "mvn"):
        if shutil.which(program) is None:
            raise ClientMissing(f"{program} is not installed")
    pom, source = SOURCE / "pom.xml", SOURCE / "Worker.java"
    classes = f"{MAVEN / 'classes'}{os.pathsep}{MAVEN / 'jars'}/*"
    with fetched_once(MAVEN, pom.read_text() + source.read_text()) as needed:
        if needed:
            to = f"-DoutputDirectory={MAVEN / 'jars'}"
            run_quietly(["mvn", "-q", "-B", "-f", str(pom), COPY, to])
            made = str(MAVEN / "classes")
            run_quietly(["javac", "-cp", classes, "-d", made, str(source)])
    quiet = "-Dorg.slf4j.simpleLogger.defaultLogLevel=error"
    return Command(["java", "-Xmx64m", quiet, "-cp", classes, "Worker"])


LANGUAGES: dict[str, Callable[[], Command]] = {
    "js": in_javascript,
    "python": in_python,
    "java": in_java,
}


@contextmanager
def fetched_once(home: Path, wanted: str) -> Iterator[bool]:
    """Whether it must be fetched; who comes at the same time waits."""
    home.mkdir(parents=True, exist_ok=True)
    mark, digest = home / "fetched", hashlib.sha256(wanted.encode()).hexdigest()
    with (home / "lock").open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        needed = not mark.is_file() or mark.read_text() != digest
        yield needed
        mark.write_text(digest)


def run_quietly(argv: Sequence[str]) -> None:
    """ClientMissing."""
    done = subprocess.run(
        argv, capture_output=True, text=True, timeout=FETCH_S, check=False
    )
    if done.returncode:
        raise ClientMissing(f"{argv[0]}: {(done.stderr or done.stdout)[-2000:]}")


class ClientProcess(ScriptProcess):
    """A worker for Camunda 7, written with one of them."""

    def __init__(
        self,
        command: Command,
        url: str,
        token: str,
        topic: str,
        behaviour: str,
        *,
        name: str,
        lock_ms: int = 60_000,
        at_once: int = 10,
    ) -> None:
        told = {
            "BASE_URL": f"{url}/engine-rest",
            "TOKEN": token,
            "WORKER": name,
            "TOPIC": topic,
            "BEHAVIOUR": behaviour,
            "LOCK_MS": str(lock_ms),
            "AT_ONCE": str(at_once),
        }
        super().__init__(command.argv, command.environment | told)


if __name__ == "__main__":
    in_javascript()
    in_python()
    fetch_client(SOURCE_8, HOME_8)
