"""Errors as clients of other systems read them: one mechanism, two shapes."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from flask import Response, request
from werkzeug.exceptions import HTTPException

from mpms.domain.errors import MpmsError
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.web.site.problems import told_outside

log = logging.getLogger(__name__)

RETRY_S = 5
REALM = 'Basic realm="mpms", Bearer realm="mpms"'


@dataclass(frozen=True)
class ForeignErrors:
    """``told`` makes an answer of a status, the other system's name, and a sentence."""

    told: Callable[[int, str, str], Response]
    kinds: Sequence[tuple[type[MpmsError], int, str]]  # the first that fits
    names: Mapping[int, str]  # of errors of the web server's kind
    invalid: str  # every other of them
    fault: str  # ours

    def say(self, error: MpmsError) -> Response:
        """An error of ours."""
        status, name = next(
            (status, name)
            for cause, status, name in self.kinds
            if isinstance(error, cause)
        )
        said = self.told(status, name, told_outside(error))
        if isinstance(error, TooManyAttempts):
            said.headers["Retry-After"] = str(error.wait_s)
        elif status == 503:
            said.headers["Retry-After"] = str(RETRY_S)
        elif status == 401:
            said.headers["WWW-Authenticate"] = REALM
        return said

    def say_http(self, error: HTTPException) -> Response | HTTPException:
        """Of the web server's kind: too large, not allowed, a fault of ours."""
        status = error.code or 500
        if status < 400:
            return error
        if status == 500:
            number = secrets.token_hex(4)
            cause = getattr(error, "original_exception", None)
            log.error(
                "error %s: %s %s", number, request.method, request.path, exc_info=cause
            )
            sentence = f"This is our fault and has been logged. Its number: {number}."
            return self.told(500, self.fault, sentence)
        name = self.names.get(status, self.invalid)
        said = self.told(status, name, error.description or error.name)
        if status == 401:
            said.headers["WWW-Authenticate"] = REALM
        return said
