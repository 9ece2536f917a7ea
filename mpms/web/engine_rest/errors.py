"""Errors in the shape that clients of Camunda 7 read: a type and a sentence."""

from __future__ import annotations

from typing import Any

from flask import Response, json

from mpms.domain.errors import (
    DatabaseAway,
    InstanceBusy,
    InstanceSuspended,
    MpmsError,
    NobodyWaits,
    NotFound,
    ServerBusy,
    SeveralWait,
    StepFailed,
)
from mpms.services.api.manage_tokens import TokenRefused
from mpms.services.models.deploy import Refused
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.services.tasks.claim import NotYourTask, TaskTaken
from mpms.web.site.foreign_errors import ForeignErrors
from mpms.web.site.shares import TooManyRequests

REST = "RestException"
INVALID = "InvalidRequestException"


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
    (TooManyRequests, 429, REST),
    (ServerBusy, 503, REST),
    (NotYourTask, 403, "AuthorizationException"),
    (TaskTaken, 500, "TaskAlreadyClaimedException"),
    (InstanceSuspended, 500, "SuspendedEntityInteractionException"),
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


ERRORS = ForeignErrors(
    told, KINDS, {401: "AuthenticationException"}, invalid=INVALID, fault=REST
)
say, say_http = ERRORS.say, ERRORS.say_http
