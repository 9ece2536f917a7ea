"""What happened in an instance: activities, tasks of people, variables.

These lists are read from the lines of instances. What is asked for first chooses
instances; where that leaves too many, the list is refused and says so: half a list
would look like a whole one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, ClassVar

from mpms.domain.models.definitions import ModelStep
from mpms.ports.camunda7 import InstancesWanted, ListedInstance, Part, Visit
from mpms.ports.store import Transaction
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import RequestInvalid
from mpms.web.engine_rest.listing import (
    Found,
    Ids,
    Some,
    Sorted,
    When,
    like_pattern,
    offer_list,
    one_of,
    part_of,
    texts,
)
from mpms.web.engine_rest.process_instances import RUNNING
from mpms.web.engine_rest.shapes import definition_id, number_in
from mpms.web.engine_rest.values import date_text, write
from mpms.web.rights import READERS

USER_TASK = "userTask"
BEGINNING = datetime.min.replace(tzinfo=UTC)
VISITS = {
    "startTime": "start",
    "endTime": "end",
    "activityId": "element",
    "activityName": "name",
    "taskName": "name",
    "occurrence": "start",
    "instanceId": "instance",
}
VARIABLES = {"instanceId": "instance", "variableName": "name"}
MOST_INSTANCES = 1000


class OfInstances(Sorted):
    process_instance_id: str | None = None
    process_instance_id_in: Ids = None
    process_instance_business_key: str | None = None
    execution_id: str | None = None  # ours is the instance
    process_definition_id: str | None = None
    process_definition_key: str | None = None
    process_definition_key_in: Ids = None
    without_tenant_id: bool = False

    def instances(self, call: Call) -> Sequence[ListedInstance]:
        """RequestInvalid where there are too many."""
        with call.desk.uow() as tx:
            rows, total = tx.listings.instances(
                self.wanted(tx), Part(limit=MOST_INSTANCES)
            )
        if total > MOST_INSTANCES:
            raise RequestInvalid(
                f"{total} process instances would have to be gone through, and at most"
                f" {MOST_INSTANCES} are. Ask for less: {', '.join(self.narrowing)}."
            )
        return rows

    def wanted(self, tx: Transaction) -> InstancesWanted:
        definition = self.process_definition_id
        return InstancesWanted(
            instance_ids=texts(
                self.process_instance_id, self.process_instance_id_in, self.execution_id
            ),
            business_keys=texts(self.process_instance_business_key),
            processes=texts(
                self.process_definition_key, self.process_definition_key_in
            ),
            definitions=None if definition is None else (number_in(definition),),
        )

    narrowing: ClassVar[tuple[str, ...]] = (
        "'processInstanceId'",
        "'processInstanceBusinessKey'",
        "'processDefinitionKey'",
    )


class Lasting(OfInstances):
    finished: bool | None = None
    unfinished: bool | None = None
    started_after: When = None
    started_before: When = None
    finished_after: When = None
    finished_before: When = None

    def wanted(self, tx: Transaction) -> InstancesWanted:
        """Instances that were there at that time; of them alone are these lines."""
        before = (at for at in (self.started_before, self.finished_before) if at)
        after = (at for at in (self.started_after, self.finished_after) if at)
        over = one_of(self.finished, self.unfinished)
        return replace(
            super().wanted(tx),
            started_before=min(before, default=None),
            lasted_after=max(after, default=None),
            statuses=RUNNING if over is False else None,
        )

    narrowing: ClassVar[tuple[str, ...]] = (
        *OfInstances.narrowing,
        "'unfinished'",
        "'startedAfter'",
        "'finishedBefore'",
    )

    def fits(self, visit: Visit) -> bool:
        ended, began = visit.ended_at, visit.entered_at
        over = one_of(self.finished, self.unfinished)
        return (
            (over is None or (ended is not None) == over)
            and (self.started_after is None or began > self.started_after)
            and (self.started_before is None or began < self.started_before)
            and (
                self.finished_after is None
                or (ended or BEGINNING) > self.finished_after
            )
            and (
                self.finished_before is None
                or (ended is not None and ended < self.finished_before)
            )
        )


class Activities(Lasting):
    activity_instance_id: str | None = None
    activity_id: str | None = None
    activity_name: str | None = None
    activity_type: str | None = None
    canceled: bool | None = None

    def wanted(self, tx: Transaction) -> InstancesWanted:
        return _with_token(tx, super().wanted(tx), self.activity_instance_id)


class PastTasks(Lasting):
    task_id: str | None = None
    task_definition_key: str | None = None
    task_definition_key_in: Ids = None
    task_name: str | None = None
    task_assignee: str | None = None

    def wanted(self, tx: Transaction) -> InstancesWanted:
        found = replace(super().wanted(tx), assignee=self.task_assignee)
        return _with_token(tx, found, self.task_id)

    narrowing: ClassVar[tuple[str, ...]] = (*Lasting.narrowing, "'taskAssignee'")


class Variables(OfInstances):
    variable_name: str | None = None
    variable_name_in: Ids = None
    variable_name_like: str | None = None
    deserialize_values: bool = False


@dataclass(frozen=True)
class Seen:
    """A visit, its instance and the element."""

    visit: Visit
    instance: ListedInstance
    step: ModelStep | None

    @property
    def name(self) -> str:
        return "" if self.step is None else self.step.name

    @property
    def kind(self) -> str:
        return "" if self.step is None else self.step.kind

    @property
    def lasted_ms(self) -> int | None:
        ended = self.visit.ended_at
        if ended is None:
            return None
        return round((ended - self.visit.entered_at).total_seconds() * 1000)


SORTED: Mapping[str, Callable[[Seen], Any]] = {
    "": lambda seen: seen.visit.entered_at,
    "start": lambda seen: seen.visit.entered_at,
    "end": lambda seen: seen.visit.ended_at or datetime.max.replace(tzinfo=UTC),
    "element": lambda seen: seen.visit.element,
    "name": lambda seen: seen.name,
    "instance": lambda seen: seen.visit.instance_id,
}


def find_activities(call: Call, asked: Activities, some: Some) -> Found:
    found = [
        seen
        for seen in _seen(call, asked)
        if asked.activity_instance_id in (None, seen.visit.task_id)
        and asked.activity_id in (None, seen.visit.element)
        and asked.activity_name in (None, seen.name)
        and asked.activity_type in (None, seen.kind)
        and (not asked.canceled or seen.visit.cancelled)
    ]
    return _part(found, asked, some, activity_shape)


def find_tasks(call: Call, asked: PastTasks, some: Some) -> Found:
    elements = texts(asked.task_definition_key, asked.task_definition_key_in)
    found = [
        seen
        for seen in _seen(call, asked)
        if seen.kind == USER_TASK
        and asked.task_id in (None, seen.visit.task_id)
        and asked.task_name in (None, seen.name)
        and asked.task_assignee in (None, seen.visit.assignee)
        and (elements is None or seen.visit.element in elements)
    ]
    return _part(found, asked, some, task_shape)


def find_variables(call: Call, asked: Variables, some: Some) -> Found:
    """As they are, or were when the instance ended."""
    part = part_of(asked, some, VARIABLES)
    instances = {one.id: one for one in asked.instances(call)}
    with call.desk.uow() as tx:
        known = tx.tasks.variables(instances)
    names = texts(asked.variable_name, asked.variable_name_in)
    like = like_pattern(asked.variable_name_like)
    found = [
        variable_shape(instances[str(ident)], name, value)
        for ident, variables in known.items()
        for name, value in variables.items()
        if (names is None or name in names) and (like is None or like.fullmatch(name))
    ]
    by = ("name", "processInstanceId")
    key = by if part.sort == "name" else by[::-1]
    found.sort(key=lambda one: [one[word] for word in key], reverse=part.down)
    return found[part.offset :][: part.limit], len(found)


offer_list("/history/activity-instance", Activities, find_activities, READERS)
offer_list("/history/task", PastTasks, find_tasks, READERS)
offer_list("/history/variable-instance", Variables, find_variables, READERS)
offer_list("/variable-instance", Variables, find_variables, READERS)


def _with_token(
    tx: Transaction, wanted: InstancesWanted, task_id: str | None
) -> InstancesWanted:
    """Of the one instance in which this token is or was."""
    if task_id is None:
        return wanted
    found = tx.listings.instance_of(task_id)
    here = [] if found is None else [found]
    asked = wanted.instance_ids
    ids = texts(here, None if asked is None else list(asked))
    return replace(wanted, instance_ids=ids)


def _seen(call: Call, asked: Lasting) -> Iterator[Seen]:
    instances = {one.id: one for one in asked.instances(call)}
    steps: dict[int, Mapping[str, ModelStep]] = {}
    with call.desk.uow() as tx:
        visits = tx.listings.visits(instances)
        for number in {one.definition_id for one in instances.values()}:
            found = call.desk.engine.steps(tx.definitions.by_id(number))
            steps[number] = {step.id: step for step in found}
    for visit in visits:
        if asked.fits(visit):
            instance = instances[visit.instance_id]
            step = steps[instance.definition_id].get(visit.element)
            yield Seen(visit, instance, step)


def _part(
    found: list[Seen],
    asked: Lasting,
    some: Some,
    shape: Callable[[Seen], dict[str, Any]],
) -> Found:
    part = part_of(asked, some, VISITS)
    found.sort(key=SORTED[part.sort], reverse=part.down)
    return [shape(one) for one in found[part.offset :][: part.limit]], len(found)


def _shared(seen: Seen) -> dict[str, Any]:
    row = seen.instance
    return {
        "executionId": row.id,
        "processInstanceId": row.id,
        "processDefinitionId": definition_id(row.key, row.version, row.definition_id),
        "processDefinitionKey": row.key,
        "startTime": date_text(seen.visit.entered_at),
        "endTime": date_text(seen.visit.ended_at),
        "removalTime": None,
        "rootProcessInstanceId": row.id if row.parent_id is None else None,
        "tenantId": None,
    }


def activity_shape(seen: Seen) -> dict[str, Any]:
    visit = seen.visit
    return _shared(seen) | {
        "id": visit.task_id,
        "parentActivityInstanceId": visit.instance_id,
        "activityId": visit.element,
        "activityName": seen.name or None,
        "activityType": seen.kind,
        "taskId": visit.task_id if seen.kind == USER_TASK else None,
        "assignee": visit.assignee,
        "calledProcessInstanceId": None,
        "calledCaseInstanceId": None,
        "durationInMillis": seen.lasted_ms,
        "canceled": visit.cancelled,
        "completeScope": False,
    }


def task_shape(seen: Seen) -> dict[str, Any]:
    visit = seen.visit
    reason = None
    if visit.ended_at is not None:
        reason = "deleted" if visit.cancelled else "completed"
    return _shared(seen) | {
        "id": visit.task_id,
        "activityInstanceId": visit.task_id,
        "taskDefinitionKey": visit.element,
        "name": seen.name or None,
        "assignee": visit.assignee,
        "owner": None,
        "description": None,
        "deleteReason": reason,
        "duration": seen.lasted_ms,
        "due": None,
        "followUp": None,
        "parentTaskId": None,
        "priority": 50,
    }


def variable_shape(row: ListedInstance, name: str, value: Any) -> dict[str, Any]:
    return write(value) | {
        "id": f"{row.id}:{name}",
        "name": name,
        "processDefinitionId": definition_id(row.key, row.version, row.definition_id),
        "processDefinitionKey": row.key,
        "processInstanceId": row.id,
        "executionId": row.id,
        "activityInstanceId": row.id,
        "taskId": None,
        "errorMessage": None,
        "tenantId": None,
        "state": "CREATED",
        "rootProcessInstanceId": row.id if row.parent_id is None else None,
    }
