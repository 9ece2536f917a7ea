"""Work that waits for people: find it, assign it, complete it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated, Any

from flask import Response, json
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from mpms.domain.camunda8 import NumberedTask, Page, TasksWanted
from mpms.domain.errors import NotFound
from mpms.domain.people.people import group_of
from mpms.services.tasks.assign import assign_task, unassign_task
from mpms.services.tasks.offer import offer_in
from mpms.services.tasks.schedule import Schedule, schedule_in
from mpms.services.tasks.submit import submit_form
from mpms.web.api.operation import Call
from mpms.web.camunda8.errors import NotOffered, answer, done
from mpms.web.camunda8.keys import Kind, key_of, number_in, numbers_in, unknown
from mpms.web.camunda8.lists import Search, listed
from mpms.web.camunda8.routes import (
    TENANT,
    AnyOf,
    Asked,
    Id,
    RequestInvalid,
    Tenant,
    Variables,
    offered,
    read_body,
)
from mpms.web.camunda8.shapes import ANYBODY, user_task_shape

OPEN = "CREATED"


class Which(Asked):
    user_task_key: AnyOf = None
    element_instance_key: AnyOf = None
    process_instance_key: AnyOf = None
    process_definition_key: AnyOf = None
    process_definition_id: AnyOf = None
    element_id: AnyOf = None
    name: AnyOf = None
    state: AnyOf = None
    assignee: AnyOf | dict[str, bool] = None
    candidate_group: AnyOf = None
    candidate_user: AnyOf = None
    tenant_id: Tenant | None = None

    def wanted(self) -> TasksWanted:
        """NotOffered, RequestInvalid."""
        if self.state is not None and OPEN not in self.state:
            raise NotOffered(
                f"Only user tasks in the state {OPEN} are listed; completed ones are"
                " found in the history, GET /api/v1/events."
            )
        if self.candidate_group is not None and self.candidate_user is not None:
            raise RequestInvalid("Ask for 'candidateGroup' or 'candidateUser'.")
        groups = self.candidate_group
        if self.candidate_user is not None:
            groups = tuple(group_of(login) for login in self.candidate_user)
        numbers = numbers_in(Kind.USER_TASK, self.user_task_key)
        if self.element_instance_key is not None:
            at = numbers_in(Kind.TASK_ELEMENT, self.element_instance_key)
            numbers = at if numbers is None else tuple(set(numbers) & set(at or ()))
        assignee = self.assignee
        assigned = assignee.get("$exists") if isinstance(assignee, dict) else None
        return TasksWanted(
            numbers=numbers,
            instances=numbers_in(Kind.INSTANCE, self.process_instance_key),
            keys=self.process_definition_id,
            definitions=numbers_in(Kind.DEFINITION, self.process_definition_key),
            elements=self.element_id,
            names=self.name,
            assignees=None if isinstance(assignee, dict) else assignee,
            assigned=assigned,
            groups=groups,
        )


class TaskSearch(Search):
    filter: Which = Field(default=Which())


class Assign(Asked):
    assignee: Id
    allow_override: bool = True
    action: str | None = None


class Completed(Asked):
    variables: Variables | None = None
    action: str | None = None


class Changeset(BaseModel):
    """What is to change; an empty text or list takes away what was there."""

    model_config = ConfigDict(
        alias_generator=to_camel, extra="forbid", frozen=True, strict=True
    )

    due_date: str | None = None
    follow_up_date: str | None = None
    candidate_groups: list[Id] | None = None
    candidate_users: list[Id] | None = None
    priority: Annotated[int, Field(ge=0, le=100)] | None = None


class Change(Asked):
    changeset: Changeset = Changeset()
    action: str | None = None


@offered("POST", "/user-tasks/search")
def find(call: Call) -> Response:
    asked = read_body(TaskSearch)
    page = asked.part("creationDate")
    with call.desk.uow() as tx:
        found = tx.numbered.tasks(asked.filter.wanted(), page)
    return answer(listed(found, page, user_task_shape))


@offered("GET", "/user-tasks/<key>")
def one(call: Call, key: str) -> Response:
    return answer(user_task_shape(get_user_task(call, key)))


@offered("GET", "/user-tasks/<key>/form")
def form(call: Call, key: str) -> Response:
    """204: it has none. NotFound where it is not deployed."""
    task = get_user_task(call, key)
    if task.form is None:
        return done()
    with call.desk.uow() as tx:
        found = tx.numbered.forms((task.form,))
        schema = tx.definitions.form(task.form)
    if not found or schema is None:
        raise NotFound(f"The form '{task.form}' is not deployed.")
    shown: dict[str, Any] = {
        "formId": task.form,
        "formKey": key_of(Kind.FORM, found[0].number),
        "version": found[0].version,
        "schema": json.dumps(schema),
        "tenantId": TENANT,
    }
    return answer(shown)


@offered("POST", "/user-tasks/<key>/assignment")
def assign(call: Call, key: str) -> Response:
    """PersonUnknown, NotYourTask, TaskTaken."""
    asked = read_body(Assign)
    assign_task(
        call.desk.uow,
        get_user_task(call, key).id,
        asked.assignee,
        person=call.person,
        override=asked.allow_override,
    )
    return done()


@offered("DELETE", "/user-tasks/<key>/assignee")
def unassign(call: Call, key: str) -> Response:
    """AssignedByModel."""
    unassign_task(call.desk.uow, get_user_task(call, key).id, person=call.person)
    return done()


@offered("PATCH", "/user-tasks/<key>")
def change(call: Call, key: str) -> Response:
    """Dates, priority and for whom it is, in one. RequestInvalid, NotYourTask."""
    wanted, person = read_body(Change).changeset, call.person
    task = get_user_task(call, key)
    due_at, follow_up_at = task.due_at, task.follow_up_at
    if wanted.due_date is not None:
        due_at = _instant("dueDate", wanted.due_date)
    if wanted.follow_up_date is not None:
        follow_up_at = _instant("followUpDate", wanted.follow_up_date)
    priority = task.priority if wanted.priority is None else wanted.priority
    schedule = Schedule(due_at, follow_up_at, priority)
    with call.desk.uow() as tx:
        schedule_in(tx, call.desk.clock, task.id, schedule, person=person)
        if wanted.candidate_groups is not None or wanted.candidate_users is not None:
            offer_in(tx, task.id, _offered_to(task.groups, wanted), person=person)
    return done()


def _instant(word: str, text: str) -> datetime | None:
    """RequestInvalid; of an empty text None. Without a zone it is UTC."""
    if not text:
        return None
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise RequestInvalid(
            f"'{word}' is an instant such as 2026-07-01T12:00:00Z, not '{text[:50]}'."
        ) from None
    return at if at.tzinfo is not None else at.replace(tzinfo=UTC)


def _offered_to(now: Sequence[str], wanted: Changeset) -> list[str]:
    """Groups and people; what is not named stays."""
    people = [group for group in now if group.startswith(ANYBODY)]
    groups = [group for group in now if group not in people]
    if wanted.candidate_groups is not None:
        groups = wanted.candidate_groups
    if wanted.candidate_users is not None:
        people = [group_of(login) for login in wanted.candidate_users]
    return [*groups, *people]


@offered("POST", "/user-tasks/<key>/completion")
def complete(call: Call, key: str) -> Response:
    """What its form asks for is checked. FormInvalid, InstanceSuspended."""
    asked, desk = read_body(Completed), call.desk
    task = get_user_task(call, key)
    answers = asked.variables or {}
    if not submit_form(desk.uow, desk.advance, task.id, answers, by=call.by).first:
        raise unknown(Kind.USER_TASK, key)  # somebody was faster
    return done()


def get_user_task(call: Call, key: str) -> NumberedTask:
    """KeyUnknown."""
    wanted = TasksWanted(numbers=(number_in(Kind.USER_TASK, key),))
    with call.desk.uow() as tx:
        found = tx.numbered.tasks(wanted, Page()).rows
    if not found:
        raise unknown(Kind.USER_TASK, key)
    return found[0]
