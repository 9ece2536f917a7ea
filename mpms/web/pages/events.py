"""One stream a browser: hints of what has changed and, on request, the floor."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, Response, g, request
from werkzeug.exceptions import ServiceUnavailable

from mpms.domain.errors import DatabaseAway
from mpms.domain.history.kinds import LISTS
from mpms.web.changes.live import TooManyStreams
from mpms.web.desk import Desk
from mpms.web.rights import EVERYBODY, allowed
from mpms.web.site.signed_in import (
    current_desk,
    current_person,
    session_token,
    still_signed_in,
)

pages = Blueprint("events", __name__)

STREAMED = "mpms.streamed"  # environ: see mpms/server/streamed_answers.py
WHEN_GONE = "mpms.when_gone"  # environ: see mpms/server/answer_parts.py
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
    token = session_token() or ""
    begin = f"retry: {RETRY_MS}\n\n".encode()
    streamed = request.environ.get(STREAMED)
    if streamed is not None and request.method == "GET":
        request.environ[WHEN_GONE](stream.close)
        stream.call_on_news(streamed.ring)
        streamed.follow(
            partial(stream.read, 0),
            beat=BEAT,
            beat_s=BEAT_S,
            may_stay=partial(_may_stay, desk, token),
            check_s=CHECK_S,
        )
    else:  # nobody can go on: what is new now, and the browser asks again
        begin += stream.read(0) or b""
        stream.close()
    return Response(
        iter((begin,)),
        mimetype="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _may_stay(desk: Desk, token: str) -> bool:
    try:
        return still_signed_in(desk, token)
    except DatabaseAway:
        return True
