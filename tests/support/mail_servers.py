"""Real mail servers: the embedded one, pymap as it comes, and a private Dovecot.

Each gives every test a mailbox of its own, so one of a kind serves a whole run.
"""

from __future__ import annotations

import base64
import contextlib
import getpass
import itertools
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jwt
import pytest

from mpms.adapters.mail_account import (
    Password,
    Security,
)
from mpms.embedded import imap_server, mail, maildrop
from mpms.embedded.mail import MailServers
from mpms.factory.adapters.mail.account import MailAccount
from tests.support.certificates import Certificates
from tests.support.waiting import eventually

EMBEDDED_BOXES = 60
BUYERS = (mail.BUYER, "orders@brightcoat.example.com")
DOVECOT = shutil.which("dovecot") or "/usr/sbin/dovecot"
NO_DOVECOT = "dovecot is not installed (Debian package dovecot-imapd)"
DOVECOT_CONF = """
protocols = imap
listen = 127.0.0.1
base_dir = {base}/run
state_dir = {base}/state
instance_name = mpms-test
log_path = {base}/dovecot.log
shutdown_clients = yes
default_internal_user = {internal}
default_internal_group = {group}
default_login_user = {login}
ssl = yes
ssl_cert = <{cert}
ssl_key = <{key}
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2
auth_failure_delay = 0
first_valid_uid = 1
mail_location = maildir:{base}/mail/%u/Maildir
mail_max_userip_connections = 100
namespace inbox {{
  inbox = yes
  prefix = {prefix}
  separator = .
}}
passdb {{
  driver = oauth2
  mechanisms = xoauth2
  args = {base}/oauth2.conf
}}
passdb {{
  driver = static
  args = password={password}
}}
userdb {{
  driver = static
  args = uid={owner} gid={owner_group} home={base}/mail/%u
}}
service imap-login {{
  chroot =
  inet_listener imap {{
    port = {imap_port}
  }}
  inet_listener imaps {{
    port = {imaps_port}
    ssl = yes
  }}
}}
service anvil {{
  chroot =
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
service stats {{
  chroot =
}}
"""
OAUTH2_CONF = """
introspection_mode = local
local_validation_key_dict = fs:posix:prefix={base}/keys/
username_attribute = sub
"""
TOKEN_KEY = b"0123456789abcdef0123456789abcdef"


@dataclass
class Server:
    """One running IMAP server; ``new_user`` hands out an empty mailbox."""

    kind: str
    ports: dict[Security, int]
    users: Iterator[tuple[str, str]]
    folder_of: Callable[[str], Path]
    owner: int | None = None
    ca_file: Path | None = None
    issue_token: Callable[..., str] = field(default=lambda user: "")
    embedded: MailServers | None = None

    def account(self, security: Security | None = None, **changes: Any) -> MailAccount:
        security = security or next(iter(self.ports))
        if "user" in changes:
            user, password = changes.pop("user"), ""
        else:
            user, password = next(self.users)
        settings: dict[str, Any] = {
            "host": "127.0.0.1",
            "port": self.ports[security],
            "security": security,
            "user": user,
            "login": Password(password),
            "ca_file": self.ca_file if security is not Security.PLAIN else None,
        }
        return MailAccount(**settings | changes)

    def deliver(self, account: MailAccount, raw: bytes) -> None:
        folder = self.folder_of(account.user)
        if not folder.exists():
            maildrop.make_mailbox(folder)
            if self.owner is not None:
                for path in (folder.parent, folder, *folder.iterdir()):
                    os.chown(path, self.owner, -1)
        path = maildrop.drop_into(folder, raw)
        if self.owner is not None:
            os.chown(path, self.owner, -1)


def free_port() -> int:
    """Return a port of a range that is not given to connections by itself."""
    while True:
        port = 12000 + secrets.randbelow(8000)
        with socket.socket() as sock, contextlib.suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port


def greets(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as sock:
            return sock.recv(100).startswith(b"* OK")
    except OSError:
        return False


@contextlib.contextmanager
def run_embedded(directory: Path) -> Iterator[Server]:
    addresses = [f"box{number}@plant.example.com" for number in range(EMBEDDED_BOXES)]
    with mail.start(directory, others=[*BUYERS, *addresses]) as servers:
        home = servers.home
        yield Server(
            "embedded",
            {Security.PLAIN: home.imap_port},
            iter([(name, home.password(name)) for name in addresses]),
            lambda user: servers.mailboxes / user,
            embedded=servers,
        )


@contextlib.contextmanager
def run_pymap(folder: Path, certificates: Certificates) -> Iterator[Server]:
    """pymap without our changes, with TLS on request."""
    (folder / "tmp").mkdir(parents=True)
    users = {f"box{number}@plant.example.com": f"pw{number}" for number in range(20)}
    imap_server.write_users(folder, users)
    for name in users:
        maildrop.make_mailbox(folder / name)
    port = free_port()
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(sys.executable, "-c", "from pymap.main import main; main()"),
                *("--host", "127.0.0.1", "--port", str(port)),
                *("--cert", str(certificates.cert), "--key", str(certificates.key)),
                *("maildir", str(folder)),
            ],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env=os.environ | {"TMPDIR": str(folder / "tmp")},
        )
    try:
        eventually(lambda: process.poll() is not None or greets(port), "pymap answers")
        assert process.poll() is None, (folder / "log").read_text()
        yield Server(
            "pymap",
            {Security.STARTTLS: port},
            iter(users.items()),
            lambda user: folder / user,
            ca_file=certificates.ca_file,
        )
    finally:
        process.terminate()
        process.wait(30)


@contextlib.contextmanager
def run_dovecot(
    base: Path, certificates: Certificates, prefix: str = ""
) -> Iterator[Server]:
    if not Path(DOVECOT).exists():
        pytest.skip(NO_DOVECOT)
    root = os.geteuid() == 0
    me = getpass.getuser()
    owner = pwd.getpwnam("nobody" if root else me)
    names = ("dovecot", "dovecot", "dovenull") if root else (me, me, me)
    key_file = base / "keys" / "default" / "HS256" / "default"
    key_file.parent.mkdir(parents=True)
    key_file.write_bytes(base64.b64encode(TOKEN_KEY))
    (base / "mail").mkdir()
    os.chown(base / "mail", owner.pw_uid, owner.pw_gid)
    (base / "oauth2.conf").write_text(OAUTH2_CONF.format(base=base))
    ports = {security: free_port() for security in (Security.PLAIN, Security.TLS)}
    (base / "dovecot.conf").write_text(
        DOVECOT_CONF.format(
            base=base,
            internal=names[0],
            group=names[1] if root else owner.pw_gid,
            login=names[2],
            cert=certificates.cert,
            key=certificates.key,
            prefix=prefix,
            password="secret",
            owner=owner.pw_uid,
            owner_group=owner.pw_gid,
            imap_port=ports[Security.PLAIN],
            imaps_port=ports[Security.TLS],
        )
    )
    process = subprocess.Popen(
        [DOVECOT, "-F", "-c", str(base / "dovecot.conf")],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        eventually(
            lambda: process.poll() is not None or greets(ports[Security.PLAIN]),
            "dovecot answers",
        )
        assert process.poll() is None, process.stderr and process.stderr.read()
        ports[Security.STARTTLS] = ports[Security.PLAIN]
        yield Server(
            "dovecot",
            ports,
            ((f"box{number}", "secret") for number in itertools.count()),
            lambda user: base / "mail" / user / "Maildir",
            owner.pw_uid if root else None,
            certificates.ca_file,
            issue_token,
        )
    finally:
        process.terminate()
        process.wait(30)
        assert process.stderr is not None
        process.stderr.close()


def issue_token(user: str, *, lifetime_s: int = 600, key: bytes = TOKEN_KEY) -> str:
    now = int(time.time())
    claims = {"sub": user, "iat": now - 3600, "nbf": now - 3600}
    return jwt.encode(claims | {"exp": now + lifetime_s}, key, algorithm="HS256")
