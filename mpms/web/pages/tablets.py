"""Tablets on which a PIN or a badge is enough: this browser becomes one, or stops."""

from __future__ import annotations

from flask import Blueprint, flash, redirect, render_template, request
from werkzeug.wrappers import Response as Answer

from mpms.services.people.enrol_tablet import (
    TabletNameInvalid,
    enrol_tablet,
    revoke_tablet,
)
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import (
    current_desk,
    current_person,
    current_tablet,
    drop_tablet,
    keep_tablet,
)
from mpms.web.texts import t

pages = Blueprint("tablets", __name__)


@pages.get("/tablets")
@allowed(LEADERS)
def show() -> str:
    return _page()


@pages.post("/tablets")
@allowed(LEADERS)
def enrol() -> Answer | tuple[str, int]:
    desk = current_desk()
    known = current_tablet()
    if known is not None:
        flash(t("This browser is already enrolled."))
        return redirect("/tablets", 303)
    try:
        token = enrol_tablet(
            desk.uow, request.form.get("name", ""), by=current_person().login
        )
    except TabletNameInvalid as error:
        return _page(t(str(error))), 422
    flash(t("This browser is enrolled. Sign out, and people sign in with their PIN."))
    answer = redirect("/tablets", 303)
    keep_tablet(answer, token)
    return answer


@pages.post("/tablets/<int:tablet_id>/revoke")
@allowed(LEADERS)
def revoke(tablet_id: int) -> Answer:
    here = current_tablet()
    revoke_tablet(current_desk().uow, tablet_id, by=current_person().login)
    flash(t("The tablet is revoked. Whoever was signed in there is signed out."))
    answer = redirect("/tablets", 303)
    if here is not None and here.id == tablet_id:
        drop_tablet(answer)
    return answer


def _page(problem: str | None = None) -> str:
    with current_desk().uow() as tx:
        tablets = tx.sessions.tablets()
    return render_template(
        "tablets.html", tablets=tablets, here=current_tablet(), problem=problem
    )
