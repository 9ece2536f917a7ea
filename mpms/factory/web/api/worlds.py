"""Versions of the floor by the API: draw, check, save, preview, use."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, JsonValue

from mpms.domain.errors import NotFound
from mpms.factory.ports.worlds import FILE, WorldDrafts, WorldFault, WorldVersion
from mpms.factory.services.worlds.change import (
    check_draft,
    preview_version,
    save_version,
    use_version,
)
from mpms.factory.services.worlds.show import show_world
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Given, Shape
from mpms.web.api.plant import section
from mpms.web.api.shapes import like
from mpms.web.api.values import Reason, Version, shaped
from mpms.web.rights import ADMINS

AnyVersion = Annotated[
    int, Field(ge=0, le=(1 << 31) - 1, description="0: the plant's own files.")
]
Draft = Annotated[
    dict[str, JsonValue],
    Field(
        description="Sections as a world's files have them: places, waiting, inputs,"
        " outputs, storage, charging, lanes, zones, robot_types, robots, doors,"
        " packages, stock; and walls, those of the map. A section that is left out"
        " stays as it is."
    ),
]
EXAMPLE = {"places": {"gate": {"x_m": 3.0, "y_m": 4.0, "yaw_deg": 90.0}}}


@like(WorldFault)
class FloorFault(Shape): ...


@like(WorldVersion)
class FloorVersion(Shape): ...


class FloorInUse(Shape):
    number: int
    by: str
    at: datetime | None


class DrawnFloor(Shape):
    name: str
    number: int = Field(description="Of the version shown; 0: the plant's files.")
    draft: dict[str, Any]
    use: FloorInUse
    driven: int | None = Field(
        description="By which version the fleet drives now; null: by another one, until"
        " its workers are started again."
    )
    versions: list[FloorVersion]
    preview: dict[str, Any] | None


class FaultsShape(Shape):
    faults: list[FloorFault]


class PreviewShape(Shape):
    preview: dict[str, Any] = Field(
        description="Figures of ten minutes with ten robots, and where each was, frame"
        " by frame: x and y of the first robot, of the second, and so on."
    )


class FloorQuery(Given):
    version: AnyVersion | None = None


class FloorDraft(Given):
    draft: Draft
    based_on: AnyVersion = FILE


class FloorToSave(FloorDraft):
    reason: Reason


class FloorToUse(Given):
    version: AnyVersion
    reason: Reason


def _drafts(call: Call) -> WorldDrafts:
    if call.desk.drafts is None:
        raise NotFound("Nobody draws the floor here.")
    return call.desk.drafts


@section.get("/plant/floor", ADMINS, fails=(404,))
def floor(call: Call, query: FloorQuery) -> DrawnFloor:
    """The floor as it was drawn, the version in use if none is named."""
    shown = show_world(call.desk.uow, _drafts(call), query.version)
    return DrawnFloor(
        name=shown.name,
        number=shown.number,
        draft=dict(shown.draft),
        use=FloorInUse(number=shown.use.number, by=shown.use.by, at=shown.use.at),
        driven=shown.driven,
        versions=shaped(FloorVersion, shown.versions),
        preview=None if shown.preview is None else dict(shown.preview),
    )


@section.post("/plant/floor/check", ADMINS, fails=(404,), example={"draft": EXAMPLE})
def check_floor(call: Call, body: FloorDraft) -> FaultsShape:
    """Every mistake of a draft at once; nothing is kept."""
    checked = check_draft(
        call.desk.uow, _drafts(call), body.draft, based_on=body.based_on
    )
    return FaultsShape(faults=shaped(FloorFault, checked.faults))


@section.post(
    "/plant/floor/versions",
    ADMINS,
    fails=(404,),
    example={"draft": EXAMPLE, "reason": "a second gate"},
)
def save_floor(call: Call, body: FloorToSave) -> FloorVersion:
    """Save a draft without mistakes as the next version. It is not used yet."""
    made = save_version(
        call.desk.uow,
        _drafts(call),
        body.draft,
        based_on=body.based_on,
        by=call.by,
        reason=body.reason,
    )
    return FloorVersion.model_validate(made)


@section.post("/plant/floor/versions/{version}/preview", ADMINS, fails=(404,))
def preview_floor(call: Call, version: Version) -> PreviewShape:
    """See ten minutes of a version with ten simulated robots; takes seconds."""
    seen = preview_version(call.desk.uow, _drafts(call), version, by=call.by)
    return PreviewShape(preview=dict(seen))


@section.post(
    "/plant/floor/use",
    ADMINS,
    fails=(404, 409),
    example={"version": 2, "reason": "the new gate is open"},
)
def use_floor(call: Call, body: FloorToUse) -> FloorInUse:
    """Let everything that starts from now on use a version that was previewed."""
    drafts = _drafts(call)
    use_version(call.desk.uow, drafts, body.version, by=call.by, reason=body.reason)
    with call.desk.uow() as tx:
        use = tx.world_versions.in_use(drafts.name)
    return FloorInUse(number=use.number, by=use.by, at=use.at)
