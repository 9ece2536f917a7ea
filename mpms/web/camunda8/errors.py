"""Errors as clients of Camunda 8 read them: problem details (RFC 9457)."""

from __future__ import annotations

from typing import Any

from flask import Response, json, request

from mpms.domain.errors import (
    AlreadySuspended,
    DatabaseAway,
    InstanceBusy,
    InstanceSuspended,
    MpmsError,
    NotFound,
    ProcessSuspended,
    RepairRefused,
    ServerBusy,
    SeveralWait,
    StepFailed,
)
from mpms.domain.external_tasks import NotYourLock
from mpms.services.api.manage_tokens import TokenRefused
from mpms.services.messages.publish import AlreadyPublished
from mpms.services.people.change_secret import PersonUnknown
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.services.tasks.assign import AssignedByModel
from mpms.services.tasks.claim import NotYourTask, TaskTaken
from mpms.web.site.foreign_errors import ForeignErrors
from mpms.web.site.shares import TooManyRequests

INVALID, STATE = "INVALID_ARGUMENT", "INVALID_STATE"
BUSY = "RESOURCE_EXHAUSTED"  # only with this title clients try a 503 again


class NotOffered(MpmsError):
    """MPMS does not offer this part of the API of Camunda 8."""


class TimeIsUp(MpmsError):
    """The process instance runs still; its result was waited for in vain."""


KINDS: tuple[tuple[type[MpmsError], int, str], ...] = (
    (PersonUnknown, 400, INVALID),
    (NotFound, 404, "NOT_FOUND"),
    (NotYourLock, 409, STATE),
    (TaskTaken, 409, STATE),
    (AssignedByModel, 409, STATE),
    (InstanceSuspended, 409, STATE),
    (ProcessSuspended, 409, STATE),
    (AlreadySuspended, 409, STATE),
    (RepairRefused, 409, STATE),
    (SeveralWait, 409, STATE),
    (AlreadyPublished, 409, "ALREADY_EXISTS"),
    (NotYourTask, 403, "FORBIDDEN"),
    (TokenRefused, 401, "UNAUTHENTICATED"),
    (TooManyAttempts, 429, BUSY),
    (TooManyRequests, 429, BUSY),
    (ServerBusy, 503, BUSY),
    (InstanceBusy, 503, BUSY),
    (DatabaseAway, 503, BUSY),
    (TimeIsUp, 504, "DEADLINE_EXCEEDED"),
    (NotOffered, 501, "NOT_IMPLEMENTED"),
    (StepFailed, 500, "INTERNAL"),
    (MpmsError, 400, INVALID),
)
TITLES = {401: "UNAUTHENTICATED", 403: "FORBIDDEN", 404: "NOT_FOUND"}


def answer(value: Any, status: int = 200) -> Response:
    return Response(json.dumps(value), status, content_type="application/json")


def done() -> Response:
    """There is nothing to say."""
    nothing = Response(status=204)
    del nothing.headers["Content-Type"]
    return nothing


def told(status: int, title: str, detail: str) -> Response:
    problem = {
        "type": "about:blank",
        "title": title,
        "status": status,
        "detail": " ".join(detail.split()),
        "instance": request.path,
    }
    kind = "application/problem+json"
    return Response(json.dumps(problem), status, content_type=kind)


ERRORS = ForeignErrors(told, KINDS, TITLES, invalid=INVALID, fault="INTERNAL")
say, say_http = ERRORS.say, ERRORS.say_http
