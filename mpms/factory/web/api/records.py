"""Batch records and lots by the API."""

from __future__ import annotations

import json
from typing import Annotated, Literal

from pydantic import Field

from mpms.factory.domain.labels import zpl
from mpms.factory.ports.records.genealogy import LotHere, LotUse
from mpms.factory.services.labels import labels_of
from mpms.factory.services.labels import labels_pdf as set_labels
from mpms.factory.services.records.export import export_record
from mpms.factory.services.records.genealogy import recall_csv, trace_lot
from mpms.factory.web.api.orders import Number, section
from mpms.factory.web.desk import Call
from mpms.factory.web.record_paper import pdf_of
from mpms.web.api.operation import File, Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import shaped
from mpms.web.rights import EVERYBODY, READERS

lots = Section("Lots", "What lots went into, and what products were made of.")
Lot = Annotated[str, Field(min_length=1, max_length=100, description="Its name.")]


@like(LotUse)
class LotUseShape(Shape): ...


@like(LotHere)
class LotHereShape(Shape): ...


class LotShape(Shape):
    lot: str
    into: list[LotUseShape]
    made_of: list[LotUseShape]
    customers: list[str]
    cut: bool
    here: list[LotHereShape]


@section.get("/orders/{number}/record", EVERYBODY, files=("application/json",))
def record(call: Call, number: Number) -> File:
    """The batch record of an order, to be verified without MPMS: docs/records.md."""
    found = export_record(call.desk.uow, number, key=None)
    return File(json.dumps(found).encode(), "application/json")


@section.get("/orders/{number}/record.pdf", EVERYBODY, files=("application/pdf",))
def record_pdf(call: Call, number: Number) -> File:
    """The same on paper. Needs the package typst on the server."""
    return File(pdf_of(call.desk, number), "application/pdf")


@lots.get("/lots/{lot}/genealogy", READERS)
def genealogy(call: Call, lot: Lot) -> LotShape:
    """Which orders a lot went into and what it was made of, through all products."""
    tree = trace_lot(call.desk.uow, lot)
    return LotShape(
        lot=lot,
        into=shaped(LotUseShape, tree.into),
        here=shaped(LotHereShape, tree.here),
        made_of=shaped(LotUseShape, tree.made_of),
        customers=list(tree.customers),
        cut=tree.cut,
    )


@lots.get("/lots/{lot}/recall.csv", READERS, files=("text/csv",))
def recall(call: Call, lot: Lot) -> File:
    """The orders that a lot went into, with their customers."""
    return File(recall_csv(trace_lot(call.desk.uow, lot)).encode(), "text/csv")


class LabelQuery(Given):
    code: Annotated[list[Lot], Field(max_length=500)] = Field(
        default=[], description="Of what; for places, none means all."
    )


Kind = Annotated[Literal["lot", "place", "container"], Field(description="Of what.")]


@lots.get("/labels/{kind}.pdf", EVERYBODY, files=("application/pdf",))
def labels_pdf(call: Call, kind: Kind, query: LabelQuery) -> File:
    """Labels with QR codes. Needs the package typst on the server."""
    desk = call.desk
    found = labels_of(desk.uow, desk.placed_world, kind, query.code)
    return File(set_labels(desk.documents, found), "application/pdf")


@lots.get("/labels/{kind}.zpl", EVERYBODY, files=("text/plain",))
def labels_zpl(call: Call, kind: Kind, query: LabelQuery) -> File:
    """The same for a label printer."""
    desk = call.desk
    found = labels_of(desk.uow, desk.placed_world, kind, query.code)
    return File(zpl(found).encode(), "text/plain")
