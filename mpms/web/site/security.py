"""What every answer carries, which requests are refused unread, and error pages.

Cookies are SameSite=Lax; besides, whatever changes something must come from a page
of ours: the browser says so in Sec-Fetch-Site and Origin. Tokens in forms would
expire while a tablet is offline.
"""

from __future__ import annotations

import logging
import secrets
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, g, jsonify, render_template, request
from markupsafe import Markup
from werkzeug.exceptions import Forbidden, HTTPException, RequestEntityTooLarge

from mpms.domain.errors import (
    Conflict,
    DatabaseAway,
    DatabaseSlow,
    InstanceBusy,
    MpmsError,
    NotFound,
    ServerBusy,
)
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.web.site.problems import is_api, problem, slug_of
from mpms.web.site.shares import TooManyRequests
from mpms.web.site.signed_in import (
    SAFE_METHODS,
    current_desk,
    wants_json,
    wants_page,
)
from mpms.web.texts import t

log = logging.getLogger(__name__)

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",  # the barcode reader is WebAssembly
        "style-src 'self'",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "worker-src 'self'",
        "media-src 'self' blob:",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Permissions-Policy": "camera=(self), microphone=(), geolocation=(), payment=()",
    # With no-referrer browsers would send Origin: null along with our own forms.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
HSTS = "max-age=31536000"
RETRY_S = 5
STATUS_OF = (
    (NotFound, 404),
    (InstanceBusy, 409),
    (Conflict, 409),
    (TooManyAttempts, 429),
    (DatabaseAway, 503),
    (TooManyRequests, 429),
    (ServerBusy, 503),
    (MpmsError, 422),
)


class ForeignRequest(Forbidden):
    """A page of somebody else asks us to change something."""


def install(app: Flask) -> None:
    if app.secret_key is None:  # signs notices that are shown on the next page
        app.secret_key = secrets.token_bytes(32)
    app.config.update(
        SESSION_COOKIE_NAME="mpms_notices",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=app.extensions["desk"].secure,
    )
    app.before_request(_refuse_unread)
    app.after_request(_add_headers)
    app.register_error_handler(HTTPException, _say_http)
    app.register_error_handler(MpmsError, say_ours)


def _refuse_unread() -> None:
    limit = current_app.config["MAX_CONTENT_LENGTH"]
    if limit is not None and (request.content_length or 0) > limit:
        raise RequestEntityTooLarge
    if request.method not in SAFE_METHODS and not _from_our_page():
        raise ForeignRequest


def _from_our_page() -> bool:
    """Programs that are no browsers send neither header and hold no cookie of
    somebody who can be tricked."""
    site = request.headers.get("Sec-Fetch-Site")
    if site not in (None, "same-origin", "none"):
        return False
    origin = request.headers.get("Origin")
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
        theirs = (parts.hostname, parts.port or _default_port(parts.scheme))
        ours_parts = urlsplit(f"{request.scheme}://{request.host}")
        # Behind a proxy that speaks TLS we are asked in plain HTTP.
        ours = (ours_parts.hostname, ours_parts.port or _default_port(parts.scheme))
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and theirs == ours


def _default_port(scheme: str) -> int | None:
    return {"http": 80, "https": 443}.get(scheme)


def _add_headers(answer: Response) -> Response:
    for name, value in HEADERS.items():
        answer.headers.setdefault(name, value)
    # A browser would apply it to every other program on this machine as well.
    if current_desk().secure and request.host.split(":")[0] != "localhost":
        answer.headers.setdefault("Strict-Transport-Security", HSTS)
    for name, value in g.get("answer_headers", {}).items():
        answer.headers[name] = value
    return answer


def _say_http(error: HTTPException) -> Response | HTTPException:
    if error.code is None or error.code < 400:
        return error  # a redirect to the right spelling of an address
    answer = _say(error.code, *_words(error))
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After"):
            answer.headers[name] = value
    if error.code == 401 and is_api(request.path):
        answer.headers["WWW-Authenticate"] = 'Bearer realm="mpms"'
    return answer


def say_ours(error: MpmsError) -> Response:
    status = next(code for kind, code in STATUS_OF if isinstance(error, kind))
    if isinstance(error, DatabaseSlow):
        log.warning("%s", error)
        words = t("This takes the database too long. Ask for less, or try again later.")
        return _come_back(_say(status, t("Too much at once"), words))
    if isinstance(error, DatabaseAway):
        log.warning("%s", error)
        answer = _say(
            status,
            t("The database does not answer"),
            t("Nothing is lost. Wait a moment and load the page again."),
        )
        return _come_back(answer)
    if isinstance(error, ServerBusy):
        answer = _say(status, t("Too much at once"), _why_busy(error))
        return _come_back(answer)
    if isinstance(error, TooManyAttempts):
        answer = _say(status, t("Too many attempts"), waiting_text(error))
        answer.headers["Retry-After"] = str(error.wait_s)
        return answer
    return _say(status, _title(status), _translated(error))


def _why_busy(error: ServerBusy) -> str:
    if isinstance(error, TooManyRequests):
        return t("You have too many requests open at once. This page tries again.")
    return t("Others are being served. Nothing is lost; try again in a moment.")


def _come_back(answer: Response) -> Response:
    """Programs read when, a page that somebody looks at loads again by itself."""
    answer.headers["Retry-After"] = str(RETRY_S)
    if request.method == "GET" and wants_page():
        answer.headers["Refresh"] = str(RETRY_S)
    return answer


def waiting_text(error: TooManyAttempts) -> str:
    if error.wait_s <= 90:
        return t("Too many failed attempts. Try again in {n} seconds.", n=error.wait_s)
    minutes = -(-error.wait_s // 60)
    return t("Too many failed attempts. Try again in {n} minutes.", n=minutes)


def _words(error: HTTPException) -> tuple[str, str]:
    if error.code == 500:
        number = secrets.token_hex(4)
        log.error(
            "error %s: %s %s",
            number,
            request.method,
            request.path,
            exc_info=getattr(error, "original_exception", None),
        )
        return _title(500), t(
            "This is our fault and has been logged. Its number: {number}.",
            number=number,
        )
    if isinstance(error, ForeignRequest):
        return _title(403), t(
            "This request did not come from a page of this site, so nothing was done."
        )
    return _title(error.code or 500), _detail(error)


def _title(status: int) -> str:
    titles = {
        400: t("This request cannot be read"),
        401: t("You are not signed in"),
        403: t("This is not open to you"),
        404: t("There is nothing here"),
        405: t("This cannot be done here"),
        409: t("Somebody else was faster"),
        413: t("This is too large"),
        415: t("This kind of content cannot be read"),
        422: t("This cannot be done as it is"),
        429: t("Too many attempts"),
        500: t("Something went wrong"),
        503: t("Not available right now"),
    }
    return titles.get(status) or t("This did not work")


def _detail(error: HTTPException) -> str:
    details = {
        400: t("Something is missing in it or has the wrong form."),
        401: t("Sign in and try again."),
        403: t("Your role does not include this page. Ask your supervisor."),
        404: t("The address may be mistyped, or what it named is gone."),
        405: t("Go back and use the buttons of the page."),
        413: t("At most {n} MB can be sent at once.", n=_limit_mb()),
    }
    given = error.description
    if given and given != type(error).description:
        return _translated(given)
    return details.get(error.code or 500, "")


def _translated(words: object) -> str:
    """Messages are wrapped like the docstrings that most of them are."""
    sentence = " ".join(str(words).split())
    return t(sentence)


def _limit_mb() -> int:
    return int((current_app.config["MAX_CONTENT_LENGTH"] or 0) >> 20)


def _say(status: int, title: str, detail: str) -> Response:
    if is_api(request.path):
        return problem(status, slug_of(status), title, detail)
    if wants_json():
        answer = jsonify(type="about:blank", title=title, status=status, detail=detail)
        answer.content_type = "application/problem+json"
    elif "HX-Request" in request.headers:
        answer = Response(detail or title, content_type="text/plain; charset=utf-8")
    else:
        answer = Response(_page(status, title, detail))
    answer.status_code = status
    return answer


def _page(status: int, title: str, detail: str) -> str:
    try:
        return render_template(
            "error.html", status=status, error_title=title, detail=detail
        )
    except Exception:
        log.exception("the error page cannot be shown")
        return Markup("<!doctype html><title>{0}</title><h1>{0}</h1><p>{1}</p>").format(
            title, detail
        )
