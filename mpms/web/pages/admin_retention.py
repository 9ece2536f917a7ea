"""How long the past is kept, what would go, and what went."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.domain.history.events import HistoryCounts
from mpms.services.history.retention import (
    DaysInvalid,
    ask_deletion,
    count_old,
    set_retention,
)
from mpms.web.pages.admin_people import ADMINS
from mpms.web.rights import allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("retention", __name__)

RUNS = 10


@pages.get("/admin/retention")
@allowed(ADMINS)
def show() -> str | tuple[str, int]:
    """With days in the address: also what would go."""
    asked = request.args.get("days", "").strip()
    if not asked:
        return _page()
    desk = current_desk()
    try:
        days = _days(asked)
        counts = None if days is None else count_old(desk.uow, desk.clock, days)
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _page(problem=t(str(error)), days=asked), 422
    return _page(days=asked, counts=counts)


@pages.get("/admin/retention-runs")
@allowed(ADMINS)
def runs() -> str:
    with current_desk().uow() as tx:
        return render_template("_admin_runs.html", runs=tx.retention.runs(RUNS))


@pages.post("/admin/retention")
@allowed(ADMINS)
def keep() -> Answer | tuple[str, int]:
    typed = request.form.get("days", "")
    try:
        days = _days(typed)
        set_retention(
            current_desk().uow,
            days,
            by=current_person().login,
            reason=request.form.get("reason", ""),
        )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _page(problem=t(str(error)), days=typed), 422
    flash(
        t("Everything is kept forever.")
        if days is None
        else t("What ended more than {n} days ago is deleted once a day.", n=days),
        "ok",
    )
    return redirect("/admin/retention", 303)


@pages.post("/admin/retention/run")
@allowed(ADMINS)
def run() -> Answer | tuple[str, int]:
    desk = current_desk()
    try:
        ask_deletion(
            desk.uow,
            desk.clock,
            by=current_person().login,
            reason=request.form.get("reason", ""),
        )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _page(problem=t(str(error))), 422
    flash(t("A worker deletes in the background; the result is shown here."), "ok")
    return redirect("/admin/retention", 303)


def _days(typed: str) -> int | None:
    text = typed.strip()
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 9):
        raise DaysInvalid
    return int(text)


def _page(
    *, problem: str = "", days: str | None = None, counts: HistoryCounts | None = None
) -> str:
    with current_desk().uow() as tx:
        kept = tx.retention.kept()
        runs = tx.retention.runs(RUNS)
    now = "" if kept is None or kept.days is None else str(kept.days)
    return render_template(
        "admin_retention.html",
        kept=kept,
        runs=runs,
        problem=problem,
        days=now if days is None else days,
        counts=counts,
        typed=request.form,
    )
