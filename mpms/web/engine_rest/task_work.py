"""Do tasks of people: take them, fill in their forms, say what is wrong."""

from __future__ import annotations

from typing import Any

from flask import Response, json
from pydantic.alias_generators import to_snake

from mpms.domain.errors import NotFound
from mpms.domain.forms.reading import Reading
from mpms.domain.instances.steps import USUAL_PRIORITY
from mpms.domain.tasks import FormTask, TaskComment
from mpms.services.tasks.assign import assign_task
from mpms.services.tasks.claim import give_back_task
from mpms.services.tasks.comment import comment_on_task
from mpms.services.tasks.delegate import delegate_task, resolve_task
from mpms.services.tasks.report_problem import MAX_NOTE, report_problem
from mpms.services.tasks.schedule import Schedule, schedule_task
from mpms.services.tasks.submit import submit_form
from mpms.web.api.operation import Call
from mpms.web.engine_rest.errors import RequestInvalid, answer, done
from mpms.web.engine_rest.fetching import Id
from mpms.web.engine_rest.files import VariableUnknown
from mpms.web.engine_rest.listing import Ids, When
from mpms.web.engine_rest.routes import Asked, offered, read_body, read_query
from mpms.web.engine_rest.tasks import task_shape, visible_task
from mpms.web.engine_rest.values import date_text, read_all, write, write_all
from mpms.web.rights import DOERS


class Person(Asked):
    user_id: str | None = None


class Completed(Asked):
    variables: dict[str, Any] | None = None
    with_variables_in_return: bool = False


class Raised(Asked):
    error_code: Id
    error_message: str = ""


class Names(Asked):
    variable_names: Ids = None
    deserialize_values: bool = False  # there are no objects of Java here


@offered("POST", "/task/<task_id>/claim", roles=DOERS)
def claim(call: Call, task_id: str) -> Response:
    """Without a name it is the caller's. TaskGone, NotYourTask, TaskTaken."""
    login = read_body(Person).user_id or call.person.login
    assign_task(call.desk.uow, task_id, login, person=call.person, override=False)
    return done()


@offered("POST", "/task/<task_id>/assignee", roles=DOERS)
def assign(call: Call, task_id: str) -> Response:
    """Without a name it is nobody's."""
    login = read_body(Person).user_id
    if login is None:
        return unclaim(call, task_id)
    assign_task(call.desk.uow, task_id, login, person=call.person, override=True)
    return done()


@offered("POST", "/task/<task_id>/unclaim", roles=DOERS)
def unclaim(call: Call, task_id: str) -> Response:
    """TaskGone, NotYourTask, TaskTaken, UndoTooLate."""
    give_back_task(call.desk.uow, call.desk.clock, task_id, person=call.person)
    return done()


class Named(Asked):
    user_id: Id


@offered("POST", "/task/<task_id>/delegate", roles=DOERS)
def delegate(call: Call, task_id: str) -> Response:
    """TaskGone, NotYourTask, TaskTaken, PersonUnknown, HelpAwaited."""
    to = read_body(Named).user_id
    delegate_task(call.desk.uow, task_id, to, person=call.person)
    return done()


@offered("POST", "/task/<task_id>/resolve", roles=DOERS)
def resolve(call: Call, task_id: str) -> Response:
    """TaskGone, NotYourTask, NobodyAsked."""
    if read_body(Completed).variables:
        raise RequestInvalid(
            "Whoever helps with a task sets no variables; type them into its form, and"
            " whoever completes it confirms them."
        )
    resolve_task(call.desk.uow, task_id, person=call.person)
    return done()


class Update(Asked):
    """The whole task, as clients send it back; what is not in it is emptied."""

    due: When = None
    follow_up: When = None
    priority: int = USUAL_PRIORITY
    name: str | None = None
    description: str | None = None
    assignee: str | None = None
    owner: str | None = None
    delegation_state: str | None = None
    parent_task_id: str | None = None
    case_instance_id: str | None = None
    tenant_id: str | None = None


@offered("PUT", "/task/<task_id>", roles=DOERS)
def update(call: Call, task_id: str) -> Response:
    """Due date, follow-up date and priority. RequestInvalid for what the model says."""
    asked = read_body(Update)
    now = task_shape(visible_task(call, task_id))
    for word in ("name", "description", "assignee", "owner", "delegationState"):
        given = getattr(asked, to_snake(word))
        if given is not None and given != now[word]:
            raise RequestInvalid(
                f"'{word}' is not changed here: the model says it, or an operation of"
                " its own."
            )
    schedule_task(
        call.desk.uow,
        call.desk.clock,
        task_id,
        Schedule(asked.due, asked.follow_up, asked.priority),
        person=call.person,
    )
    return done()


class Comment(Asked):
    message: str = ""


@offered("GET", "/task/<task_id>/comment", roles=DOERS)
def comments(call: Call, task_id: str) -> Response:
    """TaskGone, NotYourTask."""
    visible_task(call, task_id)
    with call.desk.uow() as tx:
        return answer([comment_shape(one) for one in tx.tasks.comments(task_id)])


@offered("GET", "/task/<task_id>/comment/<comment_id>", roles=DOERS)
def one_comment(call: Call, task_id: str, comment_id: str) -> Response:
    """TaskGone, NotYourTask, NotFound."""
    visible_task(call, task_id)
    with call.desk.uow() as tx:
        found = tx.tasks.comments(task_id)
    for one in found:
        if str(one.id) == comment_id:
            return answer(comment_shape(one))
    raise NotFound(f"The task {task_id} has no comment {comment_id}.")


@offered("POST", "/task/<task_id>/comment/create", roles=DOERS)
def add_comment(call: Call, task_id: str) -> Response:
    """TaskGone, NotYourTask, CommentEmpty, CommentTooLong."""
    text = read_body(Comment).message
    found = comment_on_task(call.desk.uow, task_id, text, person=call.person)
    return answer(comment_shape(found))


def comment_shape(one: TaskComment) -> dict[str, Any]:
    return {
        "id": str(one.id),
        "userId": one.login,
        "taskId": one.task_id,
        "time": date_text(one.created_at),
        "message": one.text,
        "processInstanceId": one.instance_id,
        "rootProcessInstanceId": None,
        "removalTime": None,
    }


@offered("POST", "/task/<task_id>/complete", "/task/<task_id>/submit-form", roles=DOERS)
def complete(call: Call, task_id: str) -> Response:
    """TaskGone, NotYourTask, TaskTaken, FormInvalid, InstanceSuspended."""
    asked, desk = read_body(Completed), call.desk
    answers = read_all(asked.variables)
    with desk.uow() as tx:
        earlier = tx.tasks.answer(task_id)
    if earlier is None:
        task = visible_task(call, task_id).task
        instance_id = task.instance_id
        answers = _asked_for(call, task, answers)
    else:
        instance_id = earlier.instance_id
    submit_form(
        desk.uow,
        desk.advance,
        task_id,
        answers,
        by=call.by,
        # A leader may set variables of his own; others fill in what a form asks.
        person=None if call.person.leads else call.person,
    )
    if not asked.with_variables_in_return:
        return done()
    with desk.uow() as tx:
        snapshot = tx.instances.get(instance_id).snapshot
    return answer(write_all({} if snapshot is None else snapshot.variables))


@offered("POST", "/task/<task_id>/bpmnError", roles=DOERS)
def bpmn_error(call: Call, task_id: str) -> Response:
    """TaskGone, NotYourTask, TaskTaken, CauseUnknown."""
    asked, desk = read_body(Raised), call.desk
    visible_task(call, task_id)
    report_problem(
        desk.uow,
        desk.advance,
        task_id,
        asked.error_code,
        asked.error_message[:MAX_NOTE],
        person=call.person,
    )
    return done()


@offered("GET", "/task/<task_id>/form", roles=DOERS)
def form(call: Call, task_id: str) -> Response:
    """Where its form is: ``deployed-form`` has its fields."""
    task = visible_task(call, task_id).task
    named = {"key": task.form, "binding": "latest", "version": None}
    return answer(
        {
            "key": None,
            "camundaFormRef": None if task.form is None else named,
            "contextPath": None,
        }
    )


@offered("GET", "/task/<task_id>/deployed-form", roles=DOERS)
def deployed_form(call: Call, task_id: str) -> Response:
    """TaskGone, NotYourTask, NotFound."""
    return answer(_schema(call, visible_task(call, task_id).task))


@offered(
    "GET", "/task/<task_id>/form-variables", "/task/<task_id>/variables", roles=DOERS
)
def variables(call: Call, task_id: str) -> Response:
    """All that its form sees."""
    asked = read_query(Names)
    seen = _seen(call, visible_task(call, task_id).task)
    names = seen if asked.variable_names is None else asked.variable_names
    return answer({name: write(seen[name]) for name in names if name in seen})


@offered("GET", "/task/<task_id>/variables/<name>", roles=DOERS)
def variable(call: Call, task_id: str, name: str) -> Response:
    """TaskGone, NotYourTask, VariableUnknown."""
    read_query(Names)
    seen = _seen(call, visible_task(call, task_id).task)
    if name not in seen:
        raise VariableUnknown(f"The task {task_id} has no variable '{name}'.")
    return answer(write(seen[name]))


@offered("GET", "/task/<task_id>/localVariables", roles=DOERS)
def local_variables(call: Call, task_id: str) -> Response:
    """What the model maps into it."""
    read_query(Names)
    return answer(write_all(visible_task(call, task_id).task.inputs))


def _seen(call: Call, task: FormTask) -> dict[str, Any]:
    desk = call.desk
    with desk.uow() as tx:
        instance = tx.instances.get(task.instance_id)
        if instance.snapshot is None:
            return task.inputs
        definition = tx.definitions.by_id(instance.definition_id)
    return dict(desk.engine.visible(definition, instance.snapshot, task.task_id))


def _schema(call: Call, task: FormTask) -> dict[str, Any]:
    with call.desk.uow() as tx:
        schema = None if task.form is None else tx.definitions.form(task.form)
    if schema is None:
        raise NotFound(f"The task {task.task_id} has no form.")
    return schema


def _asked_for(call: Call, task: FormTask, answers: dict[str, Any]) -> dict[str, Any]:
    """What is sent back as it was is no answer; what the form does not ask for would
    be dropped without a word. RequestInvalid."""
    if task.form is None and call.person.leads:
        return answers
    fields: set[str] = set()
    if task.form is not None:
        fields = {field["key"] for field in Reading(_schema(call, task)).fields}
    beyond = {name: value for name, value in answers.items() if name not in fields}
    seen = _seen(call, task) if beyond else {}
    told = sorted(
        name
        for name, value in beyond.items()
        if name not in seen or json.dumps(seen[name]) != json.dumps(value)
    )
    if told:
        raise RequestInvalid(
            f"The form of this task does not ask for {', '.join(told)}. Variables of"
            " the process are set with POST /process-instance/{id}/variables."
        )
    return {name: value for name, value in answers.items() if name in fields}
