"""One stream a browser: hints of what has changed and, on request, the floor."""

from __future__ import annotations

import time
from collections.abc import Iterator

from flask import Blueprint, Response, g, request
from werkzeug.exceptions import ServiceUnavailable

from mpms.domain.errors import DatabaseAway
from mpms.domain.history.kinds import LISTS
from mpms.web.changes.live import Stream, TooManyStreams
from mpms.web.desk import Desk
from mpms.web.rights import EVERYBODY, allowed
from mpms.web.site.signed_in import (
    current_desk,
    current_person,
    session_token,
    still_signed_in,
)

pages = Blueprint("events", __name__)

RETRY_MS = 2000
BEAT_S = 15.0
CHECK_S = 60.0
LONGEST_KEY = 64
FULL_S = 30
# An event and no comment, so that a page notices when it stays away: a connection
# that bad Wi-Fi has cut looks open to a browser for many minutes.
BEAT = b"event: beat\ndata: {}\n\n"


@pages.before_app_request
def note_position() -> None:
    """Before anything is read: what changes later than this is told by the stream."""
    g.live_from = current_desk().live.position()


@pages.app_context_processor
def live_position() -> dict[str, object]:
    lists = " ".join(sorted(LISTS | current_desk().kinds.lists.keys()))
    return {
        "live_position": lambda: g.get("live_from", ""),
        "live_lists": lambda: lists,
    }


@pages.get("/events")
@allowed(EVERYBODY)
def follow() -> Response:
    """``from`` is where the page was rendered; a browser that connects again sends
    where it stopped by itself. ``client`` names the page, which has one stream."""
    desk = current_desk()
    after = request.headers.get("Last-Event-ID") or request.args.get("from")
    client = request.args.get("client", "")[:LONGEST_KEY]
    try:
        stream = desk.live.stream(
            after,
            floor=request.args.get("floor") == "1",
            key=f"{current_person().id}/{client}" if client else None,
            owner=current_person().id,
        )
    except TooManyStreams as full:
        raise ServiceUnavailable(str(full), retry_after=FULL_S) from full
    answer = Response(
        _messages(desk, stream, session_token() or ""),
        mimetype="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )
    answer.call_on_close(stream.close)
    if (when_gone := request.environ.get("mpms.when_gone")) is not None:
        when_gone(stream.close)  # at once, not when the next message is written
    return answer


def _messages(desk: Desk, stream: Stream, token: str) -> Iterator[bytes]:
    yield f"retry: {RETRY_MS}\n\n".encode()
    check_at = time.monotonic() + CHECK_S
    while (news := stream.read(BEAT_S)) is not None:
        if time.monotonic() >= check_at:
            if not _may_stay(desk, token):
                return
            check_at = time.monotonic() + CHECK_S
        yield news or BEAT


def _may_stay(desk: Desk, token: str) -> bool:
    try:
        return still_signed_in(desk, token)
    except DatabaseAway:
        return True
