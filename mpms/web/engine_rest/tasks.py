"""Look at tasks of people: forms that wait. Who may do a task may see it."""

from __future__ import annotations

from typing import Any, Literal

from flask import Response

from mpms.domain.errors import TaskGone
from mpms.domain.people.people import group_of
from mpms.domain.tasks import FormTask
from mpms.ports.camunda7 import ListedTask, Part, TasksWanted
from mpms.services.tasks.claim import NotYourTask
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import answer
from mpms.web.engine_rest.listing import (
    Conditions,
    Found,
    Ids,
    Some,
    Sorted,
    When,
    offer_list,
    one_of,
    part_of,
    texts,
    wanted_values,
)
from mpms.web.engine_rest.routes import offered
from mpms.web.engine_rest.shapes import definition_id, number_in
from mpms.web.engine_rest.values import date_text
from mpms.web.rights import DOERS

SORTED_BY = {
    "created": "created",
    "name": "name",
    "nameCaseInsensitive": "name",
    "assignee": "assignee",
    "taskDefinitionKey": "element",
    "instanceId": "instance",
    "id": "id",
    "priority": "priority",
    "dueDate": "due",
    "followUpDate": "follow_up",
}


class Tasks(Sorted):
    task_id: str | None = None
    task_id_in: Ids = None
    process_instance_id: str | None = None
    process_instance_id_in: Ids = None
    process_instance_business_key: str | None = None
    process_instance_business_key_like: str | None = None
    process_definition_id: str | None = None
    process_definition_key: str | None = None
    process_definition_key_in: Ids = None
    task_definition_key: str | None = None
    task_definition_key_in: Ids = None
    name: str | None = None
    name_like: str | None = None
    assignee: str | None = None
    assigned: bool | None = None
    unassigned: bool | None = None
    candidate_group: str | None = None
    candidate_groups: Ids = None
    candidate_user: str | None = None
    include_assigned_tasks: bool = False
    active: bool | None = None
    suspended: bool | None = None
    created_after: When = None
    created_before: When = None
    due_after: When = None
    due_before: When = None
    follow_up_after: When = None
    follow_up_before: When = None
    follow_up_before_or_not_existent: When = None
    priority: int | None = None
    min_priority: int | None = None
    max_priority: int | None = None
    owner: str | None = None
    delegation_state: Literal["PENDING", "RESOLVED"] | None = None
    process_variables: Conditions = None
    without_tenant_id: bool = False
    initialize_form_keys: bool = False  # they always are

    def wanted(self, groups: tuple[str, ...] | None) -> TasksWanted:
        definition = self.process_definition_id
        assigned = one_of(self.assigned, self.unassigned)
        if groups is not None and assigned is None and not self.include_assigned_tasks:
            assigned = False  # candidates are asked for what nobody has
        return TasksWanted(
            task_ids=texts(self.task_id, self.task_id_in),
            instance_ids=texts(self.process_instance_id, self.process_instance_id_in),
            business_key=self.process_instance_business_key,
            business_key_like=self.process_instance_business_key_like,
            processes=texts(
                self.process_definition_key, self.process_definition_key_in
            ),
            definitions=None if definition is None else (number_in(definition),),
            elements=texts(self.task_definition_key, self.task_definition_key_in),
            name=self.name,
            name_like=self.name_like,
            assignee=self.assignee,
            assigned=assigned,
            groups=groups,
            suspended=one_of(self.suspended, self.active),
            created_after=self.created_after,
            created_before=self.created_before,
            due_after=self.due_after,
            due_before=self.due_before,
            shown_after=self.follow_up_after,
            shown_before=self.follow_up_before,
            shown_by=self.follow_up_before_or_not_existent,
            priority_from=_either(self.priority, self.min_priority),
            priority_to=_either(self.priority, self.max_priority),
            owner=self.owner,
            delegation=self.delegation_state,
            variables=wanted_values(self.process_variables),
        )


def find(call: Call, asked: Tasks, some: Some) -> Found:
    """A leader sees all; others what they may do, which only a program can tell."""
    part, person = part_of(asked, some, SORTED_BY), call.person
    with call.desk.uow() as tx:
        wanted = asked.wanted(_groups(call, asked))
        if person.leads:
            rows, total = tx.listings.tasks(wanted, part)
        else:
            everything = Part(part.sort, part.down)
            fitting, _ = tx.listings.tasks(wanted, everything)
            mine = [row for row in fitting if person.may_do(row.task)]
            limit = some.max_results
            rows, total = mine[part.offset : part.offset + limit], len(mine)
    return [task_shape(row) for row in rows], total


offer_list("/task", Tasks, find, DOERS)


def visible_task(call: Call, task_id: str) -> ListedTask:
    """TaskGone, NotYourTask."""
    with call.desk.uow() as tx:
        rows, _ = tx.listings.tasks(TasksWanted(task_ids=(task_id,)), Part())
    if not rows:
        raise TaskGone(f"There is no task {task_id}; it may be done or cancelled.")
    if not call.person.may_do(rows[0].task):
        raise NotYourTask
    return rows[0]


@offered("GET", "/task/<task_id>", roles=DOERS)
def show(call: Call, task_id: str) -> Response:
    """TaskGone, NotYourTask."""
    return answer(task_shape(visible_task(call, task_id)))


def task_shape(row: ListedTask) -> dict[str, Any]:
    task = row.task
    definition = definition_id(row.key, row.version, row.definition_id)
    return {
        "id": task.task_id,
        "name": task.name or None,
        "assignee": row.assignee,
        "created": date_text(task.created_at),
        "due": date_text(task.due_at),
        "followUp": date_text(task.follow_up_at),
        "lastUpdated": None,
        "delegationState": _delegation(task),
        "description": None,
        "executionId": task.instance_id,
        "owner": task.owner,
        "parentTaskId": None,
        "priority": task.priority,
        "processDefinitionId": definition,
        "processInstanceId": task.instance_id,
        "taskDefinitionKey": task.element,
        "caseExecutionId": None,
        "caseInstanceId": None,
        "caseDefinitionId": None,
        "suspended": task.on_hold,
        "formKey": None,
        "camundaFormRef": None
        if task.form is None
        else {"key": task.form, "binding": "latest", "version": None},
        "tenantId": None,
        "taskState": "Created",
    }


def _delegation(task: FormTask) -> str | None:
    if task.delegate is None:
        return None
    return "RESOLVED" if task.resolved else "PENDING"


def _either(exact: int | None, bound: int | None) -> int | None:
    return bound if exact is None else exact


def _groups(call: Call, asked: Tasks) -> tuple[str, ...] | None:
    found = texts(asked.candidate_group, asked.candidate_groups)
    if asked.candidate_user is not None:
        with call.desk.uow() as tx:
            person = tx.people.get(asked.candidate_user)
        theirs = (group_of(asked.candidate_user), *(person.groups if person else ()))
        found = theirs if found is None else (*found, *theirs)
    return None if found is None else tuple(sorted({one.lower() for one in found}))
