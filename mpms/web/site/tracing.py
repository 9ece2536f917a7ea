"""Every request has a number; lines of the log carry it, with who asked and for what.

A proxy may have given it a number already; ours is sent back in any case.
"""

from __future__ import annotations

import logging
import re
import secrets
import time

from flask import Flask, Response, g, request

from mpms.domain import trace

log = logging.getLogger("mpms.web.requests")

HEADER = "X-Request-Id"
_NUMBER = re.compile(r"[A-Za-z0-9._-]{1,64}")


def install(app: Flask) -> None:
    app.before_request(_begin)
    app.after_request(_end)


def _begin() -> None:
    given = request.headers.get(HEADER, "")
    g.request_number = given if _NUMBER.fullmatch(given) else secrets.token_hex(8)
    g.began_s = time.perf_counter()
    named = request.view_args or {}
    trace.begin(
        request=g.request_number,
        instance=_text(named.get("instance_id")),
        order=_text(named.get("number")),
    )


def _end(answer: Response) -> Response:
    number = g.get("request_number")
    if number is not None:
        answer.headers[HEADER] = number
        took_ms = (time.perf_counter() - g.began_s) * 1000
        # The path without its query: searches may hold what only one person may know.
        log.info(
            "%s %s %d %.0f ms",
            request.method,
            request.path,
            answer.status_code,
            took_ms,
        )
    return answer


def _text(value: object) -> str | None:
    return None if value is None else str(value)[:80]
