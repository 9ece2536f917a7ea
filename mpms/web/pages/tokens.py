"""Programs that use the API: made here, shown once, revoked here."""

from __future__ import annotations

from flask import Blueprint, flash, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Role
from mpms.services.api.manage_tokens import (
    MOST_DAYS,
    USUAL_DAYS,
    NewToken,
    TokenDaysInvalid,
    TokenGroupInvalid,
    TokenNameInvalid,
    TokenNameTaken,
    TokenRateInvalid,
    TokenScopeInvalid,
    add_token,
    list_tokens,
    revoke_token,
)
from mpms.web.api.scopes import ScopeUnknown, all_scopes, known_scopes
from mpms.web.rights import ADMINS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("tokens", __name__)

FIELD_OF: dict[type[MpmsError], str] = {
    TokenNameInvalid: "name",
    TokenNameTaken: "name",
    TokenDaysInvalid: "days",
    TokenGroupInvalid: "groups",
    TokenScopeInvalid: "scopes",
    ScopeUnknown: "scopes",
    TokenRateInvalid: "per_minute",
}


@pages.get("/tokens")
@allowed(ADMINS)
def show() -> str:
    return _page()


@pages.post("/tokens")
@allowed(ADMINS)
def add() -> Answer:
    """The answer is the only page that ever shows the secret."""
    desk, form = current_desk(), request.form
    days = form.get("days", "").strip()
    try:
        made = add_token(
            desk.uow,
            desk.clock,
            form.get("name", "").strip().lower(),
            _role(form.get("role", "")),
            groups=[g for g in form.get("groups", "").split(",") if g.strip()],
            scopes=known_scopes(form.get("scopes", "").split(",")),
            per_minute=_number(form.get("per_minute", "")),
            days=int(days) if days.isdecimal() and len(days) < 6 else 0,
            by=current_person().login,
        )
    except tuple(FIELD_OF) as error:
        wrong = {FIELD_OF[type(error)]: t(" ".join(str(error).split()))}
        return make_response(_page(wrong=wrong), 422)
    return make_response(_page(made))


@pages.post("/tokens/<int:token_id>/revoke")
@allowed(ADMINS)
def revoke(token_id: int) -> Answer:
    gone = revoke_token(current_desk().uow, token_id, by=current_person().login)
    flash(t("The token {name} is revoked.", name=gone.name), "ok")
    return redirect("/tokens", 303)


def _role(text: str) -> Role:
    return Role(text) if text in set(Role) else Role.VIEWER


def _number(text: str) -> int | None:
    """Nothing where nothing was typed; 0, which is refused, where it is no number."""
    plain = text.strip()
    if not plain:
        return None
    return int(plain) if plain.isdecimal() and len(plain) < 9 else 0


def _page(made: NewToken | None = None, wrong: dict[str, str] | None = None) -> str:
    desk = current_desk()
    typed = {} if made is not None else request.form
    return render_template(
        "tokens.html",
        tokens=list_tokens(desk.uow),
        made=made,
        wrong=wrong or {},
        typed=typed,
        now=desk.clock.now(),
        usual_days=USUAL_DAYS,
        most_days=MOST_DAYS,
        scopes=all_scopes(),
        address=request.host_url.rstrip("/"),
        roles={
            "viewer": t("Viewer"),
            "worker": t("Worker"),
            "supervisor": t("Supervisor"),
            "admin": t("Administrator"),
        },
    )
