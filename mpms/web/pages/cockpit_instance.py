"""One instance: its tokens, its way, its values, and everything that can be repaired.

Every action is a form of its own with an address of its own. Scripts show it in a
dialog; without them, or when the server refuses, it is a page that keeps what was
typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict
from werkzeug.wrappers import Response as Answer

from mpms.domain.errors import DatabaseAway, InstanceBusy, MpmsError, TaskGone
from mpms.domain.people.people import Role
from mpms.services.instances.migrate import plan_migration
from mpms.services.instances.page import InstancePage, show_instance_page
from mpms.services.instances.tabs import (
    list_family,
    list_forms,
    list_incidents,
    list_variables,
    list_work,
    show_changes,
    show_history,
)
from mpms.services.instances.undo_repair import list_undoable, plan_undo
from mpms.web.fields.instance_actions import (
    ACTIONS,
    Asked,
    FieldWrong,
    line_in,
    renamed_in,
    version_in,
)
from mpms.web.labels import incidents as incident_words
from mpms.web.labels import instances as words
from mpms.web.labels.history import timeline_kinds
from mpms.web.rights import LEADERS, allowed
from mpms.web.site.plugin_parts import current_parts
from mpms.web.site.signed_in import current_desk, current_person
from mpms.web.texts import t

pages = Blueprint("cockpit_instance", __name__)
READERS = LEADERS | {Role.VIEWER}
TABS = ("timeline", "variables", "jobs", "incidents", "tasks", "calls")
MOST_DIGITS = 18

pages.add_app_template_global(incident_words.kind_word, "incident_kind")
pages.add_app_template_test(incident_words.is_retryable, "retryable_incident")


@pages.app_context_processor
def vocabulary() -> dict[str, object]:
    return {"instance_words": words}


# -- looking --------------------------------------------------------------------------


@pages.get("/cockpit/i/<uuid:instance_id>")
@allowed(READERS)
def page(instance_id: UUID) -> str:
    found = _found(instance_id)
    tab = request.args.get("tab", "")
    tab = tab if tab in TABS else "incidents" if found.incidents else "timeline"
    shown = _shown(found) | _tab(str(instance_id), tab)
    return render_template("instance.html", **shown)


@pages.get("/cockpit/i/<uuid:instance_id>/now")
@allowed(READERS)
def now(instance_id: UUID) -> str:
    """What changes while the instance runs."""
    return render_template(
        "_instance_now.html", **_shown(_found(instance_id)), fragment=True
    )


@pages.get("/cockpit/i/<uuid:instance_id>/tab/<tab>")
@allowed(READERS)
def tab(instance_id: UUID, tab: str) -> Answer | str:
    if tab not in TABS:
        abort(404)
    if "HX-Request" not in request.headers:
        here = url_for("cockpit_instance.page", instance_id=instance_id, tab=tab)
        return redirect(here, 303)
    part = "_instance_lines.html" if "below" in request.args else "_instance_tab.html"
    shown = _tab(str(instance_id), tab)
    return render_template(part, **shown, tabs=_tab_names())


@pages.get("/cockpit/i/<uuid:instance_id>/values")
@allowed(READERS)
def values(instance_id: UUID) -> str:
    """Every value that one variable had."""
    name = request.args.get("name", "")
    found, older = show_changes(
        current_desk().uow, str(instance_id), name, below=_number("below")
    )
    return render_template(
        _whole_or_part("instance_values.html", "_instance_values.html"),
        changes=found,
        older=older,
        name=name,
        instance_id=str(instance_id),
    )


@pages.get("/cockpit/i/<uuid:instance_id>/tokens.json")
@allowed(READERS)
def tokens(instance_id: UUID) -> dict[str, Any]:
    """What the diagram marks."""
    found = _found(instance_id)
    model = url_for("cockpit.definition", definition_id=found.instance.definition_id)
    stuck = {i.element for i in found.incidents if i.element}
    flows: dict[str, int] = {}
    for part in found.way:
        if part.kind == "entered" and part.flow:
            flows[part.flow] = flows.get(part.flow, 0) + part.times
    return {
        "model": model,
        "ended": found.ended,
        "tokens": [
            {
                "task": each.token.task_id,
                "element": each.token.element,
                "name": each.name,
                "state": each.token.state,
                "link": _link({**({} if each.watches else found.known), **each.known}),
                "at_work": bool(each.known),
                "due_at": each.due_at and each.due_at.isoformat(),
            }
            for each in found.tokens
        ],
        "passed": sorted(
            {p.element for p in found.way if p.kind == "left"}
            | {p.element for p in found.way if p.kind == "entered" and found.ended}
        ),
        "cancelled": sorted({p.element for p in found.way if p.kind == "cancelled"}),
        "flows": flows,
        "stuck": sorted(stuck),
    }


def _link(known: Mapping[str, str]) -> dict[str, str] | None:
    """To what works for a token, as a plug-in shows it."""
    for one in current_parts().links_of(known):
        if one.link.at_step:
            title = t(one.link.at_step, value=one.value)
            return {"address": one.address, "title": title}
    return None


def _found(instance_id: UUID) -> InstancePage:
    desk = current_desk()
    return show_instance_page(
        desk.uow, desk.engine, str(instance_id), current_parts().details
    )


def _shown(found: InstancePage) -> dict[str, Any]:
    return {
        "page": found,
        "instance": found.instance,
        "instance_id": found.instance.id,
        "leads": current_person().leads,
        "now": current_desk().clock.now(),
        "tabs": _tab_names(),
    }


def _tab_names() -> dict[str, str]:
    return {
        "timeline": t("Timeline"),
        "variables": t("Variables"),
        "jobs": t("Jobs"),
        "incidents": t("Incidents"),
        "tasks": t("Tasks"),
        "calls": t("Calls"),
    }


def _tab(instance_id: str, tab: str) -> dict[str, Any]:
    desk = current_desk()
    uow, engine = desk.uow, desk.engine
    shown: dict[str, Any] = {
        "tab": tab,
        "instance_id": instance_id,
        "leads": current_person().leads,
        "now": desk.clock.now(),
    }
    match tab:
        case "timeline":
            every = bool(request.args.get("all"))
            below = _number("below")
            kinds = None if every else timeline_kinds()
            history = show_history(uow, engine, instance_id, kinds=kinds, below=below)
            shown |= {"history": history, "every": every, "earlier": below is not None}
            shown["undoable"] = (
                list_undoable(uow, engine, instance_id, history.lines)
                if shown["leads"]
                else frozenset()
            )
        case "variables":
            with uow() as tx:
                instance = tx.instances.get(instance_id)
            shown |= {"running": not instance.status.ended, "key": instance.key}
            shown["variables"] = list_variables(uow, engine, instance_id)
        case "jobs":
            shown["work"] = list_work(uow, engine, instance_id)
        case "incidents":
            rows, retryable, elements = list_incidents(uow, engine, instance_id)
            shown |= {"rows": rows, "retryable": retryable, "elements": elements}
        case "tasks":
            shown["forms"] = list_forms(uow, instance_id)
        case _:
            shown["family"] = list_family(uow, instance_id)
    return shown


def _number(name: str) -> int | None:
    text = request.args.get(name, "")
    return int(text) if text.isdecimal() and len(text) <= MOST_DIGITS else None


def _whole_or_part(whole: str, part: str) -> str:
    return part if "HX-Request" in request.headers else whole


# -- acting ---------------------------------------------------------------------------


@pages.get("/cockpit/i/<uuid:instance_id>/do/<action>")
@allowed(LEADERS)
def ask(instance_id: UUID, action: str) -> str:
    if action not in ACTIONS:
        abort(404)
    return _form(_found(instance_id), action, request.args)


@pages.post("/cockpit/i/<uuid:instance_id>/do/<action>")
@allowed(LEADERS)
def act(instance_id: UUID, action: str) -> Answer | tuple[str, int]:
    known = ACTIONS.get(action) or abort(404)
    found = _found(instance_id)
    asked = Asked(
        current_desk(), found.instance.id, request.form, current_person().login
    )
    try:
        done = known.run(asked)
    except DatabaseAway:
        raise
    except MpmsError as error:
        return _refused(_found(instance_id), action, error)
    flash(done.message, "ok")
    if known.told is not None and (line := _last(found.instance.id, known.told)):
        flash(str(line), "undo")
    there = done.instance_id or found.instance.id
    tab = request.form.get("tab")
    kept: dict[str, Any] = {"tab": tab} if tab in TABS else {}
    return redirect(url_for("cockpit_instance.page", instance_id=there, **kept), 303)


def _refused(found: InstancePage, action: str, error: MpmsError) -> tuple[str, int]:
    """Nothing was changed, and nothing that was typed is lost."""
    status = 409 if isinstance(error, TaskGone | InstanceBusy) else 422
    return _form(found, action, request.form, error), status


def _last(instance_id: str, kind: str) -> int | None:
    """The line that tells of what was just done, if it can be taken back."""
    desk = current_desk()
    with desk.uow() as tx:
        lines = tx.cockpit_instance.lines(instance_id, kinds=[kind], limit=1)
    undoable = list_undoable(desk.uow, desk.engine, instance_id, lines)
    return next(iter(undoable), None)


def _form(
    found: InstancePage,
    action: str,
    typed: MultiDict[str, str],
    error: MpmsError | None = None,
) -> str:
    more: dict[str, Any] = {}
    if action == "migrate":
        more = _plan(found, typed)
    elif action == "set-variable":
        more = {"present_value": _present_value(found, typed)}
    elif action == "undo":
        more = _taken_back(found, typed)
    shown = _shown(found) | {
        "action": action,
        "typed": typed,
        "refused": error,
        "wrong_field": _shown_field(error),
        "task": next(
            (x for x in found.tokens if x.token.task_id == typed.get("task")), None
        ),
        "choices": words.choices(found.elements),
    }
    template = _whole_or_part("instance_do.html", "_instance_do.html")
    return render_template(template, **(shown | more))


def _shown_field(error: MpmsError | None) -> str:
    """The field to blame; hidden ones are chosen by links, not by people."""
    field = error.field if isinstance(error, FieldWrong) else ""
    return "" if field in ("incident", "line") else field


def _present_value(found: InstancePage, typed: MultiDict[str, str]) -> str:
    """What the variable is now, as JSON; nothing if it is new."""
    holder = (
        {} if found.instance.snapshot is None else found.instance.snapshot.variables
    )
    if task_id := typed.get("task"):
        live = (x.token for x in found.tokens if x.token.task_id == task_id)
        holder = next((token.local for token in live), {})
    name = typed.get("name", "")
    return words.as_json(holder[name], indent=2) if name in holder else ""


def _taken_back(found: InstancePage, typed: MultiDict[str, str]) -> dict[str, Any]:
    """What undoing would do, or why it cannot be done."""
    desk = current_desk()
    try:
        line = line_in(typed)
        return {"undo": plan_undo(desk.uow, desk.engine, found.instance.id, line)}
    except DatabaseAway:
        raise
    except MpmsError as error:
        return {"undo": None, "refused": error}


def _plan(found: InstancePage, typed: MultiDict[str, str]) -> dict[str, Any]:
    """What would become of the instance in the version that was chosen."""
    version = version_in(typed)
    current = found.definition.version
    versions = [n for n in range(found.latest_version, 0, -1) if n != current]
    if version is None:
        return {"versions": versions, "planned": None}
    desk = current_desk()
    try:
        plan = plan_migration(
            desk.uow,
            desk.engine,
            found.instance.key,
            version,
            instance_ids=[found.instance.id],
            renamed=renamed_in(typed),
        )
    except DatabaseAway:
        raise
    except MpmsError as error:
        return {"versions": versions, "planned": None, "refused": error}
    return {"versions": versions, "planned": plan[0] if plan else None}
