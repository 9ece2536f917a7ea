"""Which IP addresses belong to the internet.

Our processes stand inside the plant's network and post to addresses that others name:
one that leads into that network must be refused, however it is written. IPv6 has
several ways to hold an IPv4 address.
"""

from __future__ import annotations

import ipaddress

Ip = ipaddress.IPv4Address | ipaddress.IPv6Address

NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
GIVEN_OUT = ipaddress.IPv6Network("2000::/3")  # all that IANA lets anybody use so far
# What IANA's registries of special-purpose addresses hold beyond what the standard
# library of our oldest Python knows (RFC 5180, 6666, 7526, 8215, 9602, 9637, 9780), and
# forms that are no longer in use (RFC 4291, RFC 3879): what those lead to cannot be
# told from here.
NEVER: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...] = tuple(
    map(
        ipaddress.ip_network,
        (
            *("64:ff9b:1::/48", "::/96", "::ffff:0:0:0/96", "fec0::/10"),
            *("100::/64", "100:0:0:1::/64", "2001::/23", "2001:db8::/32"),
            *("3fff::/20", "5f00::/16", "192.88.99.0/24", "192.0.0.0/24"),
        ),
    )
)


def ip_address(text: str) -> Ip:
    """An address as resolvers write it, without its zone. ValueError."""
    return ipaddress.ip_address(text.partition("%")[0])


def is_public(address: Ip) -> bool:
    """Whether an address is one of the internet, also one inside another."""
    if any(address in net for net in NEVER):
        return False
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address not in GIVEN_OUT:
            return False
    return address.is_global and not address.is_multicast
