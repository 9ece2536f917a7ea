"""Errors of the API as RFC 9457 says: a type that can be opened, a cause in words."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from flask import Response, json

from mpms.domain.errors import DatabaseAway, MpmsError

log = logging.getLogger(__name__)

API = "/api/v1"
MEDIA_TYPE = "application/problem+json"
_HUMPS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def is_api(path: str) -> bool:
    return path == API or path.startswith(f"{API}/")


def slug_of(cause: type[BaseException] | int) -> str:
    """``InstanceBusy`` is called instance-busy; without an error of ours the status
    gives the name."""
    if isinstance(cause, int):
        return HTTPStatus(cause).phrase.lower().replace(" ", "-").replace("'", "")
    return _HUMPS.sub("-", cause.__name__).lower()


def problem(status: int, slug: str, title: str, detail: str, **more: Any) -> Response:
    """``more`` are members beyond those of the standard."""
    told = {
        "type": f"{API}/docs#problem-{slug}",
        "title": title,
        "status": status,
        "detail": detail or title,
    }
    answer = Response(json.dumps(told | more), status, content_type=MEDIA_TYPE)
    answer.headers["Cache-Control"] = "no-store"
    return answer


def sentence_of(kind: type[BaseException]) -> str:
    """What an error means in general: the first paragraph of its docstring."""
    words = (kind.__doc__ or "").strip().partition("\n\n")[0]
    return " ".join(words.split())


def told_outside(error: MpmsError) -> str:
    """What strangers may read: why a database is away names files and addresses, so
    that is for the log."""
    if isinstance(error, DatabaseAway):
        log.warning("%s", error)
        return sentence_of(type(error))
    return " ".join(str(error).split())


def known_causes() -> Iterator[type[MpmsError]]:
    """Every error of ours that the running program knows."""
    waiting: list[type[MpmsError]] = [MpmsError]
    seen: set[type[MpmsError]] = set()
    while waiting:
        kind = waiting.pop()
        for each in kind.__subclasses__():
            if each not in seen:
                seen.add(each)
                waiting.append(each)
                yield each
