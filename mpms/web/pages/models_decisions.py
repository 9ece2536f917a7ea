"""Decision tables as tables: read, changed cell by cell, tried, deployed.

Every change is posted with all cells and kept as a draft, so the page needs no script
and loses nothing when it is closed.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from flask import Blueprint, flash, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as Answer

from mpms.domain.models.decision_sheets import (
    AGGREGATIONS,
    HIT_POLICIES,
    DecisionSheet,
    SheetColumn,
    SheetExample,
    SheetRule,
)
from mpms.domain.numbers import finite
from mpms.domain.people.people import Role
from mpms.services.models.check import Finding
from mpms.services.models.deploy import Refused
from mpms.services.models.edit_decision import (
    DecisionPage,
    Tried,
    show_decision,
    try_decision,
)
from mpms.services.models.save_draft import (
    DraftUnknown,
    drop_draft,
    find_draft,
    save_model_draft,
)
from mpms.web.pages.models_deploy import (
    LONGEST_NOTE,
    deployed,
    findings_of,
    refused_findings,
)
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("decisions", __name__)

READERS = LEADERS | {Role.VIEWER}
EDITORS = frozenset({Role.ADMIN})
MOST_RULES = 1000
LONGEST_CELL = 4000
MOST_COLUMNS = 50
MOST_EXAMPLES = 20
TYPES = ("string", "number", "boolean", "date", "time", "dateTime")


@pages.get("/models/decisions/<key>")
@allowed(READERS)
def newest(key: str) -> Answer:
    desk = current_desk()
    shown = show_decision(desk.uow, desk.tries, key).shown
    return redirect(url_for("models.decisions.show", key=key, version=shown.version))


@pages.get("/models/decisions/<key>/<int:version>")
@allowed(READERS)
def show(key: str, version: int) -> str:
    desk = current_desk()
    page = show_decision(desk.uow, desk.tries, key, version)
    given = _given(page.sheet)
    return render_template(
        "model_decision.html",
        page=page,
        given=given,
        tried=_tried(page.xml, key, given) if "try" in request.args else None,
    )


@pages.get("/models/decisions/<key>/edit")
@allowed(EDITORS)
def edit(key: str) -> str:
    page = _drafted(key)
    return _editor(page, page.sheet, page.xml)


@pages.post("/models/decisions/<key>/edit")
@allowed(EDITORS)
def change(key: str) -> Answer | str | tuple[str, int]:
    desk, person = current_desk(), current_person()
    what, _, place = request.form.get("do", "").partition(":")
    if what == "discard":
        return _discard(key)
    page = _drafted(key)
    sheet = _posted(page.sheet, request.form)
    sheet = _changed(sheet, what, int(place) if place.isdigit() else 0)
    xml = desk.tries.write_sheet(page.xml, sheet)
    save_model_draft(
        desk.uow,
        person.id,
        "decision",
        key,
        xml,
        base_version=page.shown.version,
    )
    page = show_decision(desk.uow, desk.tries, key, xml=xml)
    sheet = page.sheet  # new rules have got their ids
    if what != "deploy":
        given = _given(sheet)
        tried = _tried(xml, key, given) if what == "try" else None
        proofs = _proofs(xml, sheet) if what == "try-examples" else None
        return _editor(page, sheet, xml, given=given, tried=tried, proofs=proofs)
    proofs = _proofs(xml, sheet)
    if any(proof.agrees is False for proof in proofs) and not request.form.get("sure"):
        return _editor(page, sheet, xml, proofs=proofs, disagrees=True), 422
    try:
        answer = deployed(
            {f"{key}.dmn": xml}, request.form.get("note", "").strip()[:LONGEST_NOTE]
        )
    except Refused as refusal:
        found = refused_findings(refusal)[f"{key}.dmn"]
        return _editor(page, sheet, xml, findings=found, refused=True), 422
    drop_draft(desk.uow, person.id, "decision", key)
    return answer


def _drafted(key: str) -> DecisionPage:
    """The newest version, or what this person has made of it."""
    desk, person = current_desk(), current_person()
    draft = find_draft(desk.uow, person.id, "decision", key)
    return show_decision(
        desk.uow, desk.tries, key, xml=None if draft is None else draft.content
    )


def _discard(key: str) -> Answer:
    try:
        drop_draft(current_desk().uow, current_person().id, "decision", key)
        flash(t("The draft is discarded."))
    except DraftUnknown:
        pass
    return redirect(url_for("models.decisions.newest", key=key), 303)


def _editor(
    page: DecisionPage,
    sheet: DecisionSheet,
    xml: bytes,
    *,
    given: dict[str, str] | None = None,
    tried: Tried | None = None,
    findings: list[Finding] | None = None,
    refused: bool = False,
    proofs: list[Proof] | None = None,
    disagrees: bool = False,
) -> str:
    file = f"{sheet.key}.dmn"
    desk, person = current_desk(), current_person()
    return render_template(
        "model_decision_edit.html",
        page=page,
        sheet=sheet,
        policies=HIT_POLICIES,
        aggregations=AGGREGATIONS,
        given=given or {name: "" for name in sheet.needs},
        tried=tried,
        findings=findings_of({file: xml})[file] if findings is None else findings,
        refused=refused,
        proofs=proofs,
        disagrees=disagrees,
        types=TYPES,
        most_examples=MOST_EXAMPLES,
        draft=find_draft(desk.uow, person.id, "decision", sheet.key),
        note=request.form.get("note", ""),
    )


def _posted(sheet: DecisionSheet, form: MultiDict[str, str]) -> DecisionSheet:
    """The table with the cells that were posted; what was not posted stays."""
    if "rules" not in form:
        return sheet
    count = form.get("rules", "")
    rows = min(int(count), MOST_RULES) if count.isdigit() else 0
    rules = tuple(
        SheetRule(
            form.get(f"id-{row}", ""),
            tuple(_cell(form, f"in-{row}-{n}") for n in range(len(sheet.inputs))),
            tuple(_cell(form, f"out-{row}-{n}") for n in range(len(sheet.outputs))),
            _cell(form, f"note-{row}"),
        )
        for row in range(rows)
    )
    sheet = replace(
        sheet,
        inputs=_columns(form, "in", sheet.inputs),
        outputs=_columns(form, "out", sheet.outputs),
        examples=_examples(form, sheet),
    )
    policy = form.get("policy", sheet.hit_policy)
    total = form.get("aggregation", "") if policy == "COLLECT" else ""
    return replace(
        sheet,
        rules=rules,
        hit_policy=policy if policy in HIT_POLICIES else sheet.hit_policy,
        aggregation=total if total in AGGREGATIONS else "",
    )


def _columns(
    form: MultiDict[str, str], side: str, columns: tuple[SheetColumn, ...]
) -> tuple[SheetColumn, ...]:
    """As posted; an output keeps its name rather than having none."""
    made = []
    for n, column in enumerate(columns):
        name = f"col-{side}-{n}"
        if f"{name}-text" not in form:
            made.append(column)
            continue
        text = _cell(form, f"{name}-text") or (column.text if side == "out" else "")
        label = _cell(form, f"{name}-label") or text
        type_, values = _cell(form, f"{name}-type"), _cell(form, f"{name}-values")
        made.append(replace(column, text=text, label=label, type=type_, values=values))
    return tuple(made)


def _examples(
    form: MultiDict[str, str], sheet: DecisionSheet
) -> tuple[SheetExample, ...]:
    count = form.get("examples", "")
    if not count.isdigit():
        return sheet.examples
    made = []
    for row in range(min(int(count), MOST_EXAMPLES)):
        before = dict(sheet.examples[row].given) if row < len(sheet.examples) else {}
        posted = {
            name: _cell(form, f"ex-{row}-{name}")
            for name in sheet.needs
            if f"ex-{row}-{name}" in form
        }
        made.append(SheetExample(before | posted, _cell(form, f"ex-expected-{row}")))
    return tuple(made)


def _cell(form: MultiDict[str, str], name: str) -> str:
    return form.get(name, "").strip()[:LONGEST_CELL]


def _changed(sheet: DecisionSheet, what: str, place: int) -> DecisionSheet:
    if what == "add" and len(sheet.rules) < MOST_RULES:
        return sheet.with_rule(place)
    if what == "remove":
        return sheet.without_rule(place)
    if what in ("up", "down"):
        return sheet.moved(place, -1 if what == "up" else 1)
    if what == "add-input" and len(sheet.inputs) < MOST_COLUMNS:
        return sheet.with_input()
    if what == "add-output" and len(sheet.outputs) < MOST_COLUMNS:
        return sheet.with_output()
    if what == "remove-input":
        return sheet.without_input(place)
    if what == "remove-output":
        return sheet.without_output(place)
    if what == "add-example" and len(sheet.examples) < MOST_EXAMPLES:
        given = {name: text for name, text in _given(sheet).items() if text}
        return replace(sheet, examples=(*sheet.examples, SheetExample(given)))
    if what == "remove-example":
        kept = (*sheet.examples[:place], *sheet.examples[place + 1 :])
        return replace(sheet, examples=kept)
    return sheet


@dataclass(frozen=True)
class Proof:
    """What came of an example; ``agrees`` None: nothing was expected."""

    tried: Tried
    agrees: bool | None


def _proofs(xml: bytes, sheet: DecisionSheet) -> list[Proof]:
    return [_proof(xml, sheet.key, one) for one in sheet.examples]


def _proof(xml: bytes, key: str, example: SheetExample) -> Proof:
    tried = _tried(xml, key, dict(example.given))
    if not example.expected:
        return Proof(tried, None)
    if tried.decided is None:
        return Proof(tried, False)
    wanted, came = _value(example.expected), tried.decided.outputs
    alone = next(iter(came.values())) if _has_one(came) else came
    return Proof(tried, wanted in (came, alone))


def _has_one(came: object) -> TypeGuard[dict[str, object]]:
    return isinstance(came, dict) and len(came) == 1


def _given(sheet: DecisionSheet) -> dict[str, str]:
    return {
        name: request.values.get(f"value-{name}", "")[:LONGEST_CELL]
        for name in sheet.needs
    }


def _tried(xml: bytes, key: str, given: dict[str, str]) -> Tried:
    desk = current_desk()
    variables = {name: _value(text) for name, text in given.items() if text.strip()}
    return try_decision(desk.uow, desk.tries, xml, key, variables, now=desk.clock.now())


def _value(text: str) -> Any:
    """Numbers, true, lists and objects as JSON has them; anything else is a text."""
    try:
        return json.loads(text, parse_float=finite)
    except (ValueError, RecursionError):
        return text.strip()
