"""Ask for help with a task, hand it back, and say something about it."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.factory.web.desk import current_desk
from mpms.services.tasks.comment import comment_on_task
from mpms.services.tasks.delegate import delegate_task, resolve_task
from mpms.web.rights import DOERS, allowed
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
