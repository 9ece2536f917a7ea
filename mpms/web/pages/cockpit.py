"""The cockpit: every process at a glance, and one process on its drawing."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from flask import (
    Blueprint,
    Response,
    current_app,
    flash,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, InstanceBusy, MpmsError, ProcessUnknown
from mpms.domain.people.people import Role
from mpms.services.instances.apply_repair import required
from mpms.services.instances.search import (
    FoundInstance,
    export_instances,
    search_instances,
)
from mpms.services.processes.board import process_board
from mpms.services.processes.bottlenecks import CONTAINING, bottlenecks
from mpms.services.processes.heat_map import LEVELS, MOST_FOUND, heat_map
from mpms.services.processes.page import ProcessPage, process_page
from mpms.services.processes.suspend import resume_process, suspend_process
from mpms.web.fields.cockpit_filter import STATES, Filter, place_of, text_of
from mpms.web.labels import cockpit as words
from mpms.web.labels.durations import duration
from mpms.web.pages import cockpit_paths, cockpit_start
from mpms.web.rights import EVERYBODY, LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("cockpit", __name__)
pages.add_app_template_filter(duration)
pages.register_blueprint(cockpit_paths.pages)
pages.register_blueprint(cockpit_start.pages)

READERS = LEADERS | {Role.VIEWER}

pages.add_app_template_global(words.state_word, "cockpit_state")
pages.add_app_template_global(words.state_chip, "cockpit_state_chip")
pages.add_app_template_global(words.kind_word, "cockpit_kind")
pages.add_app_template_global(words.bottleneck_sentence, "bottleneck_sentence")
pages.add_app_template_global(words.sparkline, "sparkline")


# -- all processes --------------------------------------------------------------------


@pages.get("/cockpit")
@allowed(READERS)
def board() -> str:
    return render_template("cockpit.html", **_board())


@pages.get("/cockpit-now")
@allowed(READERS)
def now() -> str:
    return render_template("_cockpit_now.html", **_board())


def _board() -> dict[str, Any]:
    desk = current_desk()
    return {
        "board": process_board(desk.uow, now=desk.clock.now()),
        "inbox": "/incidents" if "incidents" in current_app.blueprints else None,
    }


# -- one process -----------------------------------------------------------------------


@pages.get("/cockpit/<key>")
@allowed(READERS)
def process(key: str) -> str:
    return _process(key)


def _process(key: str, refused: str = "") -> str:
    asked, found = _asked(key)
    return render_template(
        "cockpit_process.html",
        refused=refused,
        **_page(asked, found),
        **_counted(asked, found),
        **_listed(asked, found),
        model=url_for("cockpit.definition", definition_id=found.shown.definition_id),
        windows=words.window_words(),
        shows=words.show_words(),
        ages=words.age_words(),
        states=STATES,
    )


@pages.post("/cockpit/<key>/suspend")
@allowed(LEADERS)
def suspend(key: str) -> Answer | tuple[str, int]:
    return _changed(key, suspend_process, t("No new ones are started."))


@pages.post("/cockpit/<key>/resume")
@allowed(LEADERS)
def resume(key: str) -> Answer | tuple[str, int]:
    return _changed(key, resume_process, t("New ones may be started again."))


def _changed(
    key: str, change: Callable[..., int], done: str
) -> Answer | tuple[str, int]:
    """Stop or allow new starts; refused, with what was typed on the page."""
    form, by = request.form, current_person().login
    try:
        change(
            current_desk().uow,
            key,
            by=by,
            reason=required(form.get("reason", "")),
            instances=bool(form.get("instances")),
        )
    except (DatabaseAway, ProcessUnknown):
        raise
    except MpmsError as error:
        status = 409 if isinstance(error, InstanceBusy) else 422
        return _process(key, t(" ".join(str(error).split()))), status
    flash(done, "ok")
    return redirect(url_for("cockpit.process", key=key), 303)


@pages.get("/cockpit/<key>/steps")
@allowed(READERS)
def steps(key: str) -> str:
    asked, found = _asked(key)
    shown = _page(asked, found) | _counted(asked, found)
    return render_template("_cockpit_steps.html", **shown)


@pages.get("/cockpit/<key>/instances")
@allowed(READERS)
def instances(key: str) -> str:
    asked, found = _asked(key)
    shown = _page(asked, found) | _listed(asked, found)
    return render_template("_cockpit_instances.html", **shown)


@pages.get("/cockpit/<key>/instances.csv")
@allowed(READERS)
def export(key: str) -> Response:
    """The same instances as the list, as far as a spreadsheet should bear."""
    asked, found = _asked(key)
    desk = current_desk()
    wanted = asked.wanted(key, found.definition_id, desk.clock.now())
    heading = [
        *(t("Business key"), t("State"), t("Stands at"), t("Started")),
        *(t("Last change"), t("Ended"), t("Reason"), t("Version"), t("Id")),
    ]
    states = {state: words.state_word(state) for state in STATES}
    lines = _lines(found, states, export_instances(desk.uow, wanted))
    answer = Response(_csv(heading, lines), content_type="text/csv; charset=utf-8")
    name = "".join(c for c in key if c.isascii() and (c.isalnum() or c in "-_"))
    answer.headers["Content-Disposition"] = (
        f'attachment; filename="{name or "process"}-instances.csv"'
    )
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def _asked(key: str) -> tuple[Filter, ProcessPage]:
    desk, asked = current_desk(), Filter.of(request.args)
    return asked, process_page(desk.uow, desk.engine, key, version=asked.version)


def _page(asked: Filter, found: ProcessPage) -> dict[str, Any]:
    return {
        "page": found,
        "asked": asked,
        "kept": asked.address,
        "names": {s.id: " ".join(s.name.split()) or s.id for s in found.steps},
        "containers": {s.id for s in found.steps if s.kind in CONTAINING},
    }


def _counted(asked: Filter, found: ProcessPage) -> dict[str, Any]:
    desk = current_desk()
    now = desk.clock.now()
    since, until = asked.times(now)
    wanted = asked.wanted(found.key, found.definition_id, now)
    heat = heat_map(
        desk.uow,
        found.key,
        found.steps,
        definition_id=found.definition_id,
        since=since,
        until=until,
        only=wanted if asked.only else None,
    )
    return {
        "heat": heat,
        "bottlenecks": bottlenecks(heat.steps, found.steps),
        "most_found": MOST_FOUND,
        "levels": LEVELS,
        "window_since": since,
        "window_until": until,
    }


def _listed(asked: Filter, found: ProcessPage) -> dict[str, Any]:
    desk = current_desk()
    below = place_of(request.args.get("below", ""))
    wanted = asked.wanted(found.key, found.definition_id, desk.clock.now())
    listing = search_instances(desk.uow, wanted, below=below)
    return {
        "listing": listing,
        "versions": {row.definition_id: row.version for row in found.versions},
        "older": None if listing.below is None else text_of(listing.below),
        "below": "" if below is None else text_of(below),
    }


def _lines(
    found: ProcessPage, states: Mapping[str, str], instances: Iterable[FoundInstance]
) -> Iterator[list[object]]:
    names = {step.id: step.name or step.id for step in found.steps}
    versions = {row.definition_id: row.version for row in found.versions}
    for one in instances:
        row = one.row
        at = [names.get(s.element or "", s.element or "") for s in one.stands]
        yield [
            *(row.business_key, states[one.state], ", ".join(at)),
            *(row.started_at.isoformat(), row.changed_at.isoformat()),
            row.ended_at.isoformat() if row.ended_at else "",
            *(row.end_reason, versions.get(row.definition_id, ""), row.id),
        ]


def _csv(heading: list[str], lines: Iterable[list[object]]) -> Iterator[str]:
    """Piece by piece: a browser gets the first while the last are still being read."""
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    yield "\ufeff"  # without it a spreadsheet reads umlauts wrongly
    writer.writerow(heading)
    for line in lines:
        writer.writerow([words.cell(value) for value in line])
        if buffer.tell() > 1 << 15:
            yield buffer.getvalue()
            buffer.seek(0)
            buffer.truncate()
    yield buffer.getvalue()


@pages.get("/definitions/<int:definition_id>.bpmn")
@allowed(EVERYBODY)
def definition(definition_id: int) -> Response:
    """Never changes: a version is final."""
    with current_desk().uow() as tx:
        xml = tx.definitions.by_id(definition_id).xml
    answer = Response(xml, mimetype="application/xml")
    answer.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    answer.headers["Content-Disposition"] = "attachment; filename=model.bpmn"
    return answer
