"""Ask for help with a task, hand it back, comment on it, and say when it is due."""

from __future__ import annotations

from datetime import datetime

from flask import Blueprint, flash, redirect, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.factory.web.desk import current_desk
from mpms.services.tasks.comment import comment_on_task
from mpms.services.tasks.delegate import delegate_task, resolve_task
from mpms.services.tasks.schedule import Schedule, schedule_task
from mpms.web.rights import DOERS, LEADERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("help", __name__)


@pages.post("/tasks/<task_id>/help")
@allowed(DOERS)
def ask(task_id: str) -> Answer:
    to = request.form.get("to", "")
    delegate_task(current_desk().uow, task_id, to, person=current_person())
    flash(t("Asked. The task comes back to you."))
    return redirect(url_for("tasks.listing"), 303)


@pages.post("/tasks/<task_id>/hand-back")
@allowed(DOERS)
def hand_back(task_id: str) -> Answer:
    resolve_task(current_desk().uow, task_id, person=current_person())
    flash(t("Handed back."))
    return redirect(url_for("tasks.listing"), 303)


@pages.post("/tasks/<task_id>/comment")
@allowed(DOERS)
def comment(task_id: str) -> Answer:
    text = request.form.get("text", "")
    comment_on_task(current_desk().uow, task_id, text, person=current_person())
    return redirect(url_for("tasks.page", task_id=task_id) + "#talk", 303)


@pages.post("/tasks/<task_id>/schedule")
@allowed(LEADERS)
def schedule(task_id: str) -> Answer:
    """By the clock of the server, as times are shown."""
    here = url_for("tasks.page", task_id=task_id)
    try:
        wanted = Schedule(
            _typed_time("due_at"),
            _typed_time("follow_up_at"),
            int(request.form.get("priority", "")),
        )
    except ValueError:
        flash(t("Give dates with a time, and a whole number as priority."), "bad")
        return redirect(here, 303)
    desk = current_desk()
    schedule_task(desk.uow, desk.clock, task_id, wanted, person=current_person())
    flash(t("Kept."))
    return redirect(here, 303)


def _typed_time(name: str) -> datetime | None:
    """ValueError."""
    text = request.form.get(name, "").strip()
    try:
        return datetime.fromisoformat(text).astimezone() if text else None
    except OverflowError as beyond:
        raise ValueError from beyond
