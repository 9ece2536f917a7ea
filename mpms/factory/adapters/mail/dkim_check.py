"""Our own DKIM check, for mail hosts that write no result into the message.

The library alone is not enough: it accepts lines appended below an ``l=`` signature
and a valid signature of anybody's domain, and lets errors of the name service out.
"""

from __future__ import annotations

from collections.abc import Callable

import dkim
import dns.exception
import dns.resolver

from mpms.factory.domain.order_mail.headers import split_headers
from mpms.factory.domain.order_mail.reading import LARGEST_MESSAGE
from mpms.factory.domain.order_mail.sender import read_from
from mpms.factory.domain.order_mail.senders import lower_ascii

MOST_SIGNATURES = 5
LOOKUP_S = 5.0

LookupTxt = Callable[[str], bytes | None]  # a name's TXT record, None without one


def proven_domains(raw: bytes, lookup_txt: LookupTxt) -> frozenset[str]:
    """The From domain if a signature of that very domain covers the whole message.

    Hand the result to the reader as ``proven_domains``. An unreachable name service
    proves nothing; the caller may try the message again later.
    """
    if len(raw) > LARGEST_MESSAGE:
        return frozenset()
    headers, _ = split_headers(raw)
    address = read_from(headers)
    count = min(len(headers.all("dkim-signature")), MOST_SIGNATURES)
    if address is None:
        return frozenset()
    domain = address.rpartition("@")[2]
    if any(_proves(raw, index, domain, lookup_txt) for index in range(count)):
        return frozenset({domain})
    return frozenset()


def txt_record(name: str) -> bytes | None:
    """Ask the name service; None if it has no such record or does not answer."""
    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=LOOKUP_S)
    except (dns.exception.DNSException, OSError):
        return None
    for record in answer:
        return b"".join(record.strings)
    return None


def _proves(raw: bytes, index: int, domain: str, lookup_txt: LookupTxt) -> bool:
    def lookup(name: bytes, timeout: float = 5) -> bytes | None:
        return lookup_txt(name.decode("ascii"))

    try:
        signed = dkim.DKIM(raw, minkey=1024)
        if not signed.verify(index, dnsfunc=lookup):
            return False
        fields: dict[bytes, bytes] = signed.signature_fields
        signer = lower_ascii(fields[b"d"].decode("ascii"))
    except Exception:
        # The library raises whatever the bytes and the name service provoke.
        return False
    whole = b"l" not in fields and b"sha1" not in fields[b"a"]
    covered = [name.strip().lower() for name in fields[b"h"].split(b":")]
    return whole and signer == domain and b"from" in covered
