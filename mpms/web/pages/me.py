"""One's own page: name, language, mail address, password and PIN."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, flash, jsonify, redirect, render_template, request
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Role
from mpms.domain.people.secret_rules import PasswordTooWeak, PinTooWeak
from mpms.services.alerts.subscribe import AddressInvalid, AddressMissing, set_mail
from mpms.services.people.change_secret import (
    OldSecretWrong,
    prove,
    set_password,
    set_pin,
)
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.services.people.own_sessions import (
    SessionUnknown,
    end_other_sessions,
    end_session,
)
from mpms.services.people.recognise import give_entry_key
from mpms.services.people.session_tokens import hash_of
from mpms.services.people.sign_in import SignIn
from mpms.web.pages import me_second
from mpms.web.pages.login_second import passkeys_work
from mpms.web.rights import EVERYBODY, allowed
from mpms.web.site.security import waiting_text
from mpms.web.site.signed_in import (
    current_desk,
    current_door,
    current_person,
    keep_session,
    must_add_factor,
    must_choose_password,
    session_token,
)
from mpms.web.texts import t

pages = Blueprint("me", __name__)
pages.register_blueprint(me_second.pages)


class NotTheSame(MpmsError):
    """The two entries are not the same."""


@pages.get("/me")
@allowed(EVERYBODY)
def show() -> str:
    return page()


@pages.post("/me/entry-key")
@allowed(EVERYBODY)
def entry_key() -> Answer:
    """What this tablet signs the entries of this sign-in with."""
    key = give_entry_key(current_desk().uow, session_token() or "")
    return jsonify(key=None if key is None else key.hex())


@pages.post("/me/sessions/<int:session_id>/end")
@allowed(EVERYBODY)
def end_one(session_id: int) -> Answer:
    with suppress(SessionUnknown):
        end_session(current_desk().uow, current_person(), session_id)
    flash(t("You are signed out there."))
    return redirect("/me", 303)


@pages.post("/me/sessions/end")
@allowed(EVERYBODY)
def end_others() -> Answer:
    end_other_sessions(current_desk().uow, current_person(), session_token() or "")
    flash(t("You are signed out everywhere else."))
    return redirect("/me", 303)


@pages.post("/me/password")
@allowed(EVERYBODY)
def change_password() -> Answer | tuple[str, int]:
    return _change("password")


@pages.post("/me/pin")
@allowed(EVERYBODY)
def change_pin() -> Answer | tuple[str, int]:
    return _change("pin")


@pages.post("/me/mail")
@allowed(EVERYBODY)
def change_mail() -> Answer | tuple[str, int]:
    person, typed = current_person(), request.form.get("mail", "")
    try:
        set_mail(current_desk().uow, person.login, typed, by=person.login)
    except (AddressInvalid, AddressMissing) as error:
        return page("mail", t(str(error)), mail=typed), 422
    flash(t("Your mail address is changed."))
    return redirect("/me", 303)


def _change(what: str) -> Answer | tuple[str, int]:
    desk, person = current_desk(), current_person()
    new = request.form.get("new", "")
    try:
        if new != request.form.get("again", ""):
            raise NotTheSame
        prove(desk.uow, desk.hasher, person.login, request.form.get("now", ""))
        if what == "password":
            set_password(desk.uow, desk.hasher, person.login, new, by=person.login)
        else:
            set_pin(desk.uow, desk.hasher, person.login, new, by=person.login)
    except TooManyAttempts as error:
        return page(what, waiting_text(error)), 429
    except (NotTheSame, OldSecretWrong, PasswordTooWeak, PinTooWeak) as error:
        return page(what, t(str(error))), 422
    signed_in = SignIn(desk.uow, desk.hasher, desk.clock).again(person, current_door())
    flash(
        t("Your password is changed.")
        if what == "password"
        else t("Your PIN is changed.")
    )
    answer = redirect("/me", 303)
    keep_session(answer, signed_in)
    return answer


def page(
    failed: str | None = None, problem: str | None = None, *, mail: str | None = None
) -> str:
    person = current_person()
    with current_desk().uow() as tx:
        secrets = tx.people.secrets(person.login)
        app = tx.second_factors.app(person.id)
        passkeys = tx.second_factors.passkeys(person.id)
        sessions = tx.sessions.of(person.id)
    return render_template(
        "me.html",
        role_name=_role(person.role),
        has_password=secrets is not None and secrets.password_hash is not None,
        has_pin=secrets is not None and secrets.pin_hash is not None,
        mail=person.mail or "" if mail is None else mail,
        failed=failed,
        problem=problem,
        must_choose=must_choose_password(),
        must_add=must_add_factor(),
        second=current_desk().authenticators is not None,
        has_app=app is not None and app.confirmed,
        passkeys=passkeys,
        passkeys_work=passkeys_work(),
        sessions=sessions,
        here=hash_of(session_token() or ""),
        means_of=means_words,
    )


def means_words(means: str) -> str:
    """What a sign-in was opened with."""
    return {
        "password": t("Password"),
        "pin": t("PIN"),
        "badge": t("Badge"),
        "password and code": t("Password and code"),
        "password and passkey": t("Password and passkey"),
        "changed secret": t("Password"),
    }.get(means, means)


def _role(role: Role) -> str:
    return {
        Role.ADMIN: t("Administrator"),
        Role.SUPERVISOR: t("Supervisor"),
        Role.WORKER: t("Worker"),
        Role.VIEWER: t("Viewer"),
    }[role]
