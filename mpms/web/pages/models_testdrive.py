"""Test-drive a model: ask for it, watch it run, see it beside the present version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import NotFound
from mpms.services.models.save_draft import find_draft
from mpms.services.processes.heat_map import level
from mpms.services.testdrive.ask import WINDOWS, Asked
from mpms.services.testdrive.drives import Drive, DriveBusy, NoDrives
from mpms.web.labels import testdrive as words
from mpms.web.labels.floor_heat import floor_heat, view_box
from mpms.web.pages.models_deploy import uploaded
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("testdrive", __name__)

MEASURES = ("waiting", "duration", "count")
MADE_UP = ("100", "300", "1000")

pages.add_app_template_global(words.figure_word, "drive_figure")
pages.add_app_template_global(words.shown, "drive_shown")
pages.add_app_template_global(words.difference, "drive_difference")
pages.add_app_template_global(words.certainty, "drive_certainty")
pages.add_app_template_global(words.note, "drive_note")
pages.add_app_template_global(words.measure_words, "drive_measures")
pages.add_app_template_global(words.order_words, "drive_orders")
pages.add_app_template_global(words.title, "drive_title")


@pages.post("/models/testdrive")
@allowed(LEADERS)
def begin() -> Answer | tuple[str, int]:
    """From the deploy page, the editor or the page of a version."""
    try:
        asked = _asked()
        drive_id = current_desk().drives.begin(asked, by=current_person().login)
    except DriveBusy:
        wrong = t("Another test-drive runs. Wait for its end, then try again.")
        return render_template("testdrive.html", wrong=wrong, drive=None), 409
    except NoDrives:
        wrong = t("This server runs no test-drives.")
        return render_template("testdrive.html", wrong=wrong, drive=None), 409
    return redirect(url_for("models.testdrive.show", drive_id=drive_id), 303)


@pages.get("/models/testdrive/<uuid:drive_id>")
@allowed(LEADERS)
def show(drive_id: object) -> str:
    drive = current_desk().drives.look(str(drive_id))
    return render_template("testdrive.html", **_page(drive))


@pages.get("/models/testdrive/<uuid:drive_id>/now")
@allowed(LEADERS)
def now(drive_id: object) -> Response:
    """While it runs; the whole page is asked for again at its end."""
    drive = current_desk().drives.look(str(drive_id))
    answer = Response(render_template("_testdrive_now.html", **_page(drive)))
    if not drive.runs:
        answer.headers["HX-Refresh"] = "true"
    return answer


@pages.get("/models/testdrive/<uuid:drive_id>/<which>.bpmn")
@allowed(LEADERS)
def drawing(drive_id: object, which: str) -> Response:
    models = current_desk().drives.look(str(drive_id)).models or {}
    if which not in models:
        raise NotFound(t("There is no such drawing."))
    answer = Response(models[which], content_type="application/xml")
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


def _asked() -> Asked:
    form = request.form
    key, version = form.get("key", ""), _number("version")
    files = uploaded()
    if form.get("draft") and key:
        draft = find_draft(current_desk().uow, current_person().id, "process", key)
        if draft is not None:
            files = {f"{key}.bpmn": draft.content}
            version = None
    return Asked(
        files=files,
        process=key or None,
        version=version,
        orders=form.get("orders", "month"),
        days=float(_number("days") or 30),
        seeds=_number("seeds") or 3,
        people=_number("people"),
        robots=_number("robots"),
    )


def _number(name: str) -> int | None:
    text = request.form.get(name, "").strip()
    return int(text) if text.isascii() and text.isdecimal() and text != "0" else None


def _page(drive: Drive) -> dict[str, Any]:
    show = request.args.get("show", "")
    report = drive.report
    logarithm = request.args.get("floor") == "log"
    return {
        "logarithm": logarithm,
        "floor_box": view_box(report["floor"]) if report and report["floor"] else None,
        "drive": drive,
        "report": report,
        "percent": 100 * drive.done // drive.of if drive.of else 0,
        "show": show if show in MEASURES else MEASURES[0],
        "measures": MEASURES,
        "versions": [] if report is None else _versions(report, logarithm=logarithm),
    }


def _versions(report: Mapping[str, Any], *, logarithm: bool) -> list[dict[str, Any]]:
    """Each with the heat of its steps, on one scale: colours can be compared."""
    found = [
        (which, report[which]) for which in ("new", "present") if report.get(which)
    ]
    steps = [_measured(step) for _, version in found for step in version["steps"]]
    most = {m: max((step[m] for step in steps), default=0.0) for m in MEASURES}
    return [
        {
            "which": which,
            "told": version,
            "floor": floor_heat(report, which, logarithm=logarithm),
            "steps": [
                {
                    **step,
                    "levels": {m: level(_measured(step)[m], most[m]) for m in MEASURES},
                }
                for step in version["steps"]
            ],
        }
        for which, version in found
    ]


def _measured(step: Mapping[str, Any]) -> dict[str, float]:
    return {
        "count": float(step["visits"]),
        "duration": step["duration_s"] or 0.0,
        "waiting": step["waiting_s"] or 0.0,
    }


def choices() -> list[str]:
    return [*reversed(WINDOWS), *MADE_UP]


pages.add_app_template_global(choices, "drive_choices")
