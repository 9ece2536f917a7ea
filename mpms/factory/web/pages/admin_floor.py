"""The floor drawn in the browser: checked while it is drawn, saved as a version, seen
with ten simulated robots, then used by what starts from then on."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

from flask import (
    Blueprint,
    Response,
    flash,
    jsonify,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.exceptions import BadRequest, NotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.ports.worlds import FILE, WorldDrafts
from mpms.factory.services.worlds.change import (
    WorldRefused,
    WorldVersionUnknown,
    check_draft,
    files_of,
    preview_version,
    save_version,
    use_version,
)
from mpms.factory.services.worlds.show import show_world
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels.floor_faults import fault_shown
from mpms.web.pages.admin_people import ADMINS
from mpms.web.rights import allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("floor_plan", __name__)


def _drafts() -> WorldDrafts:
    drafts = current_desk().drafts
    if drafts is None:
        raise NotFound
    return drafts


@pages.get("/admin/floor")
@allowed(ADMINS)
def show() -> str:
    desk = current_desk()
    text = request.args.get("version", "")
    if text and not text.isdecimal():
        raise NotFound
    try:
        shown = show_world(desk.uow, _drafts(), int(text[:9]) if text else None)
    except WorldVersionUnknown as unknown:
        raise NotFound(str(unknown)) from unknown
    return render_template("admin_floor.html", drawing=shown)


@pages.post("/admin/floor/check")
@allowed(ADMINS)
def check() -> Response:
    """While somebody draws; nothing is kept."""
    draft, based_on = _posted()
    desk = current_desk()
    checked = check_draft(desk.uow, _drafts(), draft, based_on=based_on)
    return jsonify(faults=[fault_shown(each) for each in checked.faults])


@pages.post("/admin/floor/versions")
@allowed(ADMINS)
def save() -> Response | tuple[Response, int]:
    draft, based_on = _posted()
    desk = current_desk()
    try:
        made = save_version(
            desk.uow,
            _drafts(),
            draft,
            based_on=based_on,
            by=current_person().login,
            reason=str((request.get_json(silent=True) or {}).get("reason", "")),
        )
    except WorldRefused as refused:
        faults = [fault_shown(each) for each in refused.faults]
        return jsonify(problem=t("This cannot be saved yet."), faults=faults), 422
    except DatabaseAway:
        raise
    except MpmsError as refused:
        return jsonify(problem=t(str(refused))), 422
    flash(t("Saved as version {n}. Now preview it.", n=made.number), "ok")
    return jsonify(go=url_for("admin.floor_plan.show", version=made.number))


@pages.post("/admin/floor/versions/<int:number>/preview")
@allowed(ADMINS)
def preview(number: int) -> Response | tuple[Response, int]:
    desk = current_desk()
    try:
        seen = preview_version(desk.uow, _drafts(), number, by=current_person().login)
    except DatabaseAway:
        raise
    except MpmsError as refused:
        return jsonify(problem=t(str(refused))), 422
    return jsonify(preview=seen)


@pages.post("/admin/floor/use")
@allowed(ADMINS)
def use() -> Answer:
    desk, form = current_desk(), request.form
    text = form.get("version", "")
    number = int(text[:9]) if text.isdecimal() else FILE
    try:
        use_version(
            desk.uow,
            _drafts(),
            number,
            by=current_person().login,
            reason=form.get("reason", ""),
        )
    except DatabaseAway:
        raise
    except MpmsError as refused:
        flash(t(str(refused)), "bad")
    else:
        flash(t("Used by everything that is started from now on."), "ok")
    return redirect(url_for("admin.floor_plan.show", version=number or None), 303)


@pages.get("/admin/floor/files")
@allowed(ADMINS)
def files() -> Response:
    """The files of a version, for a simulator or another plant."""
    drafts, text = _drafts(), request.args.get("version", "0")
    number = int(text[:9]) if text.isdecimal() else FILE
    with current_desk().uow() as tx:
        found = files_of(tx, drafts, number)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in found.items():
            archive.writestr(f"{drafts.name}/{name}", body)
    answer = Response(packed.getvalue(), content_type="application/zip")
    called = f"{drafts.name}-{number}.zip"
    answer.headers["Content-Disposition"] = f'attachment; filename="{called}"'
    return answer


def _posted() -> tuple[Mapping[str, Any], int]:
    posted = request.get_json(silent=True)
    if not isinstance(posted, dict) or not isinstance(posted.get("draft"), dict):
        raise BadRequest
    based_on = posted.get("based_on")
    return posted["draft"], based_on if isinstance(based_on, int) else FILE
