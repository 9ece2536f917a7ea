"""Tasks by the API: what waits for people, taken, answered, reported."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from mpms.domain.instances.steps import USUAL_PRIORITY
from mpms.domain.tasks import TaskComment
from mpms.factory.services.tasks.listing import TaskView, task_for, tasks_for
from mpms.factory.web.desk import Call
from mpms.ports.tasks.late_answers import LateAnswer
from mpms.services.tasks.claim import claim_task, give_back_task, require_doable
from mpms.services.tasks.comment import comment_on_task
from mpms.services.tasks.decide_late_answer import (
    accept_late_answer,
    discard_late_answer,
)
from mpms.services.tasks.delegate import delegate_task, resolve_task
from mpms.services.tasks.report_problem import causes_of, report_problem
from mpms.services.tasks.save_draft import save_form_draft
from mpms.services.tasks.schedule import Schedule, schedule_task
from mpms.services.tasks.submit import submit_form
from mpms.web.api.operation import Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import Listed, RowId, TaskId, Variables, WithReason, shaped
from mpms.web.rights import DOERS, LEADERS

section = Section("Tasks", "Work that waits for people.")


class ClaimShape(Shape):
    claimed_by: str
    claimed_at: datetime


class RobotNearShape(Shape):
    robot: str
    here: bool
    distance_m: float | None
    eta_s: float | None


class TaskShape(Shape):
    task_id: str
    instance_id: str
    business_key: str | None
    element: str
    name: str
    lane: str | None
    form: str | None
    assignee: str | None
    groups: list[str]
    created_at: datetime
    on_hold: bool
    claim: ClaimShape | None
    place: str | None
    robot: RobotNearShape | None
    late: bool
    order: str | None
    product: str
    due_at: datetime | None
    follow_up_at: datetime | None
    priority: int
    owner: str | None = Field(description="Who asked somebody for help with it.")
    helper: str | None = Field(description="Whom, until it is handed back.")


class ProblemCause(Shape):
    code: str
    name: str


class TaskStory(TaskShape):
    inputs: dict[str, Any]
    draft: dict[str, Any]
    causes: list[ProblemCause] = Field(description="What can be reported as a problem.")


class GivenBack(Shape):
    """Whether it was given back; false: nobody had it."""

    given_back: bool


class Answers(Given):
    answers: Variables = Field(default={})
    key: Annotated[str, Field(min_length=1, max_length=100)] | None = Field(
        default=None,
        description="Of an answer given offline: what cannot count any more is kept"
        " for a supervisor.",
    )
    given_at: datetime | None = None


class Submitted(Shape):
    state: str = Field(description="done, already or conflict")
    late: str | None = Field(description="Why a supervisor must decide.")


class Draft(Given):
    fields: Variables


class Report(Given):
    code: Annotated[str, Field(min_length=1, max_length=200)]
    note: Annotated[str, Field(max_length=500)] = ""


class Reported(Shape):
    caught: bool
    late: bool


class Helper(Given):
    to: Annotated[str, Field(min_length=1, max_length=200, description="A login.")]


class HandedBack(Shape):
    owner: str = Field(description="Who has it now.")


@like(TaskComment, without="instance_id")
class CommentShape(Shape): ...


class Said(Given):
    text: Annotated[str, Field(min_length=1, max_length=4000)]


class NewSchedule(Given):
    due_at: AwareDatetime | None = None
    follow_up_at: AwareDatetime | None = None
    priority: Annotated[int, Field(ge=-(2**31) + 1, lt=2**31)] = USUAL_PRIORITY


@like(LateAnswer, without="key")
class LateShape(Shape): ...


def _task(view: TaskView) -> dict[str, Any]:
    task = view.task
    return {
        **{name: getattr(task, name) for name in _PLAIN},
        "claim": view.claim,
        "place": view.place,
        "robot": view.robot,
        "late": view.late,
        "order": view.order_number,
        "product": view.product,
    }


_PLAIN = (
    *("task_id", "instance_id", "business_key", "element", "name", "lane", "form"),
    *("assignee", "groups", "created_at", "on_hold", "due_at", "follow_up_at"),
    *("priority", "owner", "helper"),
)


@section.get("/tasks", DOERS)
def list_all(call: Call) -> Listed[TaskShape]:
    """What you may do, the most urgent first; leaders see every task."""
    desk = call.desk
    found = tasks_for(
        desk.uow,
        call.person,
        now=desk.clock.now(),
        world=desk.world,
        floor=desk.floor.seen(),
    )
    return Listed[TaskShape](items=[TaskShape(**_task(view)) for view in found])


@section.get("/tasks/{task_id}", DOERS)
def one(call: Call, task_id: TaskId) -> TaskStory:
    """One task with what its form shows and what was typed so far."""
    desk = call.desk
    view = task_for(
        desk.uow,
        call.person,
        str(task_id),
        now=desk.clock.now(),
        world=desk.world,
        floor=desk.floor.seen(),
    )
    with desk.uow() as tx:
        draft = tx.drafts.of(str(task_id))
        causes = causes_of(tx, desk.advance, view.task)
    return TaskStory(
        **_task(view),
        inputs=view.task.inputs,
        draft=draft,
        causes=shaped(ProblemCause, causes),
    )


@section.post("/tasks/{task_id}/claim", DOERS)
def claim(call: Call, task_id: TaskId) -> ClaimShape:
    """Take a task so that nobody else does."""
    done = claim_task(call.desk.uow, str(task_id), person=call.person)
    return ClaimShape.model_validate(done)


@section.post("/tasks/{task_id}/give-back", DOERS)
def give_back(call: Call, task_id: TaskId) -> GivenBack:
    """Leave a task to others."""
    desk = call.desk
    done = give_back_task(desk.uow, desk.clock, str(task_id), person=call.person)
    return GivenBack(given_back=done)


@section.post("/tasks/{task_id}/help", DOERS)
def ask_help(call: Call, task_id: TaskId, body: Helper) -> None:
    """Let somebody help; the task comes back to who has it, who completes it."""
    delegate_task(call.desk.uow, str(task_id), body.to, person=call.person)


@section.post("/tasks/{task_id}/hand-back", DOERS)
def hand_back(call: Call, task_id: TaskId) -> HandedBack:
    """Hand a task back to who asked for help."""
    owner = resolve_task(call.desk.uow, str(task_id), person=call.person)
    return HandedBack(owner=owner)


@section.get("/tasks/{task_id}/comments", DOERS)
def comments(call: Call, task_id: TaskId) -> Listed[CommentShape]:
    """What was said about a task, oldest first."""
    with call.desk.uow() as tx:
        require_doable(tx, str(task_id), call.person)
        found = tx.tasks.comments(str(task_id))
    return Listed[CommentShape](items=shaped(CommentShape, found))


@section.post("/tasks/{task_id}/comments", DOERS)
def comment(call: Call, task_id: TaskId, body: Said) -> CommentShape:
    """Say something about a task."""
    said = comment_on_task(call.desk.uow, str(task_id), body.text, person=call.person)
    return CommentShape.model_validate(said)


@section.put("/tasks/{task_id}/schedule", LEADERS)
def schedule(call: Call, task_id: TaskId, body: NewSchedule) -> None:
    """When it is due, when workers see it, and how urgent it is."""
    wanted = Schedule(body.due_at, body.follow_up_at, body.priority)
    desk = call.desk
    schedule_task(desk.uow, desk.clock, str(task_id), wanted, person=call.person)


@section.patch("/tasks/{task_id}/draft", DOERS)
def draft(call: Call, task_id: TaskId, body: Draft) -> None:
    """Keep what has been typed so far."""
    save_form_draft(call.desk.uow, str(task_id), body.fields, person=call.person)


@section.post("/tasks/{task_id}/answer", DOERS)
def answer(call: Call, task_id: TaskId, body: Answers) -> Submitted:
    """Answer a form; the first answer counts, a repeated one changes nothing."""
    desk = call.desk
    done = submit_form(
        desk.uow,
        desk.advance,
        str(task_id),
        dict(body.answers),
        by=call.by,
        key=body.key,
        device_at=body.given_at,
        person=call.person,
    )
    return Submitted(state=done.state, late=done.late)


@section.post("/tasks/{task_id}/problem", DOERS)
def problem(call: Call, task_id: TaskId, body: Report) -> Reported:
    """Say what is wrong; the model catches it, or a supervisor is told."""
    desk = call.desk
    done = report_problem(
        desk.uow,
        desk.advance,
        str(task_id),
        body.code,
        body.note,
        person=call.person,
    )
    return Reported.model_validate(done)


@section.get("/late-answers", LEADERS)
def late(call: Call) -> Listed[LateShape]:
    """Answers that came too late and wait for a decision."""
    with call.desk.uow() as tx:
        return Listed[LateShape](items=shaped(LateShape, tx.late_answers.open()))


@section.post("/late-answers/{late_id}/accept", LEADERS)
def accept_late(call: Call, late_id: RowId) -> Submitted:
    """Let a late answer count after all."""
    desk = call.desk
    done = accept_late_answer(desk.uow, desk.advance, late_id, person=call.person)
    return Submitted(state=done.state, late=done.late)


@section.post("/late-answers/{late_id}/discard", LEADERS)
def discard_late(call: Call, late_id: RowId, body: WithReason) -> None:
    """Put a late answer away."""
    discard_late_answer(call.desk.uow, late_id, person=call.person, reason=body.reason)
