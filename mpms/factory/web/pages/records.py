"""The batch record of an order: its page, its paper, its signatures."""

from __future__ import annotations

import json

from flask import Blueprint, Response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, MpmsError, NotFound
from mpms.factory.ports.documents import DocumentsMissing
from mpms.factory.services.records.export import export_record
from mpms.factory.services.records.paper import paper_data, route_picture
from mpms.factory.services.records.sign import MEANINGS, SignRecord
from mpms.factory.web.desk import current_desk
from mpms.factory.web.record_paper import (
    headings,
    line_words,
    meaning_word,
    pdf_of,
    shown_of,
)
from mpms.services.people.limit_attempts import TooManyAttempts
from mpms.services.people.sign_in import SECRET_AT_MOST
from mpms.web.rights import DOERS, EVERYBODY, allowed
from mpms.web.site.signed_in import current_door, current_person
from mpms.web.texts import t

pages = Blueprint("records", __name__)

LONGEST_REASON = 500
LOCKED_UP = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

pages.add_app_template_global(meaning_word, "meaning_word")


@pages.get("/orders/<number>/record")
@allowed(EVERYBODY)
def page(number: str) -> str:
    return _page(number)


def _page(number: str, notice: str = "") -> str:
    desk = current_desk()
    shown = shown_of(desk, number)
    return render_template(
        "record.html",
        record=shown,
        paper=paper_data(shown, lambda said: line_words(shown, said)),
        words=headings(),
        meanings=MEANINGS,
        required=_required(shown.models),
        can_print=desk.documents.can_set,
        may_sign=current_person().role in DOERS,
        notice=notice,
    )


def _required(models: object) -> list[str]:
    """What signatures the models ask for: a property of their start events."""
    desk, found = current_desk(), []
    assert isinstance(models, tuple)  # noqa: S101
    for model in models:
        if model.definition is None:
            continue
        for step in desk.engine.steps(model.definition):
            asked = desk.engine.properties(model.definition, step.id)
            found += [
                word.strip()
                for word in asked.get("record.signatures", "").split(",")
                if word.strip() in MEANINGS
            ]
    return sorted(set(found), key=MEANINGS.index)


@pages.get("/orders/<number>/record.pdf")
@allowed(EVERYBODY)
def pdf(number: str) -> Response | tuple[str, int]:
    try:
        content = pdf_of(current_desk(), number)
    except DocumentsMissing:
        return _page(number, t("PDFs need a package: pip install 'mpms[records]'")), 501
    answer = Response(content, content_type="application/pdf")
    answer.headers["Content-Disposition"] = f'inline; filename="{_file(number)}.pdf"'
    return answer


@pages.get("/orders/<number>/record.json")
@allowed(EVERYBODY)
def export(number: str) -> Response:
    found = export_record(current_desk().uow, number, key=None)
    answer = Response(json.dumps(found, indent=1), content_type="application/json")
    name = f'attachment; filename="{_file(number)}.json"'
    answer.headers["Content-Disposition"] = name
    return answer


@pages.get("/orders/<number>/record/route.svg")
@allowed(EVERYBODY)
def route(number: str) -> Response:
    desk = current_desk()
    return _picture(route_picture(shown_of(desk, number), desk.world))


@pages.get("/orders/<number>/record/model/<int:place>.svg")
@allowed(EVERYBODY)
def model(number: str, place: int) -> Response:
    desk = current_desk()
    shown = shown_of(desk, number)
    found = shown.models[place] if place < len(shown.models) else None
    if found is None or found.definition is None:
        raise NotFound("There is no such diagram.")
    visited = shown.read.visited.get(found.instance, set())
    return _picture(desk.documents.model(found.definition.xml, visited))


def _picture(svg: str) -> Response:
    answer = Response(svg, content_type="image/svg+xml")
    answer.headers["Content-Security-Policy"] = LOCKED_UP
    answer.headers["X-Content-Type-Options"] = "nosniff"
    return answer


@pages.post("/orders/<number>/record/sign")
@allowed(DOERS)
def sign(number: str) -> Answer | tuple[str, int]:
    desk = current_desk()
    typed = request.form.get("why", "")[:LONGEST_REASON]
    why = "".join(c if c.isprintable() else " " for c in typed).strip()
    try:
        SignRecord(desk.uow, desk.hasher)(
            number,
            current_person(),
            request.form.get("password", "")[:SECRET_AT_MOST],
            meaning=request.form.get("meaning", ""),
            why=why,
            address=current_door().address,
            required=_required(shown_of(desk, number).models),
        )
    except NotFound:
        raise
    except TooManyAttempts as many:
        return _page(number, t(str(many))), 429
    except DatabaseAway:
        raise
    except MpmsError as refused:
        return _page(number, t(str(refused))), 422
    return redirect(url_for("orders.records.page", number=number) + "#signatures", 303)


def _file(number: str) -> str:
    return "".join(c for c in number if c.isascii() and (c.isalnum() or c == "-"))
