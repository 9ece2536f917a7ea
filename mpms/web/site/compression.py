"""Packs answers for tablets on bad Wi-Fi: Granian sends what it is given."""

from __future__ import annotations

import gzip

from flask import Flask, Response, request

PACKED_TYPES = frozenset({"text/html", "application/json", "image/svg+xml"})
WORTH_IT_BYTES = 1024


def gzipped(content: bytes, *, level: int) -> bytes:
    return gzip.compress(content, compresslevel=level, mtime=0)


def install(app: Flask) -> None:
    app.after_request(pack)


def pack(response: Response) -> Response:
    # Our pages hold no secret beside what a stranger could make them show (there are
    # no tokens in forms), so their packed length tells nothing.
    if response.mimetype not in PACKED_TYPES or response.is_streamed:
        return response
    if response.direct_passthrough or "Content-Encoding" in response.headers:
        return response
    response.vary.add("Accept-Encoding")
    if not request.accept_encodings.quality("gzip"):
        return response
    content = response.get_data()
    if len(content) >= WORTH_IT_BYTES:
        response.set_data(gzipped(content, level=5))
        response.headers["Content-Encoding"] = "gzip"
    return response
