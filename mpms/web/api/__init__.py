"""The API: every operation, its address, and the document that describes them all."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from flask import (
    Blueprint,
    Flask,
    Response,
    current_app,
    json,
    render_template,
    request,
)
from flask.typing import ResponseReturnValue

from mpms.domain.errors import MpmsError
from mpms.plugins import Plugin
from mpms.plugins.loading import brought
from mpms.web.api import (
    alerts,
    batches,
    causes,
    clients,
    decisions,
    drafts,
    events,
    files,
    incidents,
    instance_story,
    instances,
    messages,
    migrations,
    mining,
    models,
    people,
    plant,
    processes,
    repairs,
    retention,
    testdrives,
    webhooks,
)
from mpms.web.api.answering import answer, caller, say
from mpms.web.api.docs import cause_rows, section_cards
from mpms.web.api.openapi import ABOUT, document
from mpms.web.api.operation import PARAMETER, Operation, Section
from mpms.web.rights import EVERYBODY, allowed, allowed_by_token
from mpms.web.site.problems import API

CORE: tuple[Section, ...] = tuple(
    dict.fromkeys(
        part.section
        for part in (
            *(instances, instance_story, messages, repairs, migrations, batches),
            *(incidents, causes, processes, mining, files, models, decisions, drafts),
            testdrives,
            *(events, webhooks, people, alerts, plant, retention, clients),
        )
    )
)


def sections(plugins: Sequence[Plugin]) -> tuple[Section, ...]:
    """Those of plug-ins first: they are what a plant is about. PluginRefused."""
    theirs = [
        section
        for plugin in plugins
        if plugin.operations
        for section in brought(plugin, plugin.operations)
    ]
    return tuple(dict.fromkeys((*theirs, *CORE)))


def operations(of: Sequence[Section]) -> tuple[Operation, ...]:
    return tuple(one for section in of for one in section.operations)


def install(app: Flask, plugins: Sequence[Plugin]) -> None:
    """PluginRefused."""
    pages = Blueprint("api", __name__, url_prefix=API)
    app.extensions["api"] = found = sections(plugins)
    pages.add_url_rule("/openapi.json", "openapi", openapi)
    pages.add_url_rule("/docs", "docs", docs)
    pages.register_error_handler(MpmsError, problem)
    for one in operations(found):
        _add(pages, one)
    app.register_blueprint(pages)


def known_document() -> dict[str, Any]:
    """Made once a site."""
    made = current_app.extensions.get("openapi")
    if made is None:
        made = document(current_app.extensions["api"])
        current_app.extensions["openapi"] = made
    return cast(dict[str, Any], made)


@allowed_by_token(EVERYBODY)
def openapi() -> Response:
    """OpenAPI 3.1, for programs that make clients."""
    caller(EVERYBODY, writes=False)
    return Response(json.dumps(known_document()), content_type="application/json")


@allowed(EVERYBODY)
def docs() -> str:
    """The same for people."""
    return render_template(
        "api_docs.html",
        about=ABOUT,
        parts=section_cards(known_document(), request.host_url),
        server=known_document()["servers"][0]["url"].rstrip("/"),
        count=len(operations(current_app.extensions["api"])),
        causes=cause_rows(),
    )


def problem(error: MpmsError) -> ResponseReturnValue:
    return say(error)


def _add(pages: Blueprint, one: Operation) -> None:
    @allowed_by_token(one.roles)
    def view(**raw_path: str) -> Response:
        return answer(one, raw_path)

    rule = PARAMETER.sub(r"<\1>", one.path)
    name = f"{one.tag.lower()}_{one.name}"
    pages.add_url_rule(rule, name, view, methods=[one.method])
