"""Signing in at the company's own door: there, back, and out again.

What must come back unchanged travels in a cookie of this browser alone; a link that
somebody else made finds no such cookie and opens nothing.
"""

from __future__ import annotations

import hmac
import json
from urllib.parse import urlsplit

from flask import Blueprint, Response, current_app, redirect, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.ports.people.identity import Departure, IdentityProvider, IdentityRefused
from mpms.services.people.sign_in import SignIn
from mpms.services.people.sign_in_elsewhere import sign_in_elsewhere
from mpms.web.rights import open_to_all
from mpms.web.site.signed_in import current_desk, current_door, keep_session, local_path
from mpms.web.texts import t

pages = Blueprint("elsewhere", __name__)

COOKIE = "mpms_departure"
MINUTES = 10
LONGEST = 4000


@pages.get("/login/elsewhere")
@open_to_all
def depart() -> Answer:
    provider = _provider()
    try:
        departure = provider.depart(_return_to())
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _refused(error)
    going = redirect(departure.url, 303)
    kept = {
        "state": departure.state,
        "nonce": departure.nonce,
        "verifier": departure.verifier,
        "next": local_path(request.args.get("next")),
    }
    going.set_cookie(
        COOKIE,
        json.dumps(kept),
        max_age=MINUTES * 60,
        path="/login",
        secure=current_desk().secure,
        httponly=True,
        samesite="Lax",
    )
    return going


@pages.get("/login/arrive")
@open_to_all
def arrive() -> Answer:
    provider, desk = _provider(), current_desk()
    try:
        departure, target = _departure()
        code = request.args.get("code", "")
        if not code or len(code) > LONGEST:
            raise IdentityRefused
        identity = provider.arrive(departure, _return_to(), code)
        signed_in = sign_in_elsewhere(
            desk.uow,
            SignIn(desk.uow, desk.hasher, desk.clock),
            provider.issuer,
            identity,
            current_door(),
        )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _refused(error)
    answer = redirect(target, 303)
    keep_session(answer, signed_in)
    answer.delete_cookie(COOKIE, path="/login")
    return answer


@pages.get("/login/leave")
@open_to_all
def leave() -> Answer:
    """End the provider's session too; ours ended with the button."""
    place = _provider().leave(f"{request.host_url}login")
    return redirect(place or "/login", 303)


def _departure() -> tuple[Departure, str]:
    """IdentityRefused: this browser did not depart from here, or long ago."""
    try:
        kept = json.loads(request.cookies.get(COOKIE, "")[:LONGEST])
        told = [str(kept[name]) for name in ("state", "nonce", "verifier", "next")]
    except (ValueError, KeyError, TypeError):
        raise IdentityRefused from None
    state, nonce, verifier, target = told
    if not hmac.compare_digest(state.encode(), request.args.get("state", "").encode()):
        raise IdentityRefused
    return Departure("", state, nonce, verifier), local_path(target)


def _provider() -> IdentityProvider:
    provider = current_desk().sign_in_elsewhere
    if provider is None:
        raise NotFound
    return provider


def _return_to() -> str:
    """Behind a proxy that speaks TLS we are asked in plain HTTP."""
    told = current_desk().public_url or request.host_url
    parts = urlsplit(told)
    return f"{parts.scheme}://{parts.netloc}/login/arrive"


def _refused(error: MpmsError) -> Response:
    from mpms.web.pages.login import login_page

    current_app.logger.info("sign-in elsewhere: %s", error)
    answer = login_page(t(" ".join(str(error).split())), 401)
    answer.delete_cookie(COOKIE, path="/login")
    return answer
