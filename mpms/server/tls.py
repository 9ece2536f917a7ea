"""``mpms tls``: HTTPS for a plant without certificates of the Internet.

Tablets give camera and offline work to secure pages only. The files lie in the state
directory: the authority that tablets trust once, and the server's certificate, which
is renewed here without a tablet noticing.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mpms.adapters import certificates
from mpms.adapters.certificates import Pair
from mpms.domain.errors import MpmsError
from mpms.settings import Settings

RENEW_BEFORE = timedelta(days=60)
NEW_AUTHORITY = (
    "mpms tls init --fresh makes a new one, which every tablet must be told to trust"
    " again."
)


class HostInvalid(MpmsError):
    """This is no name or address of a machine."""


class AuthorityMissing(MpmsError):
    """There is no certificate authority yet; run: mpms tls init"""


class AuthorityEnded(MpmsError):
    """The certificate authority ends soon."""

    def __init__(self) -> None:
        super().__init__(f"The certificate authority ends soon. {NEW_AUTHORITY}")


class AuthorityTooNarrow(MpmsError):
    """The certificate authority may not sign for all these hosts."""


@dataclass(frozen=True)
class TlsFiles:
    """Where they lie."""

    directory: Path

    @property
    def ca_certificate(self) -> Path:
        return self.directory / "ca.crt"

    @property
    def ca_key(self) -> Path:
        return self.directory / "ca.key"

    @property
    def certificate(self) -> Path:
        return self.directory / "server.crt"

    @property
    def key(self) -> Path:
        return self.directory / "server.key"


def files(settings: Settings) -> TlsFiles:
    return TlsFiles(settings.state_dir / "tls")


def ready(settings: Settings) -> TlsFiles | None:
    """What ``mpms serve`` serves with; None before ``mpms tls init``."""
    found = files(settings)
    return found if found.certificate.is_file() and found.key.is_file() else None


def ca_certificate_der(settings: Settings) -> bytes | None:
    """What tablets install, for the page that explains it."""
    path = files(settings).ca_certificate
    return certificates.der_of(path.read_bytes()) if path.is_file() else None


def init(settings: Settings, names: Sequence[str], *, fresh: bool = False) -> int:
    """Make what is missing; renew the server's certificate. ``fresh``: also a new
    authority, which every tablet must be told to trust again."""
    found = files(settings)
    _tell(found, *write(found, names, datetime.now(UTC), fresh=fresh))
    return 0


def renew(settings: Settings, *, force: bool = False) -> int:
    """Renew the server's certificate for the same hosts if it ends soon."""
    found = files(settings)
    if not found.certificate.is_file() or not found.ca_key.is_file():
        raise AuthorityMissing
    until = certificates.valid_until(found.certificate.read_bytes())
    now = datetime.now(UTC)
    if not force and until - now > RENEW_BEFORE:
        print(f"Valid until {until:%Y-%m-%d}; nothing to do.")
        return 0
    _tell(found, *write(found, (), now))
    return 0


def write(
    found: TlsFiles, names: Sequence[str], now: datetime, *, fresh: bool = False
) -> tuple[list[str], bool]:
    """Write certificates for these names, those of the last time and this machine's
    own; return all of them and whether there is a new authority.

    HostInvalid. AuthorityEnded, AuthorityTooNarrow: a new one is needed.
    """
    given = [_host(name) for name in names]
    before: list[str] = []
    if found.certificate.is_file():
        before = certificates.names_of(found.certificate.read_bytes())
    hosts = list(dict.fromkeys([*given, *before, *_own_names(), *_own_addresses()]))
    found.directory.mkdir(parents=True, exist_ok=True)
    found.directory.chmod(0o700)
    there = found.ca_certificate.is_file() and found.ca_key.is_file() and not fresh
    if there:
        authority = Pair(found.ca_certificate.read_bytes(), found.ca_key.read_bytes())
        hosts = _permitted(authority.certificate, hosts, given, now)
    else:
        authority = certificates.make_authority(hosts, now)
        _put(found.ca_key, authority.key, 0o600)
        _put(found.ca_certificate, authority.certificate, 0o644)
    server = certificates.make_server(authority, hosts, now)
    _put(found.key, server.key, 0o600)
    # Some tablets want the whole chain from the server.
    _put(found.certificate, server.certificate + authority.certificate, 0o644)
    return hosts, not there


def _permitted(
    authority: bytes, hosts: list[str], given: list[str], now: datetime
) -> list[str]:
    if certificates.valid_until(authority) - now < RENEW_BEFORE:
        raise AuthorityEnded
    allowed = certificates.permitted(authority, hosts)
    refused = [host for host in given if host not in allowed]
    if refused:
        raise AuthorityTooNarrow(
            f"The certificate authority may not sign for {', '.join(refused)}."
            f" {NEW_AUTHORITY}"
        )
    return allowed


def _host(name: str) -> str:
    plain = name.strip().lower().rstrip(".")
    if not certificates.is_host(plain):
        raise HostInvalid(f"{name!r} is no name or address of a machine.")
    return plain


def _own_names() -> list[str]:
    name = socket.gethostname().lower().rstrip(".")
    first = name.partition(".")[0]
    own = [name, f"{first}.local", "localhost"]
    return [n for n in own if certificates.is_host(n)]


def _own_addresses() -> list[str]:
    """Asking for a route sends nothing; a machine without network has none."""
    found = []
    for family, far in (
        (socket.AF_INET, "192.0.2.1"),
        (socket.AF_INET, "10.255.255.254"),
        (socket.AF_INET, "192.168.255.254"),
        (socket.AF_INET6, "2001:db8::1"),
    ):
        try:
            with closing(socket.socket(family, socket.SOCK_DGRAM)) as asking:
                asking.connect((far, 9))
                found.append(str(asking.getsockname()[0]).partition("%")[0])
        except OSError:
            continue
    return [*certificates.private_addresses(found), "127.0.0.1", "::1"]


def _put(path: Path, content: bytes, mode: int) -> None:
    """Nobody ever finds half a file, nor a key that others could read."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    draft.chmod(mode)
    draft.replace(path)


def _tell(found: TlsFiles, hosts: list[str], made_authority: bool) -> None:
    kept = found.ca_certificate.read_bytes()
    until = certificates.valid_until(found.certificate.read_bytes())
    print(f"hosts        {', '.join(hosts)}")
    print(f"server       {found.certificate}, until {until:%Y-%m-%d}")
    print(f"authority    {found.ca_certificate}, {'new' if made_authority else 'kept'}")
    print(f"SHA-256      {certificates.fingerprint_of(kept)}")
    print(f"On each tablet open https://{hosts[0]}:PORT/trust once.")
