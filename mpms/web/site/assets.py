"""Serves what ``frontend/build.mjs`` wrote, and nothing else.

Names carry a hash of their content, so a browser keeps them for ever and a new build
is a new name. Pages ask for the logical name: ``{{ asset("main.js") }}``.
"""

from __future__ import annotations

import json
import logging
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import cast

from flask import Flask, Response, abort, current_app, g, request

from mpms.web.rights import open_to_all
from mpms.web.site import compression

DIST = Path(__file__).resolve().parents[1] / "static" / "dist"
NOTICES = "THIRD-PARTY-NOTICES.txt"
LOADED_LATER = ("live_worker.js", "scanner.js", "zxing_reader.wasm", "diagram.js")
PACKED_ALREADY = frozenset({".png", ".woff2"})
FOR_EVER = "public, max-age=31536000, immutable"

# Registered types differ between machines; ours must not.
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
_SERVED = re.compile(r"[A-Za-z0-9_]+(-[A-Za-z0-9_]+)*-[0-9a-f]{10}\.[a-z0-9]+")

log = logging.getLogger(__name__)


class PagesNotBuilt(Exception):
    """The scripts and styles of the pages are missing. Run: make web"""


class AssetUnknown(Exception):
    """A page asks for a script or style that no build wrote."""


@dataclass
class Assets:
    """The manifest of one dist directory, read again when a build has replaced it."""

    dist: Path
    _read_at_ns: int = -1
    _names: Mapping[str, str] = field(default_factory=dict)
    _browser: Mapping[str, Mapping[str, list[str]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def url(self, name: str) -> str:
        hashed = self._manifest().get(name)
        if hashed is None:
            raise AssetUnknown(f"{name} is not in {self.dist / 'manifest.json'}")
        return f"/static/{hashed}"

    def path(self, name: str) -> Path:
        """The file behind a logical name, for pages that serve it elsewhere."""
        return self.dist / self.url(name).removeprefix("/static/")

    def later(self) -> dict[str, str]:
        """Addresses of what scripts load when they need it."""
        names = self._manifest()
        return {
            name: f"/static/{names[name]}" for name in LOADED_LATER if name in names
        }

    def preloads(self, entries: set[str]) -> list[str]:
        """What these scripts import at once, so that browsers need not find out."""
        self._manifest()
        chunks = {
            chunk
            for entry in entries
            for chunk in self._browser.get(entry, {}).get("preload", ())
        }
        return [f"/static/{chunk}" for chunk in sorted(chunks)]

    def text_keys(self, entries: set[str]) -> list[str]:
        """The texts that these scripts, and those they load later, may show."""
        self._manifest()
        keys: set[str] = set()
        todo, done = sorted(entries), set[str]()
        while todo:
            entry = todo.pop()
            if entry not in done:
                done.add(entry)
                about = self._browser.get(entry, {})
                keys.update(about.get("texts", ()))
                todo.extend(about.get("loads", ()))
        return sorted(keys)

    def _manifest(self) -> Mapping[str, str]:
        try:
            written_at_ns = (self.dist / "manifest.json").stat().st_mtime_ns
        except FileNotFoundError:
            raise PagesNotBuilt(str(PagesNotBuilt.__doc__)) from None
        with self._lock:
            if written_at_ns != self._read_at_ns:
                self._names = json.loads((self.dist / "manifest.json").read_bytes())
                self._browser = json.loads((self.dist / "browser.json").read_bytes())
                self._read_at_ns = written_at_ns
            return self._names


def current_assets() -> Assets:
    return cast(Assets, current_app.extensions["assets"])


def asset(name: str) -> str:
    """The address of a script or style; its texts will be sent with the page."""
    url = current_assets().url(name)
    if name.endswith(".js"):
        g.setdefault("scripts", set()).add(name.removesuffix(".js"))
    return url


def preloads() -> list[str]:
    """For the scripts that this page has asked for so far."""
    return current_assets().preloads(g.get("scripts", set()))


def install(app: Flask, dist: Path = DIST) -> None:
    app.extensions["assets"] = assets = Assets(dist)
    app.jinja_env.globals.update(
        asset=asset, assets_later=lambda: assets.later(), preloads=preloads
    )
    app.add_url_rule("/static/<path:name>", "static", serve)
    app.register_error_handler(PagesNotBuilt, say_not_built)
    compression.install(app)
    if not (dist / "manifest.json").is_file():
        log.error("%s", PagesNotBuilt.__doc__)


@open_to_all
def serve(name: str) -> Response:
    if name != NOTICES and not _SERVED.fullmatch(name):
        abort(404)
    path = current_assets().dist / name
    if path.suffix not in TYPES or not path.is_file():
        abort(404)
    packs = request.accept_encodings.quality("gzip") > 0
    packed = packs and path.suffix not in PACKED_ALREADY
    stat = path.stat()
    response = Response(
        _content(path, packed, stat.st_mtime_ns), content_type=TYPES[path.suffix]
    )
    response.headers["Cache-Control"] = "no-cache" if name == NOTICES else FOR_EVER
    response.headers["Vary"] = "Accept-Encoding"
    if packed:
        response.headers["Content-Encoding"] = "gzip"
    return response


@lru_cache(maxsize=64)
def _content(path: Path, packed: bool, _written_at_ns: int) -> bytes:
    content = path.read_bytes()
    return compression.gzipped(content, level=9) if packed else content


def say_not_built(error: PagesNotBuilt) -> tuple[str, int]:
    log.error("%s", error)
    return (
        "<!doctype html><html lang=en><title>MPMS</title><h1>The pages are not built"
        "</h1><p>The scripts and styles are missing. Run: <code>make web</code></p>",
        503,
    )
