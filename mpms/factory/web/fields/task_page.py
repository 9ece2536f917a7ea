"""One task as a page, and what goes wrong with it said to scripts and to people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from flask import (
    current_app,
    flash,
    jsonify,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.exceptions import BadRequest, default_exceptions
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import (
    DatabaseAway,
    FormInvalid,
    InstanceBusy,
    MpmsError,
    ServerBusy,
    TaskGone,
)
from mpms.domain.people.people import Person
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.services.schedule.show import told_mixing_min
from mpms.factory.services.tasks.accept_weight import refused_in, refused_weight
from mpms.factory.services.tasks.listing import TaskView, task_for
from mpms.factory.web.desk import current_desk
from mpms.factory.web.mini_map import mini_map
from mpms.services.people.recognise import AnsweredElsewhere
from mpms.services.tasks.claim import (
    UNDO_WITHIN_S,
    NotYourTask,
    TaskTaken,
    UndoTooLate,
)
from mpms.services.tasks.decide_late_answer import AnswerOvertaken, LateAnswerDecided
from mpms.services.tasks.delegate import HelpAwaited, NobodyAsked
from mpms.services.tasks.report_problem import causes_of
from mpms.services.tasks.save_draft import DraftTooLarge
from mpms.web.fields.rendering import problems_of, render_form
from mpms.web.site.problems import told_outside
from mpms.web.site.security import say_ours
from mpms.web.site.signed_in import current_person, wants_json
from mpms.web.texts import t

STATUS_OF = (
    (NotYourTask, 403),
    (AnsweredElsewhere, 403),
    (TaskTaken, 409),
    (UndoTooLate, 409),
    (AnswerOvertaken, 409),
    (LateAnswerDecided, 409),
    (InstanceBusy, 409),
    (HelpAwaited, 409),
    (NobodyAsked, 409),
    (TaskGone, 404),
    (DraftTooLarge, 413),
    (MpmsError, 422),
)


_BACK_TO_THE_LIST = (
    TaskTaken | UndoTooLate | TaskGone | AnswerOvertaken | HelpAwaited | NobodyAsked
)


def view_of(task_id: str) -> TaskView:
    """TaskGone, NotYourTask."""
    desk = current_desk()
    return task_for(
        desk.uow,
        current_person(),
        task_id,
        now=desk.clock.now(),
        world=desk.world,
        floor=desk.floor.seen(),
    )


def schema_of(view: TaskView) -> dict[str, Any]:
    if view.task.form is None:
        return {"components": []}
    with current_desk().uow() as tx:
        return tx.definitions.form(view.task.form) or {"components": []}


def task_page(
    task_id: str,
    answers: Mapping[str, Any] | None = None,
    problems: Mapping[str, str] | None = None,
) -> str:
    """The whole page; with answers that did not fit, those and what is wrong."""
    desk, person = current_desk(), current_person()
    view = view_of(task_id)
    with desk.uow() as tx:
        drafts = tx.drafts.of(task_id)
        causes = causes_of(tx, desk.advance, view.task)
        comments = tx.tasks.comments(task_id)
        people = tx.people.listing()
        refused = refused_weight(tx, view.task) if person.leads else None
    values = drafts if answers is None else answers
    schema, in_force = schema_of(view), desk.in_force.catalogue
    timer_min = None
    if schema.get("timer") == "recipe":
        timer_min = told_mixing_min(view.product, desk.world, in_force)
    undo_s = 0.0
    if view.claim is not None and view.belongs_to(person):
        age_s = (desk.clock.now() - view.claim.claimed_at).total_seconds()
        undo_s = min(UNDO_WITHIN_S, UNDO_WITHIN_S - age_s)
    return render_template(
        "task.html",
        view=view,
        typed_time=_typed_time,
        person=person,
        mine=view.belongs_to(person),
        taken=view.claim is not None and not view.belongs_to(person),
        one_card=schema.get("card") == "one",
        timer_min=timer_min,
        off_kg=_off_kg(view),
        liquid=_is_liquid(view, in_force),
        scale=_has_scale(view),
        form=render_form(
            schema,
            view.task.inputs,
            values,
            feel=desk.engine.feel,
            problems=problems or {},
        ),
        drafts=sorted(drafts),
        causes=causes,
        comments=comments,
        names={c.login: c.login for c in comments} | {p.login: p.name for p in people},
        helpers=_helpers(view, person, people),
        undo_s=int(undo_s),
        mini_map=mini_map(view, desk.world),
        problems=problems or {},
        refused=refused,
    )


def _is_liquid(view: TaskView, catalogue: Catalogue | None) -> bool:
    """What has a density is drawn as a drum, all else as a sack."""
    code = "" if view.material is None else view.material.code
    known = None if catalogue is None else catalogue.by_code(code)
    return known is not None and known.density_kg_per_l is not None


def _off_kg(view: TaskView) -> float | None:
    """How much more than asked for the scale has shown, and nobody has accepted."""
    off = refused_in(view.task.form, view.task.inputs)
    return None if off is None else round(off.kg - off.required_kg, 3)


def _has_scale(view: TaskView) -> bool:
    weights, robot = current_desk().weights, view.task.inputs.get("robot")
    if weights is None or not isinstance(robot, str) or view.material is None:
        return False
    return weights.has(robot, view.place)


def _helpers(view: TaskView, person: Person, people: Sequence[Person]) -> list[Person]:
    """Whom one can ask for help with a task that one has or that is free."""
    mine = view.claim is None or view.belongs_to(person) or person.leads
    if view.decision or not mine or (view.task.helper and not person.leads):
        return []
    holder = view.task.owner if view.task.helper else None
    holder = holder or (view.claim and view.claim.claimed_by) or person.login
    return [p for p in people if p.active and p.works and p.login != holder]


def body() -> dict[str, Any]:
    """A JSON object, or 400."""
    found = request.get_json(silent=True)
    if not isinstance(found, dict):
        raise BadRequest
    return found


def script_asks() -> bool:
    return request.is_json or wants_json()


def problem_texts(wrong: FormInvalid) -> dict[str, str]:
    return problems_of(wrong) or {"": t(str(wrong))}


def say(error: MpmsError) -> Answer:
    """Scripts get JSON with the cause; people get back to the list with a sentence."""
    away = isinstance(error, DatabaseAway | ServerBusy)
    if away and not script_asks():
        return say_ours(error)
    status = (
        503
        if away
        else next(code for kind, code in STATUS_OF if isinstance(error, kind))
    )
    text = t(told_outside(error))
    if isinstance(error, TaskTaken):
        text = t("{who} has this task.", who=error.by)
    if isinstance(error, HelpAwaited):
        text = t(
            "{who} was asked for help. Wait until it is handed back.", who=error.helper
        )
    if not script_asks():
        if isinstance(error, _BACK_TO_THE_LIST):
            flash(text)
            return redirect(url_for("tasks.listing"), 303)
        refusal = default_exceptions[status](text)
        return make_response(current_app.handle_http_exception(refusal))
    busy = away or isinstance(error, InstanceBusy)
    answer = jsonify(
        error=text,
        cause=type(error).__name__,
        problems=problem_texts(error) if isinstance(error, FormInvalid) else None,
        retry=busy,
    )
    answer.status_code = status
    if busy:
        answer.headers["Retry-After"] = "1"
    return answer


def _typed_time(at: datetime | None) -> str:
    """As a browser's field for a date and time takes it."""
    return "" if at is None else f"{at.astimezone():%Y-%m-%dT%H:%M}"
