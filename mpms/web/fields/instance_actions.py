"""What leaders may do to an instance: one entry an action, from its form to its verb.

An action reads a form that was posted, calls one service and says what was done. What
the form lacks is an error of a field; what the service refuses is told as it says it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import MultiDict

from mpms.domain.errors import MpmsError
from mpms.domain.numbers import finite
from mpms.services.instances.apply_repair import Why, required
from mpms.services.instances.migrate import migrate_instance
from mpms.services.instances.repair import (
    cancel_activity,
    cancel_instance,
    move_token,
    restart_instance,
    resume_instance,
    retry_incident,
    set_variables,
    skip_activity,
    suspend_instance,
    undo_repair,
)
from mpms.web.desk import Desk
from mpms.web.texts import t

LONGEST_NAME = 200
Form = MultiDict[str, str]


class FieldWrong(MpmsError):
    """A field of the form cannot be read."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class Done:
    """What to tell, and where to look now if it is another instance."""

    message: str
    instance_id: str | None = None


@dataclass(frozen=True)
class Asked:
    """One posted form."""

    desk: Desk
    instance_id: str
    form: Form
    by: str

    def text(self, name: str) -> str:
        return self.form.get(name, "").strip()

    @property
    def reason(self) -> str:
        return self.text("reason")

    @property
    def why(self) -> Why:
        return Why(by=self.by, reason=self.reason)

    def chosen(self, name: str, otherwise: str) -> str:
        found = self.text(name)
        if not found:
            raise FieldWrong(name, otherwise)
        return found

    def task(self) -> str:
        return self.chosen("task", t("Choose the token that is meant."))


@dataclass(frozen=True)
class Action:
    """``told``: the line of the history by which it can be taken back."""

    run: Callable[[Asked], Done]
    told: str | None = None


def read_json(text: str, field: str = "value") -> Any:
    """A value as a person typed it. FieldWrong."""
    try:
        return json.loads(text, parse_constant=_no_number, parse_float=finite)
    except ValueError as wrong:
        where = ""
        if isinstance(wrong, json.JSONDecodeError):
            where = t(
                " (line {line}, column {column})", line=wrong.lineno, column=wrong.colno
            )
        hint = t(
            'This is no JSON{where}. A text needs quotation marks: "blue".', where=where
        )
        raise FieldWrong(field, hint) from None
    except RecursionError:
        raise FieldWrong(field, t("This value is nested too deeply.")) from None


def _no_number(name: str) -> Any:
    raise ValueError(name)


def _name(asked: Asked) -> str:
    name = asked.chosen("name", t("Enter the name of the variable."))
    if len(name) > LONGEST_NAME or not name.isprintable():
        raise FieldWrong("name", t("This cannot be the name of a variable."))
    return name


def _retry(asked: Asked) -> Done:
    number = asked.text("incident")
    if not number.isdecimal() or len(number) > 18:
        raise FieldWrong("incident", t("Choose the incident that is meant."))
    desk = asked.desk
    with desk.uow() as tx:
        found = tx.incidents.get(int(number))
    if found is None or found.instance_id != asked.instance_id:
        raise FieldWrong("incident", t("This incident is no longer open."))
    retry_incident(
        desk.uow, desk.advance, int(number), by=asked.by, reason=required(asked.reason)
    )
    return Done(t("It is tried again."))


def _set_variable(asked: Asked) -> Done:
    name, desk = _name(asked), asked.desk
    set_variables(
        desk.uow,
        desk.advance,
        asked.instance_id,
        {name: read_json(asked.form.get("value", ""))},
        task_id=asked.text("task") or None,
        **asked.why,
    )
    return Done(t("The variable {name} is set.", name=name))


def _remove_variable(asked: Asked) -> Done:
    name, desk = _name(asked), asked.desk
    set_variables(
        desk.uow,
        desk.advance,
        asked.instance_id,
        {},
        removed=(name,),
        task_id=asked.text("task") or None,
        **asked.why,
    )
    return Done(t("The variable {name} is removed.", name=name))


def _skip(asked: Asked) -> Done:
    desk, typed = asked.desk, asked.text("value")
    variables = read_json(typed) if typed else {}
    if not isinstance(variables, dict):
        text = t('Give the results as a JSON object: {"kg": 4.5}.')
        raise FieldWrong("value", text)
    skip_activity(
        desk.uow,
        desk.advance,
        asked.instance_id,
        asked.task(),
        variables=variables,
        **asked.why,
    )
    return Done(t("The activity is skipped."))


def _move(asked: Asked) -> Done:
    desk = asked.desk
    target = asked.chosen("element", t("Choose where the token should go."))
    move_token(
        desk.uow, desk.advance, asked.instance_id, asked.task(), target, **asked.why
    )
    return Done(t("The token is moved."))


def _cancel_activity(asked: Asked) -> Done:
    desk = asked.desk
    cancel_activity(
        desk.uow, desk.advance, asked.instance_id, asked.task(), **asked.why
    )
    return Done(t("The activity is cancelled."))


def _suspend(asked: Asked) -> Done:
    suspend_instance(asked.desk.uow, asked.instance_id, **asked.why)
    return Done(t("The process is suspended."))


def _resume(asked: Asked) -> Done:
    why = required(asked.reason)
    resume_instance(asked.desk.uow, asked.instance_id, by=asked.by, reason=why)
    return Done(t("The process is resumed."))


def _cancel(asked: Asked) -> Done:
    desk = asked.desk
    cancel_instance(
        desk.uow,
        desk.advance,
        asked.instance_id,
        completed_manually=bool(asked.text("completed_manually")),
        **asked.why,
    )
    return Done(t("The process is cancelled."))


def _restart(asked: Asked) -> Done:
    desk, places = asked.desk, asked.form.getlist("element")
    if not places:
        raise FieldWrong("element", t("Choose where the process should start."))
    new_id = restart_instance(
        desk.uow,
        desk.advance,
        asked.instance_id,
        places,
        latest=bool(asked.text("latest")),
        by=asked.by,
        reason=asked.reason,
    )
    return Done(t("The process is restarted. This is the new one."), new_id)


def version_in(form: Mapping[str, str]) -> int | None:
    """The version that somebody wants to go to."""
    text = form.get("to", "").strip()
    return int(text) if text.isdecimal() and len(text) < 9 else None


def renamed_in(form: Mapping[str, str]) -> dict[str, str]:
    """Lines ``old = new``. FieldWrong."""
    renamed = {}
    for line in form.get("renamed", "").splitlines():
        if not line.strip():
            continue
        old, sign, new = (part.strip() for part in line.partition("="))
        if not (old and sign and new):
            text = t("Write one element a line: old_id = new_id")
            raise FieldWrong("renamed", text)
        renamed[old] = new
    return renamed


def _migrate(asked: Asked) -> Done:
    desk, version = asked.desk, version_in(asked.form)
    if version is None:
        raise FieldWrong("to", t("Choose a version."))
    migrate_instance(
        desk.uow,
        desk.advance,
        asked.instance_id,
        version,
        renamed=renamed_in(asked.form),
        **asked.why,
    )
    return Done(t("The process is in version {n} now.", n=version))


def line_in(form: Mapping[str, str]) -> int:
    """Which line of the history is to be undone. FieldWrong."""
    text = form.get("line", "")
    if not text.isdecimal() or len(text) > 18:
        raise FieldWrong("line", t("Choose what to undo."))
    return int(text)


def _undo(asked: Asked) -> Done:
    desk, line = asked.desk, line_in(asked.form)
    undo_repair(desk.uow, desk.advance, asked.instance_id, line, **asked.why)
    return Done(t("It is undone."))


ACTIONS: Mapping[str, Action] = {
    "retry": Action(_retry),
    "set-variable": Action(_set_variable, told="variables set"),
    "remove-variable": Action(_remove_variable, told="variables set"),
    "skip": Action(_skip),
    "move": Action(_move, told="token moved"),
    "cancel-activity": Action(_cancel_activity),
    "suspend": Action(_suspend, told="suspended"),
    "resume": Action(_resume, told="resumed"),
    "cancel": Action(_cancel),
    "restart": Action(_restart),
    "migrate": Action(_migrate, told="migrated"),
    "undo": Action(_undo),
}
