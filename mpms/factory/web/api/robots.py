"""Robots by the API, for administrators: at work, at rest, how they are spoken with."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from mpms.domain.errors import NotFound
from mpms.factory.ports.checks import ProfileShown
from mpms.factory.services.robots.board import RobotCard, robot_board
from mpms.factory.services.robots.empty import Load, empty_robot, loads_on
from mpms.factory.services.robots.take_out import bring_robot_back, take_robot_out
from mpms.factory.web.api.floor import RobotId
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Shape
from mpms.web.api.plant import section
from mpms.web.api.shapes import like
from mpms.web.api.values import Listed, WithReason, shaped
from mpms.web.rights import ADMINS, LEADERS

__all__ = ["section"]


class RobotAtWork(Shape):
    id: str
    kind: str
    profile: str
    ready: bool
    link: str
    why_not: str | None
    worker: str | None
    reported_at: datetime | None
    order: str | None
    out_of_service: str | None = Field(description="The reason, if it is.")

    @classmethod
    def of(cls, card: RobotCard) -> RobotAtWork:
        return cls(
            id=card.info.id,
            kind=card.info.kind,
            profile=card.info.profile,
            ready=card.state.ready,
            link=card.state.link,
            why_not=card.state.why_not,
            worker=card.worker,
            reported_at=card.reported_at,
            order=card.order,
            out_of_service=None if card.out is None else card.out.reason,
        )


class TopicShape(Shape):
    use: str
    name: str
    type: str


class ProfileShape(Shape):
    """How the plant speaks with a make of robot."""

    name: str
    description: str
    dialect: str
    driver: str
    address: str
    topics: list[TopicShape]

    @classmethod
    def of(cls, found: ProfileShown) -> ProfileShape:
        return cls(
            name=found.name,
            description=found.description,
            dialect=found.dialect,
            driver=found.driver,
            address=found.address,
            topics=[
                TopicShape(use=use, name=name, type=kind)
                for use, name, kind in found.topics
            ],
        )


@like(Load)
class LoadShape(Shape): ...


class RobotStory(RobotAtWork):
    speaks: ProfileShape | None = Field(description="Null: nobody listens to robots.")


@section.get("/plant/robots", ADMINS)
def robots(call: Call) -> Listed[RobotAtWork]:
    """Robots, who speaks with them, and which are out of service."""
    cards = robot_board(call.desk.uow, call.desk.world)
    return Listed[RobotAtWork](items=[RobotAtWork.of(card) for card in cards])


@section.get("/plant/robots/{robot}", ADMINS)
def robot(call: Call, robot: RobotId) -> RobotStory:
    """One robot, and the profile by which the plant speaks with it."""
    desk, checks = call.desk, call.desk.robot_check
    cards = robot_board(desk.uow, desk.world)
    card = next((each for each in cards if each.info.id == robot), None)
    if card is None:
        raise NotFound(f"There is no robot {robot}.")
    spoken = None if checks is None else checks.profile(robot)
    return RobotStory(
        **RobotAtWork.of(card).model_dump(),
        speaks=None if spoken is None else ProfileShape.of(spoken),
    )


@section.post("/plant/robots/{robot}/out", ADMINS)
def take_out(call: Call, robot: RobotId, body: WithReason) -> None:
    """Give a robot no new work."""
    desk = call.desk
    take_robot_out(desk.uow, desk.world, robot, by=call.by, reason=body.reason)


@section.post("/plant/robots/{robot}/back", ADMINS)
def bring_back(call: Call, robot: RobotId, body: WithReason) -> None:
    """Give a robot work again."""
    bring_robot_back(call.desk.uow, robot, by=call.by, reason=body.reason)


@section.get("/plant/robots/{robot}/load", LEADERS)
def load(call: Call, robot: RobotId) -> Listed[LoadShape]:
    """What lies on a robot, as far as the plant knows."""
    found = loads_on(call.desk.uow, call.desk.world, robot)
    return Listed[LoadShape](items=shaped(LoadShape, found))


@section.post("/plant/robots/{robot}/empty", LEADERS)
def empty(call: Call, robot: RobotId, body: WithReason) -> Listed[LoadShape]:
    """Say that nothing lies on a robot; its loads are booked back to their places."""
    desk = call.desk
    made = empty_robot(desk.uow, desk.world, robot, by=call.by, reason=body.reason)
    return Listed[LoadShape](items=shaped(LoadShape, made))
