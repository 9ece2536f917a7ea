"""Where materials stand, by the API."""

from __future__ import annotations

from mpms.factory.services.places.check import (
    MaterialShown,
    PlaceShown,
    list_materials,
    list_places,
)
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Shape
from mpms.web.api.plant import section
from mpms.web.api.shapes import like
from mpms.web.api.values import Listed, shaped
from mpms.web.rights import ADMINS


@like(MaterialShown)
class MaterialShape(Shape): ...


@like(PlaceShown)
class PlaceOnFloor(Shape): ...


@section.get("/plant/materials", ADMINS)
def materials(call: Call) -> Listed[MaterialShape]:
    """The catalogue, with where each material stands and what is wrong."""
    now = call.desk.in_force
    found = list_materials(now.placed(call.desk.world), now.catalogue)
    return Listed[MaterialShape](items=shaped(MaterialShape, found))


@section.get("/plant/places", ADMINS)
def places(call: Call) -> Listed[PlaceOnFloor]:
    """Every place on the floor."""
    return Listed[PlaceOnFloor](
        items=shaped(PlaceOnFloor, list_places(call.desk.placed_world))
    )
