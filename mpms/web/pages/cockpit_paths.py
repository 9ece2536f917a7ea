"""The paths really taken through a process: on its drawing, ranked, and in another
version."""

from __future__ import annotations

import math
from typing import Any
from urllib.parse import quote, urlencode

from flask import Blueprint, render_template, request, url_for

from mpms.domain.errors import ModelRefused
from mpms.services.history.conformance import Conformance, check_conformance
from mpms.services.history.paths import PathsTaken, find_paths
from mpms.services.history.variants import Variants, find_variants
from mpms.services.history.window import NoCases, TooManyCases, Window, WindowTurned
from mpms.services.models.save_draft import find_draft
from mpms.services.processes.page import ProcessPage, process_page
from mpms.web.fields.cockpit_filter import Filter
from mpms.web.labels import cockpit as words
from mpms.web.labels import mining
from mpms.web.rights import READERS, allowed
from mpms.web.site.signed_in import current_desk, current_person

pages = Blueprint("paths", __name__)

LEVELS = 5
MOST_VARIANTS = 20
SHOWN_STEPS = 12
USUAL = "month"
DRAFT = "draft"
FILES = {"XES": "xes", "OCEL": "ocel.json"}

pages.add_app_template_global(mining.misfit_sentence, "misfit_sentence")


@pages.get("/cockpit/<key>/paths")
@allowed(READERS)
def paths(key: str) -> str:
    desk, asked = current_desk(), Filter.of(request.args)
    found = process_page(desk.uow, desk.engine, key, version=asked.version)
    chosen = request.args.get("window") or USUAL
    since, until = Filter.of({**request.args, "window": chosen}).times(desk.clock.now())
    window = Window(key, since, until)
    wrong = ""
    parts: dict[str, Any] = {"taken": None, "variants": None, "conformance": None}
    draft = _draft_of(key)
    by_draft = draft is not None and request.args.get("against") == DRAFT
    try:
        parts = _parts(found, window, draft if by_draft else None)
    except (NoCases, TooManyCases, WindowTurned) as refusal:
        wrong = type(refusal).__name__
    return render_template(
        "cockpit_paths.html",
        page=found,
        wrong=wrong,
        window=chosen,
        windows={k: w for k, w in words.window_words().items() if k != "own"},
        against=_against(found),
        draft=draft is not None,
        by_draft=by_draft,
        files=_files(window),
        model=url_for("cockpit.definition", definition_id=found.shown.definition_id),
        most_variants=MOST_VARIANTS,
        shown_steps=SHOWN_STEPS,
        level=lambda share: math.ceil(LEVELS * share),
        **parts,
    )


def _draft_of(key: str) -> bytes | None:
    """What the person draws of this process."""
    found = find_draft(current_desk().uow, current_person().id, "process", key)
    return None if found is None else found.content


def _files(window: Window) -> dict[str, str]:
    """Where the history of the window is got for tools of process mining."""
    span = {"since": window.since.isoformat(), "until": window.until.isoformat()}
    above = f"{request.script_root}/api/v1/processes/{quote(window.key)}/history"
    return {name: f"{above}.{end}?{urlencode(span)}" for name, end in FILES.items()}


def _parts(found: ProcessPage, window: Window, draft: bytes | None) -> dict[str, Any]:
    desk = current_desk()
    with desk.uow() as tx:
        shown = tx.definitions.by_id(found.shown.definition_id)
    taken: PathsTaken = find_paths(desk.uow, desk.engine, window, shown)
    variants: Variants = find_variants(desk.uow, desk.engine, window)
    conformance: Conformance | None = None
    refused = ""
    try:
        conformance = check_conformance(
            desk.uow, desk.engine, window, version=_against(found), xml=draft
        )
    except ModelRefused as error:
        refused = str(error)
    return {
        "taken": taken,
        "variants": variants,
        "conformance": conformance,
        "refused": refused,
    }


def _against(found: ProcessPage) -> int:
    """The version that past paths are compared with; the newest without one."""
    text = request.args.get("against", "")
    asked = int(text) if text.isascii() and text.isdecimal() and len(text) < 9 else 0
    known = [row.version for row in found.versions]
    return asked if asked in known else known[0]
