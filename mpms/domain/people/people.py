"""People who sign in: who they are and what they may see and do."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass

from mpms.domain.models.definitions import ModelStep
from mpms.domain.tasks import FormTask


class Role(enum.StrEnum):
    """What a person may do; nobody has two."""

    ADMIN = "admin"
    SUPERVISOR = "supervisor"
    WORKER = "worker"
    VIEWER = "viewer"


LEADERS = frozenset({Role.ADMIN, Role.SUPERVISOR})


@dataclass(frozen=True)
class Person:
    """One row of ``people``, without its secrets."""

    id: int
    login: str
    name: str
    role: Role
    groups: tuple[str, ...] = ()
    language: str = "en"
    active: bool = True
    mail: str | None = None

    @property
    def leads(self) -> bool:
        return self.role in LEADERS

    @property
    def works(self) -> bool:
        """Whether tasks can be his at all."""
        return self.leads or self.role is Role.WORKER

    def may_start(self, starters: Iterable[str]) -> bool:
        """A model may name who starts it; administrators may always."""
        named = _folded(starters)
        mine = _folded((*self.groups, group_of(self.login)))
        return not named or self.role is Role.ADMIN or bool(named & mine)

    def may_do(self, task: FormTask) -> bool:
        """A worker does the tasks of his groups and lane; leaders do every task."""
        if self.leads:
            return True
        if self.role is not Role.WORKER:
            return False
        if self.login in (task.delegate, task.owner):
            return True
        if task.assignee is not None:
            return task.assignee == self.login
        mine = _folded((*self.groups, group_of(self.login)))
        if task.groups:
            return bool(mine & _folded(task.groups))
        return task.lane is None or task.lane.casefold() in mine

    def may_answer(self, step: ModelStep) -> bool:
        """Whether a form of this step may have been his, as far as the model says."""
        if not step.kind.lower().endswith("usertask"):
            return False
        mine = _folded((*self.groups, group_of(self.login)))
        mine_too = not step.groups or bool(mine & _folded(step.groups))
        return self.leads or (self.role is Role.WORKER and mine_too)


def group_of(login: str) -> str:
    """The group of one person alone, for tasks that name people and not groups."""
    return f"user:{login}"


def _folded(names: Iterable[str]) -> set[str]:
    return {name.casefold() for name in names}
