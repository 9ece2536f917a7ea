"""A port of the pages for one server alone.

Granian shares ports without a word, so a second server would get half of the requests
of the first. Asking the kernel for the port is not enough: between our asking and
Granian's listening lie seconds, in which another server may ask too. So whoever wants
a port first takes its name, which the kernel gives to one process and takes back when
that ends, however it ends.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def reserved(host: str, port: int) -> Iterator[int]:
    """Hold a port, or any free one for 0, until the block ends. OSError: taken."""
    with (
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as name,
        socket.socket(_family(host)) as held,
    ):
        if port:
            name.bind(_name(host, port))
            _ask_for(host, port)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind((host, port))
        yield held.getsockname()[1]


def is_free(host: str, port: int) -> bool:
    """Look whether a port could be had, without taking anything from anybody."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_name(host, port))
        except OSError:
            pass  # nobody has the name
        else:
            return False
    try:
        _ask_for(host, port)
    except OSError:
        return False
    return True


def _name(host: str, port: int) -> bytes:
    """In no directory: the kernel knows it as long as its owner lives."""
    return f"\0mpms pages {host} {port}".encode()


def _ask_for(host: str, port: int) -> None:
    with socket.socket(_family(host)) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        probe.bind((host, port))


def _family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
