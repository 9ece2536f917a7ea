"""Master data as tables: handed out, and taken after a look at what would change."""

from __future__ import annotations

from flask import (
    Blueprint,
    Response,
    flash,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError
from mpms.factory.domain.order_mail.catalogue_changes import Fault
from mpms.factory.domain.order_mail.exchange import CellFault
from mpms.factory.domain.tables import csv_of, rows_of, xlsx_of
from mpms.factory.services.catalogue.exchange import Imported
from mpms.factory.services.catalogue.tables import (
    TABLES,
    TableUnknown,
    table_rows,
    take_rows,
)
from mpms.factory.web.desk import current_desk
from mpms.factory.web.labels import catalogue as words
from mpms.web.labels.cockpit import cell
from mpms.web.rights import ADMINS, allowed
from mpms.web.site.signed_in import current_person
from mpms.web.texts import t

pages = Blueprint("tables", __name__)
pages.add_app_template_global(words.kind_word, "table_word")

LARGEST = 2_000_000
MOST_SHOWN = 200
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


class TableUnreadable(MpmsError):
    """This file cannot be read as a table."""


@pages.get("/admin/places/tables")
@allowed(ADMINS)
def show() -> str:
    kind = request.args.get("kind", TABLES[0])
    return _page(kind if kind in TABLES else TABLES[0])


@pages.get("/admin/places/tables/<kind>.csv")
@allowed(ADMINS)
def as_csv(kind: str) -> Response:
    rows = [[cell(value) for value in row] for row in _rows(kind)]
    return _file(f"{kind}.csv", "\ufeff" + csv_of(rows), "text/csv; charset=utf-8")


@pages.get("/admin/places/tables/<kind>.xlsx")
@allowed(ADMINS)
def as_workbook(kind: str) -> Response:
    return _file(f"{kind}.xlsx", xlsx_of(_rows(kind), kind), XLSX)


@pages.post("/admin/places/tables/<kind>")
@allowed(ADMINS)
def take(kind: str) -> Answer | str | tuple[str, int]:
    """A file is previewed; the text of a preview is taken, with a reason."""
    if kind not in TABLES:
        raise NotFound
    desk, taken = current_desk(), "take" in request.form
    text = ""
    try:
        text = _text()
        made = take_rows(
            desk.uow,
            desk.materials,
            desk.world,
            kind,
            text,
            today=desk.clock.now().date(),
            take=taken,
            by=current_person().login,
            reason=request.form.get("reason", ""),
        )
    except DatabaseAway:
        raise
    except MpmsError as refused:
        return _page(kind, text=text, problem=t(str(refused))), 422
    if not taken or made.version is None:
        return _page(kind, text=text, found=made), 200 if not made.faults else 422
    flash(t("Imported: {n} entries changed.", n=len(made.changes)), "ok")
    return redirect(url_for("admin.tables.show", kind=kind), 303)


def _text() -> str:
    """What was handed in, as CSV. TableUnreadable."""
    sent = request.files.get("file")
    if sent is None or not sent.filename:
        text = request.form.get("text", "")
        if not text.strip():
            raise TableUnreadable("Choose a file.")
        return text
    data = sent.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise TableUnreadable("The file is larger than 2 MB.")
    if data[:2] == b"PK":
        try:
            return csv_of(current_desk().read_workbook(data))
        except ValueError as wrong:
            raise TableUnreadable(
                "This is no workbook that can be read; save it as XLSX or CSV."
            ) from wrong
    try:
        rows = rows_of(data.decode("utf-8-sig"))
    except (UnicodeDecodeError, ValueError) as wrong:
        raise TableUnreadable("A CSV file must be UTF-8 text.") from wrong
    return csv_of([[_unquoted(value) for value in row] for row in rows])


def _unquoted(text: str) -> str:
    """Without the mark that keeps spreadsheets from taking a text for a formula."""
    return text[1:] if text[:1] == "'" and cell(text[1:]) == text else text


def _page(
    kind: str, *, text: str = "", found: Imported | None = None, problem: str = ""
) -> str:
    faults = [] if found is None else found.faults
    return render_template(
        "admin_tables.html",
        kind=kind,
        kinds=TABLES,
        columns=_rows(kind)[0],
        text=text,
        found=found,
        changes=[] if found is None else found.changes[:MOST_SHOWN],
        faults=[(each, _said(each)) for each in faults[:MOST_SHOWN]],
        problem=problem,
        typed=request.form,
    )


def _said(fault: CellFault) -> str:
    return words.fault_words(Fault(fault.column, fault.code, fault.detail))


def _rows(kind: str) -> list[list[str]]:
    desk = current_desk()
    try:
        with desk.uow() as tx:
            return [list(row) for row in table_rows(tx, desk.materials, kind)]
    except TableUnknown:
        raise NotFound from None


def _file(name: str, content: str | bytes, media_type: str) -> Response:
    answer = Response(content, content_type=media_type)
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer
