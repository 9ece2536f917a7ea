"""Test-drives by the API: begin one, look at it until it has a report."""

from __future__ import annotations

from typing import Annotated, Any
from uuid import UUID

from pydantic import Field

from mpms.services.testdrive.ask import MOST_DAYS, MOST_SEEDS, Asked, NotDrivable
from mpms.services.testdrive.drives import Drive
from mpms.web.api.files import FileName, ModelText
from mpms.web.api.models import section
from mpms.web.api.operation import Call, Given, Shape
from mpms.web.api.values import ProcessKey, Version
from mpms.web.rights import LEADERS

__all__ = ["section"]

DriveId = Annotated[UUID, Field(description="The id of a test-drive.")]
Count = Annotated[int, Field(ge=1, le=1000)]


class NewDrive(Given):
    files: dict[FileName, ModelText] = Field(
        default_factory=dict,
        max_length=100,
        description="Contents by file name, of what is not deployed; or none.",
    )
    process: ProcessKey | None = Field(
        default=None, description="A deployed process, or one of several in the files."
    )
    version: Version | None = Field(default=None, description="The newest without it.")
    against: Version | None = Field(
        default=None, description="Beside which version; the present one without it."
    )
    alone: bool = Field(default=False, description="Beside no other version.")
    orders: str = Field(
        default="month",
        description="day, week or month: those of the history; or how many made up.",
    )
    days: Annotated[float, Field(gt=0, le=MOST_DAYS)] = 30.0
    seeds: Annotated[int, Field(ge=1, le=MOST_SEEDS)] = 3
    people: Count | None = Field(default=None, description="Not those of the plant.")
    robots: Count | None = Field(default=None, description="Only the first of them.")


class BegunDrive(Shape):
    id: UUID


class DriveShape(Shape):
    id: UUID
    by: str
    running: bool
    done: int = Field(description="Orders driven, over all runs and versions.")
    of: int
    refused: str | None
    report: dict[str, Any] | None = Field(
        description="What `mpms models testdrive --json` prints; null while it runs."
    )


@section.post("/testdrives", LEADERS)
def begin_test_drive(call: Call, body: NewDrive) -> BegunDrive:
    """Drive orders through a model in virtual time; nothing is deployed or started.

    One runs at a time. What is wrong with the files is said when it is looked at.
    """
    told = body.model_dump(exclude={"files"})
    asked = Asked(files={n: text.encode() for n, text in body.files.items()}, **told)
    if wrong := asked.problems():
        raise NotDrivable("; ".join(wrong) + ".")
    return BegunDrive(id=UUID(call.desk.drives.begin(asked, by=call.by)))


@section.get("/testdrives/{drive_id}", LEADERS)
def test_drive(call: Call, drive_id: DriveId) -> DriveShape:
    """A test-drive with its report; the last 20 are kept until the server restarts."""
    found: Drive = call.desk.drives.look(str(drive_id))
    return DriveShape(
        id=UUID(found.id),
        by=found.by,
        running=found.runs,
        done=found.done,
        of=found.of,
        refused=found.refused,
        report=None if found.report is None else dict(found.report),
    )
