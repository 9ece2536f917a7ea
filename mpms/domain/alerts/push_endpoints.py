"""Where a browser may ask us to post alerts to.

The address comes from a browser, and our worker stands inside the plant's network: an
address that leads into that network must not be posted to. The name is checked here;
what it resolves to is checked again by whoever connects.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from mpms.domain.addresses import ip_address, is_public
from mpms.domain.errors import MpmsError

LONGEST = 2_000
KEY = re.compile(r"[A-Za-z0-9_-]{20,200}={0,2}")
INSIDE = (".local", ".localhost", ".internal", ".lan", ".home", ".intranet", ".arpa")


class EndpointRefused(MpmsError):
    """This is no address of a push service."""


def check_endpoint(endpoint: str) -> str:
    """The host of an endpoint that may be posted to. EndpointRefused."""
    if len(endpoint) > LONGEST or not endpoint.isascii() or not endpoint.isprintable():
        raise EndpointRefused
    try:
        parts = urlsplit(endpoint)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise EndpointRefused from None
    if parts.scheme != "https" or not host or parts.username or parts.password:
        raise EndpointRefused("Push services are reached over https only.")
    if port not in (None, 443):
        raise EndpointRefused("Push services are reached at their usual port only.")
    if "\\" in endpoint or " " in endpoint or parts.fragment:
        raise EndpointRefused
    if not is_outside(host):
        raise EndpointRefused("This address lies inside a network.")
    return host


def is_outside(host: str) -> bool:
    """False for names and addresses that only mean something in a network."""
    try:
        return is_public(ip_address(host))
    except ValueError:
        named = host.lower().rstrip(".")
        # Resolvers read 127.1, 0x7f.1 and 2130706433 as addresses.
        last = named.rpartition(".")[2]
        return "." in named and last.isalpha() and not named.endswith(INSIDE)
