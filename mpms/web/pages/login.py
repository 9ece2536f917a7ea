"""Coming in and going out: password, PIN, badge, language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from urllib.parse import quote, urlsplit

from flask import (
    Blueprint,
    Response,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
)
from werkzeug.exceptions import HTTPException
from werkzeug.routing import RequestRedirect
from werkzeug.wrappers import Response as Answer

from mpms.domain.people.people import Person
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.services.people.sign_in import (
    SecondFactorNeeded,
    SignedIn,
    SignIn,
    SignInRefused,
    TabletNotEnrolled,
)
from mpms.services.people.sign_out import sign_out
from mpms.web.pages import login_elsewhere, login_second, me, tablets, trust
from mpms.web.rights import open_to_all
from mpms.web.site.security import waiting_text
from mpms.web.site.signed_in import (
    current_desk,
    current_door,
    current_tablet,
    drop_session,
    keep_session,
    local_path,
    person_or_none,
    session_token,
)
from mpms.web.texts import COOKIE as LANGUAGE_COOKIE
from mpms.web.texts import LANGUAGES, t

pages = Blueprint("login", __name__)
for part in (login_elsewhere, login_second, me, tablets, trust):
    pages.register_blueprint(part.pages)

LANGUAGE_DAYS = 365


@pages.get("/login")
@open_to_all
def show() -> Answer:
    """On a tablet always who else might work here; elsewhere only to strangers."""
    if current_tablet() is None and person_or_none() is not None:
        return redirect(_next(), 303)
    return _page(request.args.get("as"), request.args.get("with") == "password")


@pages.post("/login")
@open_to_all
def with_password() -> Answer:
    login, password = _typed("login"), _typed("password")
    return _come_in(
        lambda s: s.with_password(login, password, current_door()), by_password=True
    )


@pages.post("/login/pin")
@open_to_all
def with_pin() -> Answer:
    login, pin = _typed("login"), _typed("pin")
    return _come_in(lambda s: s.with_pin(login, pin, current_door()), chosen=login)


@pages.post("/login/badge")
@open_to_all
def with_badge() -> Answer:
    return _come_in(lambda s: s.with_badge(_typed("badge"), current_door()))


@pages.post("/logout")
@open_to_all
def leave() -> Answer:
    person, token = person_or_none(), session_token()
    if person is not None and token is not None:
        sign_out(current_desk().uow, person, token)
    answer = redirect("/login?left=1" if _elsewhere() else "/login", 303)
    drop_session(answer)
    return answer


@pages.post("/language")
@open_to_all
def choose_language() -> Answer:
    language = _typed("language")
    answer = redirect(_page_at(local_path(_typed("next"))), 303)
    if language not in LANGUAGES:
        return answer
    person = person_or_none()
    if person is not None:
        with current_desk().uow() as tx:
            tx.people.set_language(person.login, language)
    answer.set_cookie(
        LANGUAGE_COOKIE,
        language,
        max_age=LANGUAGE_DAYS * 86_400,
        secure=current_desk().secure,
        httponly=True,
        samesite="Lax",
    )
    return answer


def _come_in(
    enter: Callable[[SignIn], SignedIn],
    *,
    chosen: str | None = None,
    by_password: bool = False,
) -> Answer:
    desk = current_desk()
    try:
        signed_in = enter(SignIn(desk.uow, desk.hasher, desk.clock))
    except SecondFactorNeeded as needed:
        return login_second.second_page_of(needed.token, quote(_next(), safe="/"))
    except TooManyAttempts as error:
        answer = _page(chosen, by_password, waiting_text(error), 429)
        answer.headers["Retry-After"] = str(error.wait_s)
        return answer
    except SignInRefused as error:
        return _page(chosen, by_password, t(str(error)), 401)
    except TabletNotEnrolled as error:
        return _page(None, True, t(str(error)), 403)
    going = redirect(_next(), 303)
    keep_session(going, signed_in)
    return going


def login_page(problem: str, status: int) -> Response:
    """The page again, for whoever was not let in elsewhere."""
    return _page(None, True, problem, status)


def _elsewhere() -> bool:
    return current_desk().sign_in_elsewhere is not None


def _page(
    chosen: str | None, by_password: bool, problem: str | None = None, status: int = 200
) -> Response:
    desk, tablet = current_desk(), current_tablet()
    people: Sequence[Person] = ()
    with desk.uow() as tx:
        if tablet is not None:
            people = tx.people.with_pin()
        nobody_yet = not tx.people.listing()
    page = render_template(
        "login.html",
        tablet=tablet,
        people=people,
        chosen=next((p for p in people if p.login == chosen), None),
        by_password=by_password or tablet is None,
        typed_login=_typed("login"),
        problem=problem,
        nobody_yet=nobody_yet,
        demo=desk.demo,
        elsewhere=desk.sign_in_elsewhere,
        has_left=request.args.get("left") == "1",
        next=_next(),
    )
    return make_response(page, status)


def _next() -> str:
    target = local_path(request.values.get("next"))
    return "/" if urlsplit(target).path.startswith(("/login", "/logout")) else target


def _page_at(target: str) -> str:
    """What was shown after a form may have an address that only forms can use."""
    path = urlsplit(target).path
    try:
        current_app.url_map.bind("").match(path, "GET")
    except RequestRedirect:
        return target
    except HTTPException:
        return _page_at(path.rpartition("/")[0]) if path.count("/") > 1 else "/"
    return target


@pages.app_template_filter("initials")
def initials(name: str) -> str:
    words = name.split()
    return "".join(word[0] for word in (words[:1] + words[1:][-1:])).upper()


def _typed(name: str) -> str:
    return request.form.get(name, "")
