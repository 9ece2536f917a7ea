"""Certificates for servers of tests, by an authority of their own."""

from __future__ import annotations

import datetime
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certificates:
    ca_file: Path
    other_ca_file: Path
    cert: Path
    key: Path


def make_certificates(folder: Path) -> Certificates:
    """One for localhost, its authority, and an authority that nobody asked."""
    folder.mkdir(mode=0o755)
    ca_key, ca = _authority("Test authority")
    _, stranger = _authority("Somebody else")
    key = ec.generate_private_key(ec.SECP256R1())
    leaf = _sign(
        "localhost", "Test authority", key.public_key(), ca_key, authority=False
    )
    files = Certificates(
        folder / "ca.pem", folder / "other.pem", folder / "cert.pem", folder / "key.pem"
    )
    pem = serialization.Encoding.PEM
    files.ca_file.write_bytes(ca.public_bytes(pem))
    files.other_ca_file.write_bytes(stranger.public_bytes(pem))
    files.cert.write_bytes(leaf.public_bytes(pem))
    files.key.write_bytes(
        key.private_bytes(
            pem,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return files


def _authority(name: str) -> tuple[ec.EllipticCurvePrivateKey, x509.Certificate]:
    key = ec.generate_private_key(ec.SECP256R1())
    return key, _sign(name, name, key.public_key(), key, authority=True)


def _sign(
    name: str,
    issuer: str,
    public: ec.EllipticCurvePublicKey,
    key: ec.EllipticCurvePrivateKey,
    *,
    authority: bool,
) -> x509.Certificate:
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, issuer)]))
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=2))
        .add_extension(x509.BasicConstraints(ca=authority, path_length=None), True)
    )
    if authority:
        usage = dict.fromkeys(
            (
                "digital_signature",
                "content_commitment",
                "key_encipherment",
                "data_encipherment",
                "key_agreement",
                "encipher_only",
                "decipher_only",
            ),
            False,
        )
        builder = builder.add_extension(
            x509.KeyUsage(key_cert_sign=True, crl_sign=True, **usage), True
        )
        builder = builder.add_extension(
            x509.SubjectKeyIdentifier.from_public_key(public), False
        )
    else:
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), False
        ).add_extension(
            x509.SubjectAlternativeName(
                [
                    x509.DNSName("localhost"),
                    x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
                ]
            ),
            False,
        )
    return builder.sign(key, hashes.SHA256())
