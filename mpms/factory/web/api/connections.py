"""Tests of robots and mail servers by the API: step by step, told in the history."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mpms.domain.errors import NotFound
from mpms.factory.ports.checks import CheckStep
from mpms.factory.web.api.floor import RobotId
from mpms.factory.web.bounded import TestRuns, bounded
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Given, Shape
from mpms.web.api.plant import section
from mpms.web.api.shapes import like
from mpms.web.api.values import Listed, shaped
from mpms.web.rights import ADMINS

__all__ = ["section"]

Server = Annotated[
    str, Field(pattern="^(imap|smtp)$", description="imap or smtp: which server.")
]


@like(CheckStep, without="values")
class TestStep(Shape): ...


class MailTest(Given):
    send: bool = Field(default=False, description="Also send us a short message.")


@section.post("/plant/robots/{robot}/test", ADMINS, atomic=False)
def test_robot(call: Call, robot: RobotId) -> Listed[TestStep]:
    """Listen to a robot, step by step; it is told nothing."""
    desk = call.desk
    checks = desk.robot_check
    if desk.world.robot(robot) is None:
        raise NotFound(f"There is no robot {robot}.")
    if checks is None:
        steps = [CheckStep("configured", False, "not_set")]
    else:
        steps = _tested(f"robot {robot}", lambda tell: checks.check(robot, tell))
    return _told(call, {"robot": robot}, steps)


@section.post("/plant/mail/{server}/test", ADMINS, atomic=False)
def test_mail(call: Call, server: Server, body: MailTest) -> Listed[TestStep]:
    """Speak with a mail server, step by step."""
    checks = call.desk.mail_check
    if checks is None:
        steps = [CheckStep("configured", False, "not_set")]
    elif server == "imap":
        steps = _tested("mail imap", checks.imap)
    else:
        steps = _tested("mail smtp", lambda tell: checks.smtp(tell, send=body.send))
    return _told(call, {"server": server, "sent": body.send}, steps)


def _tested(name: str, ask: Any) -> list[CheckStep]:
    try:
        return bounded(name, ask)
    except TestRuns as runs:
        return [CheckStep("limit", None, detail=str(runs))]


def _told(call: Call, what: dict[str, Any], steps: list[CheckStep]) -> Listed[TestStep]:
    worked = all(step.ok is not False for step in steps)
    with call.desk.uow() as tx:
        data = what | {"worked": worked}
        tx.events.append("connection tested", actor=call.by, data=data)
    return Listed[TestStep](items=shaped(TestStep, steps))
