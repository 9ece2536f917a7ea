"""The part of the REST API of Camunda 7 that workers need, below ``/engine-rest``.

Workers written for Camunda 7 run unchanged: they fetch jobs, keep them locked, complete
them or say what failed. What their users do around that is here, too: tasks of people,
instances, history. The queue, its leases and its incidents are ours. Whatever else
Camunda 7 has at its addresses is refused with a sentence that names it.
"""

from __future__ import annotations

from flask import Response, request
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import HTTPException

from mpms.domain.errors import MpmsError
from mpms.web.engine_rest import (
    activity_instances,
    deployments,
    engines,
    events,
    external_tasks,
    fetching,
    files,
    histories,
    incidents,
    instance_changes,
    jobs,
    process_definitions,
    process_instances,
    starts,
    task_lists,
    task_work,
    tasks,
)
from mpms.web.engine_rest.authentication import caller
from mpms.web.engine_rest.errors import NotOffered, say, say_http
from mpms.web.engine_rest.routes import BEGINNINGS, METHODS, PREFIX, pages
from mpms.web.rights import LEADERS, allowed_by_token

__all__ = ["pages"]

PARTS = (
    fetching,
    external_tasks,
    task_lists,
    files,
    engines,
    deployments,
    process_definitions,
    starts,
    events,
    tasks,
    task_work,
    process_instances,
    instance_changes,
    activity_instances,
    histories,
    incidents,
    jobs,
)


# Words where an id could stand: what they mean is not offered, and no id is unknown.
WORDS = (
    "process-definition/statistics",
    "deployment/registered",
    "history/process-instance/report",
)


@pages.route("/", methods=METHODS, defaults={"rest": ""}, strict_slashes=False)
@pages.route("/<path:rest>", methods=METHODS)
@allowed_by_token(LEADERS)
def everything_else(rest: str) -> Response:
    """Never a riddle: what was asked for is named."""
    caller(LEADERS)
    raise NotOffered(
        f"MPMS does not offer {request.method} {PREFIX}/{rest} of the API of Camunda 7."
        " What it offers stands in docs/howto/external_workers.md; everything else is"
        " done with its own API, below /api/v1."
    )


for word in WORDS:
    for beginning in BEGINNINGS:
        path = f"{beginning}/{word}"
        pages.add_url_rule(
            path,
            f"not_offered{path}".replace("/", "_"),
            everything_else,
            methods=METHODS,
            defaults={"rest": path[1:]},
        )


@pages.errorhandler(MpmsError)
def ours(error: MpmsError) -> ResponseReturnValue:
    return say(error)


@pages.errorhandler(HTTPException)
def the_web_servers(error: HTTPException) -> ResponseReturnValue:
    return say_http(error)
