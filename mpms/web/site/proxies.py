"""Believe what the plant's own proxies say of who asks, and nobody else.

Behind a proxy every request comes from one address: the first who guesses passwords
would lock everybody out, and whoever asks from outside would seem to be on this
machine. A header is only as true as whoever wrote it, so it is read from its end, hop
by hop, and only as far as the hops are proxies that the settings name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import TYPE_CHECKING

from flask import Flask

from mpms.web.desk import Desk

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

Network = IPv4Network | IPv6Network

HOST = re.compile(
    r"[A-Za-z0-9.-]{1,253}(?::\d{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](?::\d{1,5})?"
)
FORWARDED = re.compile(r'(\w+)=(?:"([^"]*)"|([^;,"\s]*))')
MOST_HOPS = 20


def install(app: Flask) -> None:
    desk: Desk = app.extensions["desk"]
    if desk.trusted_proxies:
        proxied = TrustedProxies(app.wsgi_app, desk.trusted_proxies)
        app.wsgi_app = proxied  # type: ignore[method-assign]


class TrustedProxies:
    """Puts the address, scheme and host that a browser used in place of a proxy's."""

    def __init__(self, app: WSGIApplication, trusted: Sequence[Network]) -> None:
        self._app = app
        self._trusted = trusted

    def __call__(
        self, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        if self._is_trusted(str(environ.get("REMOTE_ADDR", ""))):
            hops = hops_of(environ)
            environ["REMOTE_ADDR"] = self._client(environ["REMOTE_ADDR"], hops)
            if (scheme := _nearest(environ, hops, "proto")) in ("http", "https"):
                environ["wsgi.url_scheme"] = scheme
            host = _nearest(environ, hops, "host")
            if HOST.fullmatch(host):
                environ["HTTP_HOST"] = host
        return self._app(environ, start_response)

    def _client(self, peer: str, hops: Sequence[dict[str, str]]) -> str:
        """The last address that no proxy of ours has."""
        client = peer
        for hop in reversed(hops[-MOST_HOPS:]):
            address = _address(hop.get("for", ""))
            if address is None:
                break
            client = address
            if not self._is_trusted(address):
                break
        return client

    def _is_trusted(self, text: str) -> bool:
        try:
            address = ip_address(text)
        except ValueError:
            return False
        return any(address in network for network in self._trusted)


def hops_of(environ: WSGIEnvironment) -> list[dict[str, str]]:
    """What each proxy wrote, the nearest last."""
    if told := environ.get("HTTP_FORWARDED", ""):
        return [
            {name.lower(): quoted or plain for name, quoted, plain in pairs}
            for pairs in map(FORWARDED.findall, told.split(","))
        ]
    told = environ.get("HTTP_X_FORWARDED_FOR", "")
    return [{"for": part.strip()} for part in told.split(",") if part.strip()]


def _nearest(
    environ: WSGIEnvironment, hops: Sequence[dict[str, str]], name: str
) -> str:
    if environ.get("HTTP_FORWARDED"):
        return hops[-1].get(name, "") if hops else ""
    told = str(environ.get(f"HTTP_X_FORWARDED_{name.upper()}", ""))
    return told.rpartition(",")[2].strip()


def _address(text: str) -> str | None:
    """Without the port; what is no address (``unknown``, a name) ends the way."""
    plain = text
    if text.startswith("["):
        plain = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        plain = text.partition(":")[0]
    try:
        return str(ip_address(plain))
    except ValueError:
        return None
