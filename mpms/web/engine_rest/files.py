"""The content of variables that are files or bytes: a fetched task only names them."""

from __future__ import annotations

from flask import Response

from mpms.domain.errors import NotFound
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import RequestInvalid
from mpms.web.engine_rest.routes import offered
from mpms.web.engine_rest.values import content_of


class VariableUnknown(NotFound):
    """There is no such variable."""


@offered(
    "GET",
    "/execution/<instance_id>/localVariables/<name>/data",
    "/process-instance/<instance_id>/variables/<name>/data",
)
def content(call: Call, instance_id: str, name: str) -> Response:
    """InstanceUnknown, VariableUnknown."""
    with call.desk.uow() as tx:
        snapshot = tx.instances.get(instance_id).snapshot
    variables = {} if snapshot is None else snapshot.variables
    if name not in variables:
        raise VariableUnknown(f"The instance {instance_id} has no variable '{name}'.")
    found = content_of(variables[name])
    if found is None:
        raise RequestInvalid(f"The variable '{name}' is neither a file nor bytes.")
    # Whatever its sender called it: it is content of others, to be kept, not shown.
    answer = Response(found[0], content_type="application/octet-stream")
    answer.headers["Content-Disposition"] = "attachment"
    return answer
