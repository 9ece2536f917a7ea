"""The inbox in words, and what its address asks for.

An address that was tampered with asks for less, never for an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mpms.ports.incidents.inbox import SORTS, CauseFilter, CauseIncident
from mpms.ports.instances.cockpit import IncidentRow
from mpms.web.labels.history import current_kinds
from mpms.web.texts import t

LONGEST = 200
NO_PROCESS = "-"  # in an address, where an empty value means any


@dataclass(frozen=True)
class InboxFilter:
    """The parts of an address, each one known to be good."""

    process: str
    element: str
    kind: str
    whose: str  # mine, nobody, or a login
    text: str
    sort: str

    @classmethod
    def of(cls, args: Mapping[str, str]) -> InboxFilter:
        def typed(name: str) -> str:
            return "".join(c for c in args.get(name, "") if c.isprintable())[
                :LONGEST
            ].strip()

        sort = typed("sort")
        return cls(
            process=typed("process"),
            element=typed("element"),
            kind=typed("kind"),
            whose=typed("whose"),
            text=typed("q"),
            sort=sort if sort in SORTS else SORTS[0],
        )

    def wanted(self, login: str) -> CauseFilter:
        whose = {"": None, "mine": login, "nobody": ""}.get(self.whose, self.whose)
        return CauseFilter(
            process="" if self.process == NO_PROCESS else self.process or None,
            element=self.element or None,
            kind=self.kind or None,
            assignee=whose,
            text=self.text or None,
            sort=self.sort,
        )

    @property
    def address(self) -> dict[str, str]:
        """What is not as usual."""
        parts = {
            "process": self.process,
            "element": self.element,
            "kind": self.kind,
            "whose": self.whose,
            "q": self.text,
            "sort": "" if self.sort == SORTS[0] else self.sort,
        }
        return {name: value for name, value in parts.items() if value}

    @property
    def narrows(self) -> bool:
        return bool(self.address.keys() - {"sort"})


def is_retryable(incident: CauseIncident | IncidentRow) -> bool:
    outside = current_kinds().incident(incident.kind).outside
    return incident.task_id is not None and not outside


def sort_words() -> dict[str, str]:
    return {
        "longest": t("Longest first"),
        "most": t("Most first"),
        "newest": t("Newest first"),
    }


def kind_word(kind: str) -> str:
    """What went wrong, in a word or two."""
    if kind.startswith("start "):
        return t("start by timer")
    return t(current_kinds().incident(kind).title)
