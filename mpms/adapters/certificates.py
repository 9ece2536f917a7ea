"""A certificate authority for one factory, and certificates of its server.

Tablets trust the authority once; the server's certificate may then be renewed
without touching a tablet. Who steals the authority's key can pose as this server
only: the authority is limited to the names and private addresses of a plant.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

CA_DAYS = 3650
SERVER_DAYS = 397  # browsers refuse longer ones
BACKDATE = timedelta(days=1)  # tablets' clocks are wrong
PRIVATE_NAMES = ("localhost", "local", "lan", "internal", "home.arpa")
PRIVATE_NETWORKS = (
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "169.254.0.0/16",
    "127.0.0.0/8",
    "::1/128",
    "fc00::/7",
    "fe80::/10",
)
_NAME = re.compile(r"(?!-)[a-z0-9-]{1,63}(?<!-)(\.(?!-)[a-z0-9-]{1,63}(?<!-))*")

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True)
class Pair:
    """A certificate and its key, as PEM."""

    certificate: bytes
    key: bytes


def is_host(name: str) -> bool:
    """Whether a certificate can carry it: an address or a name of a machine."""
    return _address(name) is not None or (
        len(name) <= 253 and _NAME.fullmatch(name.lower()) is not None
    )


def private_addresses(found: list[str]) -> list[str]:
    """Those of them that the authority may sign for without being told."""
    networks = [ipaddress.ip_network(n) for n in PRIVATE_NETWORKS]
    return [
        text
        for text in found
        if (a := _address(text)) is not None and any(a in n for n in networks)
    ]


def make_authority(hosts: list[str], now: datetime) -> Pair:
    """Ten years, for these hosts and private names and networks only."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "MPMS"),
            x509.NameAttribute(
                NameOID.COMMON_NAME, f"MPMS {hosts[0]} {now:%Y-%m-%d}"[:64]
            ),
        ]
    )
    certificate = (
        _begun(name, name, key.public_key(), now, CA_DAYS)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_ca_usage(), critical=True)
        .add_extension(x509.NameConstraints(_permitted(hosts), None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return Pair(_pem(certificate), _key_pem(key))


def make_server(authority: Pair, hosts: list[str], now: datetime) -> Pair:
    """For at most 397 days and never longer than the authority's."""
    ca = x509.load_pem_x509_certificate(authority.certificate)
    ca_key = _private(authority.key)
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0][:64])])
    begun = _begun(name, ca.subject, key.public_key(), now, SERVER_DAYS, ca)
    certificate = (
        begun.add_extension(
            x509.BasicConstraints(ca=False, path_length=None), critical=True
        )
        .add_extension(
            x509.SubjectAlternativeName([_general(h) for h in hosts]), critical=False
        )
        .add_extension(
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False
        )
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()),
            critical=False,
        )
        .sign(ca_key, hashes.SHA256())
    )
    return Pair(_pem(certificate), _key_pem(key))


def permitted(authority: bytes, hosts: list[str]) -> list[str]:
    """Those of the hosts that an authority may sign for."""
    ca = x509.load_pem_x509_certificate(authority)
    limits = ca.extensions.get_extension_for_class(x509.NameConstraints).value
    within = limits.permitted_subtrees or []
    return [h for h in hosts if any(_within(h, p) for p in within)]


def valid_until(certificate: bytes) -> datetime:
    return x509.load_pem_x509_certificate(certificate).not_valid_after_utc


def names_of(certificate: bytes) -> list[str]:
    """The names of its hosts; addresses come and go."""
    found = x509.load_pem_x509_certificate(certificate).extensions
    names = found.get_extension_for_class(x509.SubjectAlternativeName).value
    return names.get_values_for_type(x509.DNSName)


def der_of(certificate: bytes) -> bytes:
    loaded = x509.load_pem_x509_certificate(certificate)
    return loaded.public_bytes(serialization.Encoding.DER)


def fingerprint_of(certificate: bytes) -> str:
    loaded = x509.load_pem_x509_certificate(certificate)
    return loaded.fingerprint(hashes.SHA256()).hex(":").upper()


def _begun(
    subject: x509.Name,
    issuer: x509.Name,
    public: ec.EllipticCurvePublicKey,
    now: datetime,
    days: int,
    within: x509.Certificate | None = None,
) -> x509.CertificateBuilder:
    begins = now.astimezone(UTC).replace(microsecond=0) - BACKDATE
    # The last second counts, and browsers count it.
    ends = begins + timedelta(days=days) - timedelta(seconds=1)
    if within is not None:
        begins = max(begins, within.not_valid_before_utc)
        ends = min(ends, within.not_valid_after_utc)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), False)
    )


def _permitted(hosts: list[str]) -> list[x509.GeneralName]:
    names = [h for h in hosts if _address(h) is None]
    addresses = [a for h in hosts if (a := _address(h)) is not None]
    networks = [ipaddress.ip_network(n) for n in PRIVATE_NETWORKS]
    networks += [
        ipaddress.ip_network(a)
        for a in addresses
        if not any(a in network for network in networks)
    ]
    return [
        *map(x509.DNSName, dict.fromkeys([*names, *PRIVATE_NAMES])),
        *map(x509.IPAddress, networks),
    ]


def _within(host: str, permitted: x509.GeneralName) -> bool:
    address = _address(host)
    if address is not None:
        network = permitted.value if isinstance(permitted, x509.IPAddress) else None
        return isinstance(network, Network) and address in network
    if not isinstance(permitted, x509.DNSName):
        return False
    return host == permitted.value or host.endswith("." + permitted.value)


def _general(host: str) -> x509.GeneralName:
    address = _address(host)
    return x509.DNSName(host) if address is None else x509.IPAddress(address)


def _address(host: str) -> Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _ca_usage() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )


def _private(pem: bytes) -> ec.EllipticCurvePrivateKey:
    key = serialization.load_pem_private_key(pem, None)
    assert isinstance(key, ec.EllipticCurvePrivateKey)  # noqa: S101
    return key


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
