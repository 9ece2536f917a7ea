"""The local certificate authority: what it signs, for whom, and for how long."""

from __future__ import annotations

import socket
import ssl
import stat
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mpms.adapters import certificates
from mpms.adapters.certificates import Pair
from mpms.server import tls
from mpms.settings import Settings

NOW = datetime.now(UTC)


def handshake(directory: Path, authority: bytes, server: Pair, host: str) -> None:
    """Connect as a browser that trusts the authority. ssl.SSLError: it does not."""
    (directory / "s.crt").write_bytes(server.certificate)
    (directory / "s.key").write_bytes(server.key)
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(directory / "s.crt", directory / "s.key")
    trusting = ssl.create_default_context(cadata=authority.decode())
    one, other = socket.socketpair()

    def serve() -> None:
        try:
            serving.wrap_socket(one, server_side=True).close()
        except OSError:
            pass
        finally:
            one.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        trusting.wrap_socket(other, server_hostname=host).close()
    finally:
        other.close()
        thread.join()


def test_a_tablet_that_trusts_the_authority_trusts_the_server(tmp_path: Path) -> None:
    hosts = ["plant.example.org", "plant.local", "localhost", "192.168.7.9", "::1"]
    authority = certificates.make_authority(hosts, NOW)
    server = certificates.make_server(authority, hosts, NOW)
    for host in hosts:
        handshake(tmp_path, authority.certificate, server, host)
    with pytest.raises(ssl.SSLError, match="ismatch"):
        handshake(tmp_path, authority.certificate, server, "other.example.org")


@pytest.mark.parametrize("host", ["bank.example.com", "example.org", "8.8.8.8"])
def test_who_steals_the_authority_cannot_pose_as_the_internet(
    tmp_path: Path, host: str
) -> None:
    authority = certificates.make_authority(["plant.example.org"], NOW)
    forged = certificates.make_server(authority, [host], NOW)
    with pytest.raises(ssl.SSLError, match="permitted subtree violation"):
        handshake(tmp_path, authority.certificate, forged, host)


def test_certificates_last_no_longer_than_browsers_allow() -> None:
    authority = certificates.make_authority(["plant.local"], NOW)
    server = certificates.make_server(authority, ["plant.local"], NOW)
    until = certificates.valid_until(server.certificate)
    assert timedelta(days=390) < until - NOW < timedelta(days=397)
    ends = certificates.valid_until(authority.certificate)
    assert timedelta(days=3640) < ends - NOW <= timedelta(days=3650)
    late = certificates.make_server(
        authority, ["plant.local"], ends - timedelta(days=9)
    )
    assert certificates.valid_until(late.certificate) <= ends


def test_init_makes_what_is_missing_and_keeps_what_tablets_trust(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(state_dir=tmp_path)
    assert tls.ready(settings) is None
    assert tls.ca_certificate_der(settings) is None
    tls.init(settings, ["Plant.Example.org."])
    made = tls.ready(settings)
    assert made is not None
    first = (made.ca_certificate.read_bytes(), made.certificate.read_bytes())
    for private in (made.ca_key, made.key):
        assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert stat.S_IMODE(made.directory.stat().st_mode) == 0o700
    assert (tls.ca_certificate_der(settings) or b"").startswith(b"\x30\x82")
    names = certificates.names_of(made.certificate.read_bytes())
    assert {"plant.example.org", "localhost"} <= set(names)

    tls.init(settings, [])
    assert made.ca_certificate.read_bytes() == first[0]
    assert made.certificate.read_bytes() != first[1]
    assert certificates.names_of(made.certificate.read_bytes()) == names

    with pytest.raises(tls.AuthorityTooNarrow, match=r"elsewhere\.example\.com"):
        tls.init(settings, ["elsewhere.example.com"])
    tls.init(settings, ["elsewhere.example.com"], fresh=True)
    assert made.ca_certificate.read_bytes() != first[0]
    assert "/trust" in capsys.readouterr().out


def test_renewing_waits_until_the_end_is_near(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = Settings(state_dir=tmp_path)
    with pytest.raises(tls.AuthorityMissing, match="mpms tls init"):
        tls.renew(settings)
    found = tls.files(settings)
    tls.write(found, ["plant.local"], NOW - timedelta(days=300))
    before = found.certificate.read_bytes()
    tls.renew(settings)
    assert found.certificate.read_bytes() == before
    assert "nothing to do" in capsys.readouterr().out
    tls.write(found, ["plant.local"], NOW - timedelta(days=350))
    tls.renew(settings)
    until = certificates.valid_until(found.certificate.read_bytes())
    assert until - NOW > timedelta(days=390)
    assert "plant.local" in certificates.names_of(found.certificate.read_bytes())


def test_an_authority_that_ends_soon_signs_no_more(tmp_path: Path) -> None:
    found = tls.TlsFiles(tmp_path / "tls")
    tls.write(found, ["plant.local"], NOW - timedelta(days=3620))
    with pytest.raises(tls.AuthorityEnded, match="--fresh"):
        tls.write(found, [], NOW)


@pytest.mark.parametrize("name", ["", "a b", "-x", "x_y", "https://plant", "ü.local"])
def test_what_is_no_host_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(tls.HostInvalid, match="is no name or address"):
        tls.init(Settings(state_dir=tmp_path), [name])
    assert not (tmp_path / "tls").exists()
