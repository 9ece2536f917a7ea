"""One action on many instances: what it is, what it needs, how far it is."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from mpms.domain.errors import MpmsError, NotFound

MOST_ITEMS = 10_000


class BatchAction(enum.StrEnum):
    """What is done to each one."""

    RETRY = "retry"  # of one incident, or all of an instance
    SUSPEND = "suspend"
    RESUME = "resume"
    CANCEL = "cancel"
    SET_VARIABLES = "set variables"
    SKIP = "skip"
    MOVE = "move"
    MIGRATE = "migrate"
    RESTART = "restart"


REVERSE: Mapping[BatchAction, BatchAction] = {
    BatchAction.SUSPEND: BatchAction.RESUME,
    BatchAction.RESUME: BatchAction.SUSPEND,
}


class ItemState(enum.StrEnum):
    """How one item went."""

    WAITING = "waiting"
    DONE = "done"
    FAILED = "failed"


class BatchUnknown(NotFound):
    """There is no such bulk action."""


class BatchRefused(MpmsError):
    """This bulk action cannot be ordered."""


class TooManyForBatch(BatchRefused):
    """More fit than one bulk action takes."""

    def __init__(self, most: int = MOST_ITEMS) -> None:
        self.most = most
        super().__init__(f"More than {most} fit; one bulk action takes at most {most}.")


class NothingForBatch(BatchRefused):
    """No matches, so there is nothing to do."""


class BatchOver(BatchRefused):
    """This bulk action has already ended."""


@dataclass(frozen=True)
class TheseInstances:
    """Instances by their ids."""

    ids: tuple[str, ...]


@dataclass(frozen=True)
class TheseIncidents:
    """Incidents by their numbers."""

    numbers: tuple[int, ...]


@dataclass(frozen=True)
class Target:
    """What one item is about: an instance, or one incident of it."""

    instance_id: str | None
    incident_id: int | None = None


@dataclass(frozen=True)
class Batch:
    """One row of ``batches`` with the counts of its items."""

    id: int
    action: BatchAction
    details: dict[str, Any]
    reason: str
    ordered_by: str
    ordered_at: datetime
    ended_at: datetime | None
    stopped_by: str | None
    items: int
    done: int
    failed: int

    @property
    def left(self) -> int:
        """Waiting; or never done, if it was stopped."""
        return self.items - self.done - self.failed

    @property
    def state(self) -> str:
        """running, stopped or ended."""
        if self.ended_at is None:
            return "running"
        return "ended" if self.stopped_by is None else "stopped"


@dataclass(frozen=True)
class BatchItem:
    """One item and what became of it."""

    place: int
    target: Target
    state: ItemState
    message: str | None = None
    done_at: datetime | None = None
    key: str | None = None  # of the process; None: the instance was deleted
    business_key: str | None = None


def checked_details(
    action: BatchAction, details: Mapping[str, Any] | None
) -> dict[str, Any]:
    """What an action needs beside its instances, complete and nothing else.

    BatchRefused, naming the part that is missing.
    """
    given = dict(details or {})
    known = _DETAILS[action]
    if unknown := sorted(given.keys() - known.keys()):
        raise BatchRefused(f"{action} knows no {', '.join(unknown)}.")
    for name, kind in known.items():
        value = given.setdefault(name, kind())
        if type(value) is not kind:
            raise BatchRefused(f"{action}: {name} must be of type {kind.__name__}.")
    if missing := [name for name in _NEEDED.get(action, ()) if not given[name]]:
        raise BatchRefused(f"{action}: say {' and '.join(missing)}.")
    if action is BatchAction.SET_VARIABLES and not any(given.values()):
        raise BatchRefused("Say which variables are set or removed.")
    return given


_DETAILS: Mapping[BatchAction, Mapping[str, type]] = {
    BatchAction.RETRY: {},
    BatchAction.SUSPEND: {},
    BatchAction.RESUME: {},
    BatchAction.CANCEL: {"completed_manually": bool},
    BatchAction.SET_VARIABLES: {"variables": dict, "removed": list},
    BatchAction.SKIP: {"element": str, "variables": dict},
    BatchAction.MOVE: {"element": str, "to": str},
    BatchAction.MIGRATE: {"version": int, "renamed": dict},
    BatchAction.RESTART: {"elements": list, "variables": dict, "latest": bool},
}
_NEEDED: Mapping[BatchAction, tuple[str, ...]] = {
    BatchAction.SKIP: ("element",),
    BatchAction.MOVE: ("element", "to"),
    BatchAction.MIGRATE: ("version",),
    BatchAction.RESTART: ("elements",),
}
