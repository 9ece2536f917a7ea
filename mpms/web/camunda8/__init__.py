"""The part of the REST API of Camunda 8 that workers and users need, below ``/v2``.

A client of Camunda 8 runs unchanged when it is given our address and a token. The
queue, its leases and its incidents are those of our own handlers and of
``engine_rest``; only the wire format is another. Whatever else Camunda 8 has at its
addresses is refused with a sentence that names it.
"""

from __future__ import annotations

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from mpms.domain.errors import MpmsError
from mpms.web.camunda8 import (
    activation,
    cluster,
    definitions,
    deployments,
    events,
    incidents,
    instances,
    job_lists,
    jobs,
    user_tasks,
    variables,
)
from mpms.web.camunda8.errors import NotOffered, say, say_http
from mpms.web.camunda8.routes import METHODS, PREFIX, pages
from mpms.web.engine_rest.authentication import caller
from mpms.web.rights import LEADERS, allowed_by_token

__all__ = ["pages"]

PARTS = (
    activation,
    jobs,
    job_lists,
    instances,
    definitions,
    deployments,
    events,
    user_tasks,
    variables,
    incidents,
    cluster,
)


@pages.route("/", methods=METHODS, defaults={"rest": ""}, strict_slashes=False)
@pages.route("/<path:rest>", methods=METHODS)
@allowed_by_token(LEADERS)
def everything_else(rest: str) -> Response:
    """Never a riddle: what was asked for is named."""
    caller(LEADERS)
    raise NotOffered(
        f"MPMS does not offer {request.method} {PREFIX}/{rest} of the API of Camunda 8."
        " What it offers stands in docs/howto/external_workers.md; everything else is"
        " done with its own API, below /api/v1."
    )


@pages.errorhandler(MpmsError)
def ours(error: MpmsError) -> ResponseReturnValue:
    return say(error)


@pages.errorhandler(HTTPException)
def the_web_servers(error: HTTPException) -> ResponseReturnValue:
    return say_http(error)
