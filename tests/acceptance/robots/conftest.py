"""Plants of real processes, and robots behind TLS."""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.support.factory import WORLD_DIR
from tests.support.recorder import Recorder
from tests.support.robot_plant import RobotPlant
from tests.support.simulator import Simulator


@pytest.fixture
def plant(database_url: str, tmp_path: Path) -> Iterator[RobotPlant]:
    """Its workers and robots die, its database does not: rows are all they leave."""
    plant = RobotPlant(database_url, tmp_path)
    yield plant
    plant.close()


@pytest.fixture(scope="module")
def simulator(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Simulator]:
    """The shipped world's robots, without an orchestrator, for all tests of a file."""
    trace = tmp_path_factory.mktemp("simulator") / "trace.jsonl"
    simulator = Simulator(WORLD_DIR, trace, speed=20.0)
    yield simulator
    simulator.kill()


@pytest.fixture(scope="module")
def behind_tls(
    simulator: Simulator, certificate: tuple[Path, Path]
) -> Iterator[Recorder]:
    """A proxy that asks for TLS, as one would run on a robot."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    proxy = Recorder(simulator.url, context)
    yield proxy
    proxy.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate of our own for 127.0.0.1, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a robot's own CA")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]),
            critical=False,
        )
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    directory = tmp_path_factory.mktemp("certificate")
    public, private = directory / "robot.pem", directory / "robot.key"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return public, private
