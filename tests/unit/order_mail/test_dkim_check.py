"""Our own DKIM check: only the From domain's own signature over the whole message."""

import base64
from collections.abc import Callable

import dkim
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from mpms.factory.adapters.mail.dkim_check import proven_domains

DOMAIN = "brightcoat.example.com"
MESSAGE = (
    b"From: Orders <orders@brightcoat.example.com>\r\nSubject: Order\r\n"
    b"To: orders@plant.example.com\r\n\r\nMaterials:\r\nWater 5 kg\r\n"
)

Sign = Callable[..., bytes]
Lookup = Callable[[str], bytes | None]


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


@pytest.fixture(scope="module")
def sign(key: rsa.RSAPrivateKey) -> Sign:
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )

    def sign(message: bytes, domain: str = DOMAIN, **more: object) -> bytes:
        signature: bytes = dkim.sign(message, b"s1", domain.encode(), pem, **more)
        return signature + message

    return sign


@pytest.fixture(scope="module")
def lookup(key: rsa.RSAPrivateKey) -> Lookup:
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    record = b"v=DKIM1; k=rsa; p=" + base64.b64encode(public)
    return lambda name: record if name.startswith("s1._domainkey.") else None


def test_a_signature_of_the_from_domain_proves_it(sign: Sign, lookup: Lookup) -> None:
    assert proven_domains(sign(MESSAGE), lookup) == {DOMAIN}


def test_a_second_signature_may_be_the_one_that_proves(
    sign: Sign, lookup: Lookup
) -> None:
    both = sign(sign(MESSAGE), "mailer.example.net")
    assert proven_domains(both, lookup) == {DOMAIN}


def test_nothing_less_proves_anything(sign: Sign, lookup: Lookup) -> None:
    signed = sign(MESSAGE)
    second_from = b"From: Thief <thief@elsewhere.example.net>\r\n" + signed
    for raw in (
        MESSAGE,
        b"",
        signed.replace(b"5 kg", b"9 kg"),
        sign(MESSAGE, length=True) + b"Talc 9 kg\r\n",
        sign(MESSAGE, length=True),
        sign(MESSAGE, "elsewhere.example.net"),
        second_from,
    ):
        assert proven_domains(raw, lookup) == frozenset()


def test_a_failing_name_service_proves_nothing(sign: Sign) -> None:
    def fails(name: str) -> bytes | None:
        raise TimeoutError(name)

    assert proven_domains(sign(MESSAGE), fails) == frozenset()
    assert proven_domains(sign(MESSAGE), lambda name: None) == frozenset()
