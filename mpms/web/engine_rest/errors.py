"""Errors in the shape that clients of Camunda 7 read: a type and a sentence."""

from __future__ import annotations

import logging
import secrets
from typing import Any

from flask import Response, json, request
from werkzeug.exceptions import HTTPException

from mpms.domain.errors import (
    DatabaseAway,
    InstanceBusy,
    MpmsError,
    NobodyWaits,
    NotFound,
    SeveralWait,
    StepFailed,
)
from mpms.services.deploy_models import Refused
from mpms.services.limit_attempts import TooManyAttempts
from mpms.services.manage_tokens import TokenRefused

log = logging.getLogger(__name__)

REST = "RestException"
INVALID = "InvalidRequestException"
RETRY_S = 5
REALM = 'Basic realm="mpms", Bearer realm="mpms"'


class RequestInvalid(MpmsError):
    """The request cannot be read."""


class NotOffered(MpmsError):
    """MPMS does not offer this part of the API of Camunda 7."""


KINDS: tuple[tuple[type[MpmsError], int, str], ...] = (
    (NobodyWaits, 400, "MismatchingMessageCorrelationException"),
    (SeveralWait, 400, "MismatchingMessageCorrelationException"),
    (Refused, 400, "ParseException"),
    (NotFound, 404, REST),
    (TokenRefused, 401, "AuthenticationException"),
    (TooManyAttempts, 429, REST),
    (InstanceBusy, 503, REST),
    (DatabaseAway, 503, REST),
    (NotOffered, 501, REST),
    (StepFailed, 500, REST),
    (MpmsError, 400, INVALID),
)


def answer(value: Any, status: int = 200) -> Response:
    """The official client for JavaScript compares the type of content exactly."""
    return Response(json.dumps(value), status, content_type="application/json")


def done() -> Response:
    """There is nothing to say."""
    nothing = Response(status=204)
    del nothing.headers["Content-Type"]
    return nothing


def told(status: int, kind: str, message: str) -> Response:
    return answer({"type": kind, "message": " ".join(message.split())}, status)


def say(error: MpmsError) -> Response:
    """An error of ours."""
    status, kind = next(
        (status, kind) for cause, status, kind in KINDS if isinstance(error, cause)
    )
    said = told(status, kind, str(error))
    if isinstance(error, TooManyAttempts):
        said.headers["Retry-After"] = str(error.wait_s)
    elif status == 503:
        said.headers["Retry-After"] = str(RETRY_S)
    elif status == 401:
        said.headers["WWW-Authenticate"] = REALM
    return said


def say_http(error: HTTPException) -> Response | HTTPException:
    """An error of the web server's kind: too large, not allowed, a fault of ours."""
    status = error.code or 500
    if status < 400:
        return error
    if status == 500:
        number = secrets.token_hex(4)
        cause = getattr(error, "original_exception", None)
        log.error(
            "error %s: %s %s", number, request.method, request.path, exc_info=cause
        )
        return told(
            500, REST, f"The fault is ours and has been noted. Its number: {number}."
        )
    kind = "AuthenticationException" if status == 401 else INVALID
    said = told(status, kind, error.description or error.name)
    if status == 401:
        said.headers["WWW-Authenticate"] = REALM
    return said
