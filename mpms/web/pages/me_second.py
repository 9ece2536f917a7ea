"""One's second factors: an app that shows codes, and passkeys."""

from __future__ import annotations

import binascii

from flask import Blueprint, flash, jsonify, redirect, render_template, request
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as Answer

from mpms.services.people.change_secret import OldSecretWrong, prove
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.services.people.second_factor import (
    AppThere,
    CodeRefused,
    FactorUnknown,
    add_passkey,
    begin_app,
    confirm_app,
    drop_factor,
    offer_passkey,
)
from mpms.web.labels.qr_code import qr_code
from mpms.web.pages.login_second import authenticators, passkey_site
from mpms.web.rights import EVERYBODY, allowed
from mpms.web.site.security import waiting_text
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("second", __name__)


@pages.post("/me/second/app")
@allowed(EVERYBODY)
def begin() -> Answer | str | tuple[str, int]:
    """The answer is the only page that ever shows the secret."""
    if (refused := _refused()) is not None:
        return refused
    desk, person = current_desk(), current_person()
    try:
        secret = begin_app(desk.uow, authenticators(), person)
    except AppThere as error:
        flash(t(str(error)))
        return redirect("/me", 303)
    return _app_page(secret)


@pages.post("/me/second/app/confirm")
@allowed(EVERYBODY)
def confirm() -> Answer | tuple[str, int]:
    desk, person = current_desk(), current_person()
    code = request.form.get("code", "")
    try:
        confirm_app(desk.uow, desk.clock, authenticators(), person, code)
    except TooManyAttempts as error:
        flash(waiting_text(error))
        return redirect("/me", 303)
    except CodeRefused as error:
        with desk.uow() as tx:
            app = tx.second_factors.app(person.id)
        secret = "" if app is None or app.confirmed else app.secret
        return _app_page(secret, t(str(error))), 422
    flash(t("From now on you are asked for a code after your password."), "ok")
    return redirect("/me", 303)


@pages.post("/me/second/passkey/offer")
@allowed(EVERYBODY)
def offer() -> Answer | tuple[Answer, int]:
    """What the browser hands to the device, and a token to come back with."""
    desk, person = current_desk(), current_person()
    try:
        prove(desk.uow, desk.hasher, person.login, request.form.get("now", ""))
    except TooManyAttempts as error:
        return jsonify(error=waiting_text(error)), 429
    except OldSecretWrong as error:
        return jsonify(error=t(str(error))), 422
    made, token = offer_passkey(desk.uow, authenticators(), person, passkey_site())
    return jsonify(options=dict(made.options), token=token)


@pages.post("/me/second/passkey")
@allowed(EVERYBODY)
def add() -> Answer:
    sent = request.get_json()
    if not isinstance(sent, dict) or not isinstance(sent.get("said"), dict):
        raise BadRequest
    add_passkey(
        current_desk().uow,
        authenticators(),
        current_person(),
        passkey_site(),
        str(sent.get("token")),
        sent["said"],
        str(sent.get("name")),
    )
    flash(t("The passkey is added. You are asked for it after your password."), "ok")
    return jsonify(next="/me")


@pages.post("/me/second/remove")
@allowed(EVERYBODY)
def remove() -> Answer | tuple[str, int]:
    if (refused := _refused()) is not None:
        return refused
    which = request.form.get("passkey")
    try:
        key = None if which is None else bytes.fromhex(which)
        drop_factor(current_desk().uow, current_person(), key)
    except (FactorUnknown, ValueError, binascii.Error):
        flash(t("It was removed before."))
    else:
        flash(t("The second factor is removed."))
    return redirect("/me", 303)


def _refused() -> tuple[str, int] | None:
    """Whoever changes this proves the password again."""
    from mpms.web.pages.me import page

    desk, person = current_desk(), current_person()
    try:
        prove(desk.uow, desk.hasher, person.login, request.form.get("now", ""))
    except TooManyAttempts as error:
        return page("second", waiting_text(error)), 429
    except OldSecretWrong as error:
        return page("second", t(str(error))), 422
    return None


def _app_page(secret: str, problem: str | None = None) -> str:
    address = authenticators().app_address(secret, current_person().login)
    spoken = " ".join(secret[i : i + 4] for i in range(0, len(secret), 4))
    return render_template(
        "me_second.html", picture=qr_code(address), secret=spoken, problem=problem
    )
