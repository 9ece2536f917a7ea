"""The history of a process for tools of process mining, by the API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import AwareDatetime, Field

from mpms.services.history.export import export_history
from mpms.web.api.operation import Call, Given, Stream
from mpms.web.api.processes import USUAL_WINDOW, section
from mpms.web.api.values import ProcessKey
from mpms.web.rights import READERS

__all__ = ["section"]

XES, JSON = "application/xml", "application/json"
FIRST = datetime(2000, 1, 1, tzinfo=UTC)
Instant = Annotated[AwareDatetime, Field(ge=FIRST)]


class Window(Given):
    since: Instant | None = Field(
        default=None, description="Instances that began from then on; a week ago."
    )
    until: Instant | None = Field(
        default=None, description="And before then; now without it."
    )


@section.get("/processes/{key}/history.xes", READERS, files=(XES,))
def history_xes(call: Call, key: ProcessKey, query: Window) -> Stream:
    """The history of a process as XES, for tools of process mining.

    A trace is an instance; its events are the activities with start, complete and
    ate_abort, who or which robot did them, and when. At most 50,000 instances, and
    20,000 lines of each; a trace that has more says `cut`.
    """
    return _stream(call, key, query, "xes", XES)


@section.get("/processes/{key}/history.ocel.json", READERS, files=(JSON,))
def history_ocel(call: Call, key: ProcessKey, query: Window) -> Stream:
    """The history of a process as OCEL 2.0, with orders, lots and robots as objects.

    The limits are those of XES.
    """
    return _stream(call, key, query, "ocel", JSON)


def _stream(call: Call, key: str, query: Window, form: str, media: str) -> Stream:
    until = query.until or call.desk.clock.now()
    since = query.since or until - USUAL_WINDOW
    pieces = export_history(
        call.desk.uow, call.desk.engine, key, since=since, until=until, form=form
    )
    ending = "xes" if form == "xes" else "ocel.json"
    return Stream(pieces, media, f"history.{ending}")
