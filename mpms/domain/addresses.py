"""Which IP addresses belong to the internet.

Our processes stand inside the plant's network and post to addresses that others name:
one that leads into that network must be refused, however it is written. IPv6 has
several ways to hold an IPv4 address.
"""

from __future__ import annotations

import ipaddress

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address

NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
# A network's own translation (RFC 8215) and forms that are no longer in use (RFC 4291,
# RFC 3879): what they lead to cannot be told from here.
NEVER = tuple(map(ipaddress.IPv6Network, ("64:ff9b:1::/48", "::/96", "fec0::/10")))


def ip_address(text: str) -> Ip:
    """An address as resolvers write it, without its zone. ValueError."""
    return ipaddress.ip_address(text.partition("%")[0])


def is_public(address: Ip) -> bool:
    """Whether an address is one of the internet, also one inside another."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.teredo is not None or any(address in net for net in NEVER):
            return False
        inner = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not address.is_multicast
