"""Jobs that failed for good are let go on by their retries, as cockpits do it.

Ours are external tasks, whoever works on them; an incident names its job in
``configuration``.
"""

from __future__ import annotations

from flask import Response

from mpms.services.external_tasks.set_retries import set_retries
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import done
from mpms.web.engine_rest.external_tasks import Tried
from mpms.web.engine_rest.routes import offered, read_body


@offered("PUT", "/job/<job_id>/retries")
def retries(call: Call, job_id: str) -> Response:
    """ExternalTaskUnknown, InstanceBusy."""
    set_retries(call.desk.uow, job_id, read_body(Tried).retries, by=call.by)
    return done()
