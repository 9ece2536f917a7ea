"""Who asks: every request is checked here against the rights of its page."""

from __future__ import annotations

from typing import cast
from urllib.parse import quote, urlsplit

from flask import Flask, current_app, g, redirect, request
from werkzeug.exceptions import Forbidden, Unauthorized
from werkzeug.wrappers import Response

from mpms.domain import trace
from mpms.domain.people.people import Person
from mpms.ports.people.sessions import Session, Tablet
from mpms.services.people.recognise import recognise, recognise_tablet, sign_in_of
from mpms.services.people.sign_in import HALF_S, SESSION_H, Door, SignedIn
from mpms.web.desk import Desk
from mpms.web.labels.browsers import browser_name
from mpms.web.rights import STRANGERS, knows_tokens, roles_of
from mpms.web.site.shares import take_share

SESSION_COOKIE = "mpms_session"
TABLET_COOKIE = "mpms_tablet"
HALF_COOKIE = "mpms_half"
TABLET_DAYS = 365
BEFORE_NEW_PASSWORD = frozenset({"login.me.show", "login.me.change_password"})
BEFORE_SECOND_FACTOR = BEFORE_NEW_PASSWORD | {
    "login.me.second.begin",
    "login.me.second.confirm",
    "login.me.second.offer",
    "login.me.second.add",
}
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def current_desk() -> Desk:
    return cast(Desk, current_app.extensions["desk"])


def current_person() -> Person:
    """Whoever asks; pages that are open to all use ``person_or_none``."""
    person = person_or_none()
    if person is None:
        raise Unauthorized
    return person


def person_or_none() -> Person | None:
    session = current_session()
    return None if session is None else session.person


def current_session() -> Session | None:
    """Looked up once a request."""
    if "session" not in g:
        token = session_token()
        desk = current_desk()
        g.session = (
            None
            if token is None
            else recognise(
                desk.uow, desk.clock, token, by_hand=_by_hand(), idle=desk.idle
            )
        )
        g.person = None if g.session is None else g.session.person
    return cast(Session | None, g.session)


def current_tablet() -> Tablet | None:
    """The enrolled tablet that asks, if it is one."""
    if "tablet" not in g:
        token = request.cookies.get(TABLET_COOKIE)
        g.tablet = None if not token else recognise_tablet(current_desk().uow, token)
    return cast(Tablet | None, g.tablet)


def session_token() -> str | None:
    return request.cookies.get(SESSION_COOKIE) or None


def current_door() -> Door:
    return Door(
        request.remote_addr or "unknown",
        current_tablet(),
        session_token(),
        browser_name(request.user_agent.string),
    )


def still_signed_in(desk: Desk, token: str) -> bool:
    """For streams that outlive their first check; needs no request."""
    found = recognise(desk.uow, desk.clock, token, by_hand=False, idle=desk.idle)
    return found is not None


def keep_session(answer: Response, signed_in: SignedIn) -> None:
    _keep(answer, SESSION_COOKIE, signed_in.token, SESSION_H * 3600)


def drop_session(answer: Response) -> None:
    _keep(answer, SESSION_COOKIE, "", 0)


def keep_half(answer: Response, token: str) -> None:
    """The password was right; the second factor is still to come."""
    _keep(answer, HALF_COOKIE, token, int(HALF_S) if token else 0)


def half_token() -> str:
    return request.cookies.get(HALF_COOKIE) or ""


def keep_tablet(answer: Response, token: str) -> None:
    _keep(answer, TABLET_COOKIE, token, TABLET_DAYS * 86_400)


def drop_tablet(answer: Response) -> None:
    _keep(answer, TABLET_COOKIE, "", 0)


def wants_page() -> bool:
    """Somebody looks at an address; no script asks."""
    return (
        request.method in SAFE_METHODS
        and "HX-Request" not in request.headers
        and request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
        and not wants_json()
        and "text/event-stream" not in request.headers.get("Accept", "")
    )


def wants_json() -> bool:
    best = request.accept_mimetypes.best_match(
        ["text/html", "application/json", "application/problem+json"]
    )
    return best is not None and best.endswith("json")


def local_path(text: str | None, otherwise: str = "/") -> str:
    """An address of ours to go on to; what leads elsewhere is not followed.

    Browsers read ``\\`` as ``/`` and drop tabs and line ends.
    """
    if not text or not text.startswith("/") or not text.isprintable():
        return otherwise
    if text.startswith("//") or "\\" in text or len(text) > 2000:
        return otherwise
    return text


def login_address(go_on_to: str) -> str:
    target = local_path(go_on_to)
    return "/login" if target == "/" else f"/login?next={quote(target, safe='/')}"


def install(app: Flask) -> None:
    app.before_request(_check_rights)
    app.context_processor(lambda: {"person": g.get("person")})
    app.jinja_env.globals["on_tablet"] = lambda: current_tablet() is not None
    app.jinja_env.globals["sign_in_name"] = lambda: sign_in_of(session_token() or "")


def _check_rights() -> Response | None:
    if request.endpoint is None:
        if _loads_page():
            current_session()  # the error page speaks the person's language
        return None
    if knows_tokens(current_app, request.endpoint):
        return None
    roles = roles_of(current_app, request.endpoint)
    if roles is not None and roles == STRANGERS:
        if _loads_page():
            current_session()
        return None
    person = person_or_none()
    if person is None:
        if wants_page():
            return redirect(login_address(request.full_path.rstrip("?")), 303)
        raise _not_signed_in()
    trace.add(actor=person.login)
    take_share(f"person {person.id}")
    if roles is None or person.role not in roles:
        raise Forbidden
    if must_choose_password() and request.endpoint not in BEFORE_NEW_PASSWORD:
        return redirect("/me", 303)
    if must_add_factor() and request.endpoint not in BEFORE_SECOND_FACTOR:
        return redirect("/me#second", 303)
    return None


def must_add_factor() -> bool:
    """A leader whose password alone was asked for, where it is not enough."""
    session = current_session()
    return (
        session is not None
        and current_desk().leaders_need_two
        and session.person.leads
        and session.tablet_id is None
        and session.means in ("password", "changed secret")
        and not session.has_second_factor
    )


def must_choose_password() -> bool:
    """Whoever came in with a password that somebody else knows chooses another."""
    session = current_session()
    # On a tablet they came in with their PIN or badge.
    return session is not None and session.password_once and session.tablet_id is None


def _not_signed_in() -> Unauthorized:
    if "HX-Request" not in request.headers:
        return Unauthorized()
    shown = urlsplit(request.headers.get("HX-Current-URL", ""))
    target = shown.path + (f"?{shown.query}" if shown.query else "")
    g.answer_headers = {"HX-Redirect": login_address(target)}
    return Unauthorized()


def _by_hand() -> bool:
    """Fragments and streams are fetched by pages that nobody may be looking at."""
    return request.method not in SAFE_METHODS or wants_page()


def _loads_page() -> bool:
    """Scripts, styles and pictures are the same for everybody."""
    return "text/html" in request.headers.get("Accept", "")


def _keep(answer: Response, name: str, value: str, max_age_s: int) -> None:
    answer.set_cookie(
        name,
        value,
        max_age=max_age_s,
        path="/",
        secure=current_desk().secure,
        httponly=True,
        samesite="Lax",
    )
