"""The second factor after the password: a code, or a passkey."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from flask import Blueprint, jsonify, make_response, redirect, render_template, request
from werkzeug.exceptions import BadRequest
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import NotFound
from mpms.ports.people.second_factors import (
    Authenticators,
    PasskeyRefused,
    PasskeySite,
)
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.services.people.second_factor import (
    CodeRefused,
    HalfSignInOver,
    SecondStep,
)
from mpms.services.people.sign_in import SignedIn, SignIn
from mpms.web.rights import open_to_all
from mpms.web.site.security import waiting_text
from mpms.web.site.signed_in import (
    current_desk,
    current_door,
    half_token,
    keep_half,
    keep_session,
    local_path,
)
from mpms.web.texts import t

pages = Blueprint("second", __name__)


@pages.get("/login/second")
@open_to_all
def show() -> Answer:
    return _page()


@pages.post("/login/second")
@open_to_all
def with_code() -> Answer:
    try:
        signed_in = _step().with_code(
            half_token(), request.form.get("code", ""), current_door()
        )
    except TooManyAttempts as error:
        return _page(waiting_text(error), 429)
    except CodeRefused as error:
        return _page(t(str(error)), 401)
    except HalfSignInOver:
        return redirect("/login?with=password", 303)
    answer = redirect(_next(), 303)
    _let_in(answer, signed_in)
    return answer


@pages.post("/login/second/passkey/ask")
@open_to_all
def ask_passkey() -> Answer:
    """What the browser hands to the device."""
    return jsonify(dict(_step().ask_passkey(half_token(), passkey_site()).options))


@pages.post("/login/second/passkey")
@open_to_all
def with_passkey() -> Answer:
    said = request.get_json()
    if not isinstance(said, dict):
        raise BadRequest
    signed_in = _step().with_passkey(half_token(), passkey_site(), said, current_door())
    answer = jsonify(next=_next())
    _let_in(answer, signed_in)
    return answer


def second_page_of(token: str, go_on_to: str) -> Answer:
    """After a right password."""
    answer = redirect(f"/login/second?next={go_on_to}", 303)
    keep_half(answer, token)
    return answer


def passkey_site() -> PasskeySite:
    """NotFound, where devices keep no keys: they know sites by name."""
    desk = current_desk()
    origin = desk.public_url or f"{request.scheme}://{request.host}"
    name = urlsplit(origin).hostname or ""
    if _is_address(name) or not (origin.startswith("https:") or name == "localhost"):
        raise NotFound("Passkeys need a name in the address, and HTTPS.")
    parts = urlsplit(origin)
    return PasskeySite(name, f"{parts.scheme}://{parts.netloc}")


def passkeys_work() -> bool:
    try:
        passkey_site()
    except NotFound:
        return False
    return True


def authenticators() -> Authenticators:
    """NotFound, on a site that knows none."""
    found = current_desk().authenticators
    if found is None:
        raise NotFound("There are no second factors here.")
    return found


def _step() -> SecondStep:
    desk = current_desk()
    sign_in = SignIn(desk.uow, desk.hasher, desk.clock)
    return SecondStep(desk.uow, desk.clock, sign_in, authenticators())


def _page(problem: str | None = None, status: int = 200) -> Answer:
    desk = current_desk()
    try:
        half = _step().who(half_token())
    except HalfSignInOver:
        return redirect("/login?with=password", 303)
    with desk.uow() as tx:
        app = tx.second_factors.app(half.person.id)
        keys = tx.second_factors.passkeys(half.person.id)
    here = passkey_site().name if passkeys_work() else None
    page = render_template(
        "login_second.html",
        has_app=app is not None and app.confirmed,
        has_passkey=any(key.site == here for key in keys),
        has_elsewhere=bool(keys),
        problem=problem,
        next=_next(),
    )
    return make_response(page, status)


def _let_in(answer: Answer, signed_in: SignedIn) -> None:
    keep_half(answer, "")
    keep_session(answer, signed_in)


def _next() -> str:
    target = local_path(request.values.get("next"))
    return "/" if urlsplit(target).path.startswith(("/login", "/logout")) else target


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


__all__ = ["PasskeyRefused", "authenticators", "pages", "passkey_site"]
