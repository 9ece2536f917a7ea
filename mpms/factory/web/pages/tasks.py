"""What waits for people: the queue, and a task card by card."""

from __future__ import annotations

from typing import Any

from flask import (
    Blueprint,
    flash,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import MpmsError, TaskGone
from mpms.domain.people.people import Person
from mpms.factory.services.tasks.listing import TaskView, next_of, tasks_for
from mpms.factory.web.desk import current_desk
from mpms.factory.web.fields.task_page import say, script_asks, task_page, view_of
from mpms.factory.web.mini_map import mini_map
from mpms.factory.web.pages import answers, help, late
from mpms.services.tasks.claim import (
    UNDO_WITHIN_S,
    NotYourTask,
    claim_task,
    give_back_task,
)
from mpms.web.rights import DOERS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("tasks", __name__)
pages.register_blueprint(answers.pages)
pages.register_blueprint(late.pages)
pages.register_blueprint(help.pages)
pages.register_error_handler(MpmsError, say)


@pages.get("/tasks")
@allowed(DOERS)
def listing() -> str:
    return render_template("tasks.html", **_queue())


@pages.get("/tasks/list")
@allowed(DOERS)
def fragment() -> str:
    return render_template("_task_list.html", **_queue())


def _queue() -> dict[str, Any]:
    desk, person = current_desk(), current_person()
    views = _views(person)
    first = next_of(views, person, shown=request.args.get("next"))
    rest = [view for view in views if view is not first]
    late_count = incidents = 0
    if person.leads:
        with desk.uow() as tx:
            late_count = len(tx.late_answers.open())
            incidents = len(tx.incidents.listing())
    return {
        "person": person,
        "next": first,
        "mine": [view for view in rest if view.belongs_to(person)],
        "queue": [view for view in rest if view.claim is None],
        "others": [view for view in rest if _of_others(view, person)],
        "late_count": late_count,
        "incident_count": incidents,
    }


def _of_others(view: TaskView, person: Person) -> bool:
    return view.claim is not None and not view.belongs_to(person)


def _views(person: Person) -> list[TaskView]:
    desk = current_desk()
    return list(
        tasks_for(
            desk.uow,
            person,
            now=desk.clock.now(),
            world=desk.world,
            floor=desk.floor.seen(),
        )
    )


@pages.get("/tasks/<task_id>")
@allowed(DOERS)
def page(task_id: str) -> str | Answer:
    try:
        return task_page(task_id)
    except TaskGone:
        flash(t("This task has ended. Here is what is open now."))
        return redirect(url_for("tasks.listing"), 303)


@pages.get("/tasks/<task_id>/now")
@allowed(DOERS)
def now(task_id: str) -> str:
    """What may change while somebody looks: the robot, and whether it still waits."""
    person = current_person()
    try:
        view = view_of(task_id)
    except (TaskGone, NotYourTask):
        after = next_of(_views(person), person)
        return render_template("_task_now.html", view=None, person=person, after=after)
    return render_template(
        "_task_now.html",
        view=view,
        person=person,
        mini_map=mini_map(view, current_desk().world),
        oob=view.place is not None,
    )


@pages.get("/tasks/<task_id>/scale")
@allowed(DOERS)
def scale(task_id: str) -> Answer:
    """What the scale of its robot shows, for the tablet beside it."""
    view, weights = view_of(task_id), current_desk().weights
    robot, near = view.task.inputs.get("robot"), view.robot
    if weights is None or not isinstance(robot, str):
        return jsonify(state="none")
    if near is None or not near.here:
        return jsonify(state="not here")
    shown = weights.of(robot, view.place)
    state = "away" if shown.away else "moving" if shown.moving else "still"
    return jsonify(state=state, kg=shown.kg)


@pages.post("/tasks/<task_id>/claim")
@allowed(DOERS)
def claim(task_id: str) -> Answer:
    claim_task(current_desk().uow, task_id, person=current_person())
    if script_asks():
        return jsonify(state="claimed", undo_s=UNDO_WITHIN_S)
    return redirect(url_for("tasks.page", task_id=task_id), 303)


@pages.post("/tasks/<task_id>/release")
@allowed(DOERS)
def release(task_id: str) -> Answer:
    desk = current_desk()
    done = give_back_task(desk.uow, desk.clock, task_id, person=current_person())
    if script_asks():
        return jsonify(
            state="free" if done else "already", next=url_for("tasks.listing")
        )
    return redirect(url_for("tasks.listing"), 303)
