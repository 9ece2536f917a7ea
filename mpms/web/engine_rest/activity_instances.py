"""Where the tokens of a running instance are, as a tree."""

from __future__ import annotations

from typing import Any

from flask import Response

from mpms.domain.errors import InstanceUnknown
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import answer
from mpms.web.engine_rest.process_instances import known
from mpms.web.engine_rest.routes import offered
from mpms.web.engine_rest.shapes import definition_id
from mpms.web.rights import READERS

WATCHING = "watching"  # an event around an activity is none itself


@offered("GET", "/process-instance/<instance_id>/activity-instances", roles=READERS)
def tree(call: Call, instance_id: str) -> Response:
    """InstanceUnknown, also of one that has ended."""
    found, desk = known(call, instance_id), call.desk
    with desk.uow() as tx:
        instance = tx.instances.get(instance_id)
        definition = tx.definitions.by_id(instance.definition_id)
        troubles: dict[str | None, list[str]] = {}
        for each in tx.incidents.listing(instance_id=instance_id):
            troubles.setdefault(each.task_id, []).append(str(each.id))
    if instance.snapshot is None or instance.status.ended:
        raise InstanceUnknown(f"The process instance {instance_id} does not run.")
    shared = {
        "processInstanceId": instance_id,
        "processDefinitionId": definition_id(
            found.key, found.version, found.definition_id
        ),
        "executionIds": [instance_id],
    }
    root: dict[str, Any] = {
        "id": instance_id,
        "parentActivityInstanceId": None,
        "activityId": found.key,
        "activityType": "processDefinition",
        "activityName": found.name or None,
        "name": found.name or None,
        "childActivityInstances": [],
        "childTransitionInstances": [],
        "incidentIds": [],
        **shared,
    }
    kinds = {step.id: step.kind for step in desk.engine.steps(definition)}
    by_id = {instance_id: root}
    for token in desk.engine.tokens(definition, instance.snapshot):
        if token.state == WATCHING:
            continue
        around = by_id.get(token.inside or "", root)
        made: dict[str, Any] = {
            "id": token.task_id,
            "parentActivityInstanceId": around["id"],
            "activityId": token.element,
            "activityType": kinds.get(token.element),
            "activityName": token.name or None,
            "name": token.name or None,
            "childActivityInstances": [],
            "childTransitionInstances": [],
            "incidentIds": troubles.get(token.task_id, []),
            **shared,
        }
        by_id[token.task_id] = made
        around["childActivityInstances"].append(made)
    return answer(root)
