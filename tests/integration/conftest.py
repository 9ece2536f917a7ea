"""Mail servers for several folders: each is started once in a run."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.certificates import Certificates, make_certificates
from tests.support.mail_servers import Server, run_dovecot, run_embedded


@pytest.fixture(scope="session")
def mail_directory() -> Iterator[Path]:
    """A directory that Dovecot can enter also when root runs the tests."""
    path = Path(tempfile.mkdtemp(prefix="mpms-mail-"))
    path.chmod(0o711)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="session")
def certificates(mail_directory: Path) -> Certificates:
    return make_certificates(mail_directory / "certificates")


@pytest.fixture(scope="session")
def embedded(mail_directory: Path) -> Iterator[Server]:
    with run_embedded(mail_directory / "embedded") as server:
        yield server


@pytest.fixture(scope="session")
def dovecot(mail_directory: Path, certificates: Certificates) -> Iterator[Server]:
    with run_dovecot(mail_directory / "dovecot", certificates) as server:
        yield server
