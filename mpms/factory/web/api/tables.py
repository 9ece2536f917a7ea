"""Master data as tables by the API: what lies there, and what a table would change."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mpms.factory.domain.tables import csv_of
from mpms.factory.services.catalogue.change import SENTENCES
from mpms.factory.services.catalogue.tables import table_rows, take_rows
from mpms.factory.web.api.catalogue import section
from mpms.factory.web.desk import Call
from mpms.web.api.operation import Shape
from mpms.web.rights import ADMINS

__all__ = ["section"]

TableKind = Annotated[
    Literal["materials", "recipes", "suppliers", "tanks", "lots"],
    Field(description="Which table."),
]


class MaterialsTable(Shape):
    csv: str = Field(max_length=2_000_000, description="As GET /catalogue/table gives.")
    take: bool = Field(False, description="False: only say what it would change.")
    reason: str = Field("", max_length=1000)


class TableFault(Shape):
    row: int = Field(description="As a spreadsheet counts; the heading is row 1.")
    column: str
    code: str
    reason: str


class TableChange(Shape):
    material: str
    change: str
    fields: dict[str, list[str]] = Field(description="Old and new by field.")


class TableTaken(Shape):
    faults: list[TableFault] = Field(description="Everything that is wrong, at once.")
    changes: list[TableChange]
    version: int | None = Field(description="Null: nothing was taken.")


class MaterialsCsv(Shape):
    csv: str


@section.get("/catalogue/table", ADMINS)
def table(call: Call) -> MaterialsCsv:
    """All materials as a table, CSV."""
    return _table(call, "materials")


@section.post("/catalogue/table", ADMINS)
def take_table(call: Call, body: MaterialsTable) -> TableTaken:
    """Say what a table of materials would change, or take it as a new version."""
    return _taken(call, "materials", body)


@section.get("/catalogue/tables/{kind}", ADMINS)
def table_of(call: Call, kind: TableKind) -> MaterialsCsv:
    """Materials, recipes, suppliers, tanks or lots as a table, CSV."""
    return _table(call, kind)


def _table(call: Call, kind: str) -> MaterialsCsv:
    desk = call.desk
    with desk.uow() as tx:
        return MaterialsCsv(csv=csv_of(table_rows(tx, desk.materials, kind)))


@section.post("/catalogue/tables/{kind}", ADMINS)
def take_table_of(call: Call, kind: TableKind, body: MaterialsTable) -> TableTaken:
    """Say what a table would change, or take it."""
    return _taken(call, kind, body)


def _taken(call: Call, kind: str, body: MaterialsTable) -> TableTaken:
    desk = call.desk
    made = take_rows(
        desk.uow,
        desk.materials,
        desk.world,
        kind,
        body.csv,
        today=desk.clock.now().date(),
        take=body.take,
        by=call.by,
        reason=body.reason,
    )
    return TableTaken(
        faults=[
            TableFault(
                row=fault.row,
                column=fault.column,
                code=fault.code,
                reason=SENTENCES[fault.code].format(detail=fault.detail),
            )
            for fault in made.faults
        ],
        changes=[
            TableChange(
                material=each.key,
                change=each.change,
                fields={f.field: [f.old, f.new] for f in each.fields},
            )
            for each in made.changes
        ],
        version=made.version,
    )
