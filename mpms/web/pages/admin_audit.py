"""What people did: found, paged, and taken along as a file."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import urlencode

from flask import Blueprint, Response, render_template, request, stream_with_context

from mpms.ports.history.audit import AuditFilter, AuditLine, AuditPlace
from mpms.services.history.read_audit import export_audit, read_audit
from mpms.web.labels import audit as words
from mpms.web.labels.cockpit import cell
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("audit", __name__)

LONGEST = 120
PIECE_CHARACTERS = 1 << 15


@dataclass(frozen=True)
class _Asked:
    """The filter as it stands in the address."""

    who: str
    action: str
    thing: str
    since: str
    until: str

    @classmethod
    def read(cls) -> _Asked:
        names = ("who", "action", "thing", "since", "until")
        return cls(*(_plain(request.args.get(name, "")) for name in names))

    @property
    def address(self) -> str:
        return urlencode({k: v for k, v in self.__dict__.items() if v})

    def wanted(self) -> AuditFilter:
        until = _day(self.until)
        return AuditFilter(
            self.who.casefold() or None,
            self.action or None,
            self.thing or None,
            _day(self.since),
            None if until is None else until + timedelta(days=1),
        )


@pages.get("/admin/audit")
@allowed(LEADERS)
def show() -> str:
    asked, desk = _Asked.read(), current_desk()
    below = _place(request.args.get("below", ""))
    page = read_audit(desk.uow, asked.wanted(), below=below)
    with desk.uow() as tx:
        people = tx.people.listing()
    return render_template(
        "admin_audit.html",
        asked=asked,
        page=page,
        older=None if page.below is None else _text(page.below),
        first=below is None,
        people=people,
        names={p.login: p.name for p in people},
        actions=words.action_words(),
        thing_of=words.thing_of,
        change_of=words.change_of,
        reason_of=words.reason_of,
    )


@pages.get("/admin/audit.csv")
@allowed(LEADERS)
def as_csv() -> Response:
    heading = [t("Time"), t("Who"), t("Action"), t("Object"), t("Change"), t("Reason")]
    return _file(
        "csv", "text/csv", _csv([*heading, t("Process"), t("Id")], _exported())
    )


@pages.get("/admin/audit.json")
@allowed(LEADERS)
def as_json() -> Response:
    return _file("json", "application/json", _json(_exported()))


def _exported() -> Iterator[AuditLine]:
    """To take the log along is an action of its own."""
    asked, desk = _Asked.read(), current_desk()
    with desk.uow() as tx:
        tx.events.append(
            "log of actions fetched",
            actor=current_person().login,
            data={"filter": asked.address},
        )
    return export_audit(desk.uow, asked.wanted())


def _file(kind: str, media: str, pieces: Iterator[str]) -> Response:
    told = stream_with_context(pieces)  # lines are told by the kinds of this site
    answer = Response(told, content_type=f"{media}; charset=utf-8")
    answer.headers["Content-Disposition"] = f'attachment; filename="actions.{kind}"'
    return answer


def _csv(heading: list[str], lines: Iterator[AuditLine]) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    yield "\ufeff"  # without it a spreadsheet reads umlauts wrongly
    writer.writerow(heading)
    for line in lines:
        data = {k: v for k, v in line.data.items() if k != "reason"}
        told = json.dumps(data, ensure_ascii=False, default=str) if data else ""
        row = [
            *(line.at.isoformat(), line.actor, line.kind, words.thing_of(line)),
            *(told, words.reason_of(line), line.process, line.instance_id),
        ]
        writer.writerow([cell(value) for value in row])
        if buffer.tell() > PIECE_CHARACTERS:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


def _json(lines: Iterator[AuditLine]) -> Iterator[str]:
    before = "[\n"
    for line in lines:
        told = {
            "id": line.id,
            "at": line.at.isoformat(),
            "actor": line.actor,
            "action": line.kind,
            "thing": words.thing_of(line),
            "instance": line.instance_id,
            "process": line.process,
            "element": line.element,
            "data": line.data,
        }
        yield before + json.dumps(told, ensure_ascii=False, default=str)
        before = ",\n"
    yield "[]\n" if before == "[\n" else "\n]\n"


def _plain(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).strip()[:LONGEST]


def _day(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text).astimezone() if text else None
    except (ValueError, OverflowError):
        return None


def _place(text: str) -> AuditPlace | None:
    at, _, line = text.rpartition("_")
    try:
        return datetime.fromisoformat(at), int(line)
    except ValueError:
        return None


def _text(place: AuditPlace) -> str:
    return f"{place[0].isoformat()}_{place[1]}"
