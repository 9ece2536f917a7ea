"""What the form of a bulk action asks for, from its fields to what the services take.

The instances are those that were ticked, or all that fit the search the page showed:
its address travels along as one field.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode

from werkzeug.datastructures import MultiDict

from mpms.domain.bulk import BatchAction, TheseInstances
from mpms.ports.instances.rows import InstanceFilter
from mpms.services.processes.page import ProcessPage
from mpms.web.fields.cockpit_filter import Filter
from mpms.web.fields.instance_actions import (
    FieldWrong,
    read_json,
    renamed_in,
    version_in,
)
from mpms.web.texts import t

LONGEST_NAME = 200
Form = MultiDict[str, str]


@dataclass(frozen=True)
class Choice:
    """Which instances of which process."""

    key: str
    everything: bool  # all that fit the filter
    ids: tuple[str, ...]
    filter: Filter

    @classmethod
    def of(cls, form: Form) -> Choice:
        """A page's search as its own fields, or as the one field that travels."""
        travelled = form.get("filter")
        asked = form if travelled is None else dict(parse_qsl(travelled))
        return cls(
            key=form.get("key", ""),
            everything=form.get("all") == "1",
            ids=tuple(form.getlist("instance")),
            filter=Filter.of(asked),
        )

    @property
    def address(self) -> str:
        return urlencode(self.filter.address)

    def which(
        self, page: ProcessPage, now: datetime
    ) -> TheseInstances | InstanceFilter:
        if not self.everything:
            return TheseInstances(self.ids)
        return self.filter.wanted(self.key, page.definition_id, now)


def details_in(action: BatchAction, form: Form, *, complete: bool) -> dict[str, Any]:
    """What an action needs. FieldWrong; what is missing only if it is ``complete``."""

    def needed(field: str, otherwise: str) -> str:
        found = form.get(field, "").strip()
        if complete and not found:
            raise FieldWrong(field, otherwise)
        return found

    match action:
        case BatchAction.CANCEL:
            return {"completed_manually": bool(form.get("completed_manually"))}
        case BatchAction.SET_VARIABLES:
            name = needed("variable", t("Enter the name of the variable."))
            if len(name) > LONGEST_NAME or not name.isprintable():
                text = t("This cannot be the name of a variable.")
                raise FieldWrong("variable", text)
            if not name or (not complete and not form.get("content")):
                return {}
            return {"variables": {name: read_json(form.get("content", ""), "content")}}
        case BatchAction.SKIP:
            return {"element": needed("at", t("Choose the step that is meant."))}
        case BatchAction.MOVE:
            at = needed("at", t("Choose the step that is meant."))
            to = needed("target", t("Choose where the tokens should go."))
            return {"element": at, "to": to}
        case BatchAction.MIGRATE:
            version = version_in(form)
            if version is None:
                if complete:
                    raise FieldWrong("to", t("Choose a version."))
                return {}
            return {"version": version, "renamed": renamed_in(form)}
        case BatchAction.RESTART:
            at = needed("at", t("Choose where the process should start."))
            elements = [at] if at else []
            return {"elements": elements, "latest": bool(form.get("latest"))}
    return {}
