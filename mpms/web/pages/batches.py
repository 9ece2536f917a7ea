"""Bulk actions: asked for with a preview, followed while they run, told one by one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from flask import (
    Blueprint,
    Response,
    abort,
    flash,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as Answer

from mpms.domain.bulk import REVERSE, BatchAction, ItemState
from mpms.domain.errors import DatabaseAway, MpmsError, ProcessUnknown
from mpms.domain.people.people import Role
from mpms.ports.store import UnitOfWork
from mpms.services.bulk.order import order_batch, repeat_failed, reverse_batch
from mpms.services.bulk.preview import BatchPreview, preview_batch
from mpms.services.bulk.show import list_batches, show_batch
from mpms.services.bulk.stop import stop_batch
from mpms.services.processes.page import ProcessPage, process_page
from mpms.web.fields.bulk import Choice, Form, details_in
from mpms.web.fields.instance_actions import FieldWrong
from mpms.web.labels import bulk as words
from mpms.web.labels import instances as instance_words
from mpms.web.labels.cockpit import cell
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("batches", __name__)
READERS = LEADERS | {Role.VIEWER}
NUMBER = f"<int(max={2**63 - 1}):batch_id>"
MOST_DIGITS = 18
EXPORTED = 1_000


@pages.app_context_processor
def vocabulary() -> dict[str, object]:
    return {"batch_words": words, "batch_actions": list(BatchAction)}


# -- looking --------------------------------------------------------------------------


@pages.get("/batches")
@allowed(READERS)
def board() -> str:
    return render_template("batches.html", **_listed())


@pages.get("/batches/list")
@allowed(READERS)
def listing() -> str:
    return render_template("_batches_list.html", **_listed())


@pages.get(f"/batches/{NUMBER}")
@allowed(READERS)
def page(batch_id: int) -> str:
    return render_template("batch.html", **_shown(batch_id))


@pages.get(f"/batches/{NUMBER}/now")
@allowed(READERS)
def now(batch_id: int) -> str:
    return render_template("_batch_now.html", **_shown(batch_id))


@pages.get(f"/batches/{NUMBER}/items.csv")
@allowed(READERS)
def export(batch_id: int) -> Response:
    """Every item and its result."""
    heading = [t("Business key"), t("Result"), t("Message"), t("Time"), t("Id")]
    uow = current_desk().uow
    batch = show_batch(uow, batch_id, limit=1).batch
    states = {state: words.item_word(batch, state) for state in ItemState}
    lines = _csv(uow, batch_id, heading, states)  # runs after this request
    answer = Response(lines, content_type="text/csv; charset=utf-8")
    name = f"batch-{batch_id}.csv"
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _csv(
    uow: UnitOfWork,
    batch_id: int,
    heading: list[str],
    states: Mapping[ItemState, str],
) -> Iterator[str]:
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    yield "\ufeff"  # without it a spreadsheet reads umlauts wrongly
    writer.writerow(heading)
    after = 0
    while True:
        found = show_batch(uow, batch_id, after=after, limit=EXPORTED)
        for item in found.items:
            row = [
                *(item.business_key, states[item.state], item.message),
                item.done_at.isoformat() if item.done_at else "",
                item.target.instance_id,
            ]
            writer.writerow([cell(value) for value in row])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        if found.after is None:
            return
        after = found.after


def _listed() -> dict[str, Any]:
    below = _number("below")
    return {"listing": list_batches(current_desk().uow, below=below), "below": below}


def _shown(batch_id: int) -> dict[str, Any]:
    desk = current_desk()
    wish = request.args.get("only", "")
    only = ItemState(wish) if wish in set(ItemState) else None
    after = _number("after") or 0
    found = show_batch(desk.uow, batch_id, state=only, after=after)
    batch = found.batch
    key = next((item.key for item in found.items if item.key), None)
    return {
        "found": found,
        "batch": batch,
        "only": only,
        "after": after,
        "counts": {None: batch.items, "failed": batch.failed, "done": batch.done}
        | {"waiting": batch.left},
        "process": key,
        "details": words.details_words(batch, _step_names(key)),
        "reverse": REVERSE.get(batch.action),
        "leads": current_person().leads,
    }


def _step_names(key: str | None) -> dict[str, str]:
    desk = current_desk()
    if key is None:
        return {}
    try:
        steps = process_page(desk.uow, desk.engine, key).steps
    except ProcessUnknown:
        return {}
    return {step.id: step.name for step in steps if step.name}


def _number(name: str) -> int | None:
    text = request.args.get(name, "")
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


# -- ordering -------------------------------------------------------------------------


@pages.get("/batches/new")
@allowed(LEADERS)
def ask() -> str:
    return _form(request.args)


@pages.post("/batches")
@allowed(LEADERS)
def order() -> Answer | tuple[str, int]:
    form, desk = request.form, current_desk()
    action, choice = _action(form), Choice.of(form)
    shown = process_page(
        desk.uow, desk.engine, choice.key, version=choice.filter.version
    )
    try:
        batch_id = order_batch(
            desk.uow,
            action,
            choice.which(shown, desk.clock.now()),
            details=details_in(action, form, complete=True),
            by=current_person().login,
            reason=form.get("reason", ""),
        )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _form(form, error), 422
    return redirect(url_for("batches.page", batch_id=batch_id), 303)


def _action(form: Form) -> BatchAction:
    wish = form.get("action", "")
    return BatchAction(wish) if wish in set(BatchAction) else abort(404)


def _form(form: Form, error: MpmsError | None = None) -> str:
    desk, action, choice = current_desk(), _action(form), Choice.of(form)
    shown = process_page(
        desk.uow, desk.engine, choice.key, version=choice.filter.version
    )
    preview: BatchPreview | None = None
    try:
        preview = preview_batch(
            desk.uow,
            desk.engine,
            action,
            choice.which(shown, desk.clock.now()),
            details_in(action, form, complete=False),
        )
    except DatabaseAway:
        raise
    except MpmsError as found:
        error = error or found
    part = "HX-Request" in request.headers
    return render_template(
        "_batch_new.html" if part else "batch_new.html",
        action=action,
        choice=choice,
        page=shown,
        preview=preview,
        typed=form,
        refused=error,
        wrong_field=error.field if isinstance(error, FieldWrong) else "",
        choices=instance_words.choices({step.id: step for step in shown.steps}),
        chosen_step=form.get("at") or choice.filter.element,
        versions=_versions(shown),
    )


def _versions(shown: ProcessPage) -> list[int]:
    return [row.version for row in shown.versions]


# -- while it runs, and after ---------------------------------------------------------


@pages.post(f"/batches/{NUMBER}/stop")
@allowed(LEADERS)
def stop(batch_id: int) -> Answer:
    by, reason = current_person().login, request.form.get("reason", "")
    stop_batch(current_desk().uow, batch_id, by=by, reason=reason)
    flash(t("It is stopped. What was done stays done."), "ok")
    return redirect(url_for("batches.page", batch_id=batch_id), 303)


@pages.post(f"/batches/{NUMBER}/again")
@allowed(LEADERS)
def again(batch_id: int) -> Answer:
    """Once more, for those that failed."""
    by, reason = current_person().login, request.form.get("reason", "")
    new = repeat_failed(current_desk().uow, batch_id, by=by, reason=reason)
    return redirect(url_for("batches.page", batch_id=new), 303)


@pages.post(f"/batches/{NUMBER}/undo")
@allowed(LEADERS)
def undo(batch_id: int) -> Answer:
    by, reason = current_person().login, request.form.get("reason", "")
    new = reverse_batch(current_desk().uow, batch_id, by=by, reason=reason)
    return redirect(url_for("batches.page", batch_id=new), 303)
