"""The API: every operation, its address, and the document that describes them all."""

from __future__ import annotations

from typing import Any, cast

from flask import Blueprint, Response, current_app, json, render_template, request
from flask.typing import ResponseReturnValue

from mpms.domain.errors import MpmsError
from mpms.web.api import (
    alerts,
    batches,
    catalogue,
    causes,
    clients,
    connections,
    decisions,
    drafts,
    events,
    figures,
    files,
    floor,
    incidents,
    instance_story,
    instances,
    mails,
    messages,
    migrations,
    models,
    new_orders,
    orders,
    people,
    plant,
    processes,
    repairs,
    retention,
    robots,
    tasks,
    webhooks,
)
from mpms.web.api.answering import answer, caller, say
from mpms.web.api.docs import cause_rows, section_cards
from mpms.web.api.openapi import ABOUT, document
from mpms.web.api.operation import PARAMETER, Operation, Section
from mpms.web.problems import API
from mpms.web.rights import EVERYBODY, allowed, allowed_by_token

pages = Blueprint("api", __name__, url_prefix=API)

SECTIONS: tuple[Section, ...] = tuple(
    dict.fromkeys(
        part.section
        for part in (
            *(orders, new_orders, mails, instances, instance_story, messages),
            *(repairs, migrations, batches, tasks, incidents, causes),
            *(processes, files, models, decisions, drafts, floor, figures),
            *(events, webhooks, people, alerts),
            *(plant, catalogue, robots, connections, retention, clients),
        )
    )
)
OPERATIONS: tuple[Operation, ...] = tuple(
    one for section in SECTIONS for one in section.operations
)


def known_document() -> dict[str, Any]:
    """Made once a site."""
    made = current_app.extensions.get("openapi")
    if made is None:
        made = current_app.extensions["openapi"] = document(SECTIONS)
    return cast(dict[str, Any], made)


@pages.get("/openapi.json")
@allowed_by_token(EVERYBODY)
def openapi() -> Response:
    """OpenAPI 3.1, for programs that make clients."""
    caller(EVERYBODY, writes=False)
    return Response(json.dumps(known_document()), content_type="application/json")


@pages.get("/docs")
@allowed(EVERYBODY)
def docs() -> str:
    """The same for people."""
    return render_template(
        "api_docs.html",
        about=ABOUT,
        parts=section_cards(known_document(), request.host_url),
        count=len(OPERATIONS),
        causes=cause_rows(),
    )


@pages.errorhandler(MpmsError)
def problem(error: MpmsError) -> ResponseReturnValue:
    return say(error)


def _add(one: Operation) -> None:
    @allowed_by_token(one.roles)
    def view(**raw_path: str) -> Response:
        return answer(one, raw_path)

    rule = PARAMETER.sub(r"<\1>", one.path)
    name = f"{one.tag.lower()}_{one.name}"
    pages.add_url_rule(rule, name, view, methods=[one.method])


for each in OPERATIONS:
    _add(each)
