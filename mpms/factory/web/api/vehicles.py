"""Car-like vehicles by the API: what their files say, who gets through alleys, and how
one learned to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

from pydantic import Field, JsonValue

from fleet.bodies.errors import VehicleRefused
from fleet.bodies.model import Vehicle
from fleet.bodies.passability import TableWrong, Trial
from mpms.domain.errors import MpmsError, NotFound
from mpms.factory.ports.vehicles import LearnedPoint
from mpms.factory.web.desk import Call
from mpms.web.api.operation import File, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import Listed, shaped
from mpms.web.rights import EVERYBODY

section = Section("Vehicles", "Robots that steer like a car, described by files.")

VehicleName = Annotated[
    str, Field(min_length=1, max_length=100, description="The name of its file.")
]


class VehicleFileWrong(MpmsError):
    """The file of this vehicle has mistakes."""


class TableUnreadable(MpmsError):
    """The table that is asked for has mistakes."""


class VehicleShape(Shape):
    name: str
    title: str
    wrong: str = Field(description="The mistakes of its file; empty without any.")
    robots: list[str] = Field(description="Who drives here as this vehicle.")


class VehicleFacts(Shape):
    name: str
    title: str
    description: str
    turning_radius_m: float
    max_load_kg: float
    dimensions: dict[str, float]
    limits: dict[str, float]
    software: dict[str, str]
    components: list[dict[str, JsonValue]]
    links: list[dict[str, JsonValue]]
    joints: list[dict[str, JsonValue]]
    sensors: list[dict[str, JsonValue]]
    load_places: list[dict[str, JsonValue]]
    assumed: list[str] = Field(description="Keys whose values no source gives.")


@like(Trial)
class TrialShape(Shape): ...


@like(LearnedPoint)
class LearnedShape(Shape): ...


@section.get("/vehicles", EVERYBODY)
def listing(call: Call) -> Listed[VehicleShape]:
    """Those that drive in this plant, then all others there are."""
    files, found = call.desk.vehicles, []
    for name in files.names():
        title, wrong = name, ""
        try:
            title = files.vehicle(name).title
        except VehicleRefused as refused:
            wrong = str(refused)
        robots = [r.id for r in call.desk.world.robots if r.vehicle_name == name]
        found.append(VehicleShape(name=name, title=title, wrong=wrong, robots=robots))
    return Listed[VehicleShape](items=found)


@section.get("/vehicles/{vehicle}", EVERYBODY)
def one(call: Call, vehicle: VehicleName) -> VehicleFacts:
    """All that its file says, in metres, radians and kilograms."""
    body = _vehicle(call, vehicle)
    return VehicleFacts(
        name=vehicle,
        title=body.title,
        description=body.description,
        turning_radius_m=body.turning_radius_m,
        max_load_kg=body.max_load_kg,
        dimensions=_plain(body.dimensions),
        limits=_plain(body.limits),
        software=dict(body.software),
        components=[_plain(each) for each in body.components],
        links=[_plain(each) for each in body.links],
        joints=[_plain(each) for each in body.joints],
        sensors=[_plain(each) for each in body.sensors],
        load_places=[_plain(each) for each in body.load_places],
        assumed=list(body.assumed),
    )


@section.get("/vehicles/{vehicle}/urdf", EVERYBODY, files=("application/xml",))
def urdf(call: Call, vehicle: VehicleName) -> File:
    """As URDF, for programs that show or simulate robots."""
    _vehicle(call, vehicle)
    return File(call.desk.vehicles.urdf(vehicle).encode(), "application/xml")


@section.get("/vehicles/{vehicle}/drawing", EVERYBODY, files=("image/svg+xml",))
def drawing(call: Call, vehicle: VehicleName) -> File:
    """From the side and from above, to scale."""
    title = f"{_vehicle(call, vehicle).title}, to scale"
    return File(call.desk.vehicles.drawing(vehicle, title).encode(), "image/svg+xml")


@contextmanager
def _readable() -> Iterator[None]:
    """A table that cannot be read is told to whoever asked."""
    try:
        yield
    except TableWrong as wrong:
        raise TableUnreadable(str(wrong)) from wrong


@section.get("/alleys", EVERYBODY)
def alleys(call: Call) -> Listed[TrialShape]:
    """Who got through which alley with which planner, drive by drive."""
    with _readable():
        found = call.desk.vehicles.passability()
    return Listed[TrialShape](items=shaped(TrialShape, found))


@section.get("/training/unseen", EVERYBODY)
def unseen(call: Call) -> Listed[TrialShape]:
    """Planners and that policy in alleys that none of them knew, drive by drive."""
    with _readable():
        found = call.desk.vehicles.unseen()
    return Listed[TrialShape](items=shaped(TrialShape, found))


@section.get("/training", EVERYBODY)
def training(call: Call) -> Listed[LearnedShape]:
    """How the policy that ships learned to pass alleys."""
    with _readable():
        found = call.desk.vehicles.training()
    return Listed[LearnedShape](items=shaped(LearnedShape, found))


def _vehicle(call: Call, name: str) -> Vehicle:
    """NotFound, VehicleFileWrong."""
    if name not in call.desk.vehicles.names():
        raise NotFound(f"There is no vehicle {name}.")
    try:
        return call.desk.vehicles.vehicle(name)
    except VehicleRefused as refused:
        raise VehicleFileWrong(str(refused)) from refused


def _plain(part: Any) -> dict[str, Any]:
    """Its fields as JSON has them."""
    values = {name: getattr(part, name) for name in part.__dataclass_fields__}
    return {
        name: dict(value)
        if hasattr(value, "items")
        else list(value)
        if isinstance(value, tuple)
        else value
        for name, value in values.items()
    }
