"""Work that waits for a person, and the answer that was given."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mpms.domain.instances.steps import USUAL_PRIORITY


@dataclass(frozen=True)
class Decision:
    """Forms that ask what becomes of a process that has stopped.

    ``sentence`` says in English what has stopped, with {key} for the business key.
    """

    forms: str  # how their keys begin
    sentence: str
    address: str = ""  # of the page of its business key, with {key}
    link: str = ""  # what leads there
    message: str = ""  # the variable that says why


@dataclass(frozen=True)
class FormTask:
    """One open form: a live row of ``tasks``."""

    task_id: str
    instance_id: str
    business_key: str | None
    element: str
    name: str
    lane: str | None
    form: str | None
    assignee: str | None
    groups: tuple[str, ...]
    inputs: dict[str, Any]
    created_at: datetime
    on_hold: bool = False  # its instance is suspended
    due_at: datetime | None = None
    follow_up_at: datetime | None = None  # not shown before, but to leaders
    priority: int = USUAL_PRIORITY  # higher first
    owner: str | None = None  # who asked somebody else for help with it
    delegate: str | None = None  # whom he asked
    resolved: bool = False  # and who has helped: it is the owner's again

    @property
    def helper(self) -> str | None:
        """Who has it only until he hands it back."""
        return None if self.resolved else self.delegate


@dataclass(frozen=True)
class OverdueTask:
    """An open form that should have been done by now."""

    task_id: str
    instance_id: str
    element: str
    name: str
    due_at: datetime


@dataclass(frozen=True)
class TaskComment:
    """What somebody said about a form."""

    id: int
    task_id: str
    instance_id: str
    login: str
    text: str
    created_at: datetime


@dataclass(frozen=True)
class FormAnswer:
    """A form that was filled in; the first answer is the one that counts."""

    task_id: str
    instance_id: str
    element: str
    answers: dict[str, Any]
    answered_by: str
    answered_at: datetime
    key: str | None = None  # of the post that brought it
    device_at: datetime | None = None  # when it was given, by the tablet's clock


@dataclass(frozen=True)
class PastTask:
    """A form that waits no longer, as the history remembers it."""

    task_id: str
    instance_id: str
    definition_id: int
    business_key: str | None
    element: str
