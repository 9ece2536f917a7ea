"""What administrators change of a person. Somebody can always administer: the last
active administrator stays one."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Person, Role
from mpms.domain.people.secret_rules import NameMissing
from mpms.ports.people.hasher import Hasher
from mpms.ports.store import UnitOfWork
from mpms.services.instances.apply_repair import required
from mpms.services.people.change_secret import LastAdministrator, known, set_password

GROUP_AT_MOST = 60
# Without letters and digits that are mistaken for each other when read out.
READABLE = "abcdefghjkmnpqrstuvwxyz23456789"


class GroupInvalid(MpmsError):
    """A group has 1 to 60 characters."""


def edit_person(
    uow: UnitOfWork,
    login: str,
    *,
    name: str,
    role: Role,
    groups: Sequence[str],
    language: str,
    by: str,
    reason: str,
) -> Person:
    """PersonUnknown, NameMissing, GroupInvalid, LastAdministrator, ReasonMissing."""
    why = required(reason)
    plain_name = " ".join(name.split())
    if not plain_name or not plain_name.isprintable():
        raise NameMissing
    kept_groups = groups_of(groups)
    with uow() as tx:
        old = known(tx.people.get(login), login)
        demoted = old.role is Role.ADMIN and role is not Role.ADMIN
        if demoted and tx.people.lock_admins() == {login}:
            raise LastAdministrator
        new = {
            "name": plain_name,
            "role": str(role),
            "groups": kept_groups,
            "language": language,
        }
        before = {
            "name": old.name,
            "role": str(old.role),
            "groups": list(old.groups),
            "language": old.language,
        }
        changed = [key for key in new if new[key] != before[key]]
        if not changed:
            return old
        tx.people.edit(
            login, name=plain_name, role=role, groups=kept_groups, language=language
        )
        if "role" in changed:
            tx.sessions.close_all(old.id)
        tx.events.append(
            "person changed",
            actor=by,
            data={
                "login": login,
                "old": {key: before[key] for key in changed},
                "new": {key: new[key] for key in changed},
                "reason": why,
            },
        )
        return known(tx.people.get(login), login)


def reset_password(
    uow: UnitOfWork, hasher: Hasher, login: str, *, by: str, reason: str
) -> str:
    """A password that is told once and changed at the next sign-in. PersonUnknown,
    ReasonMissing."""
    password = new_password()
    set_password(
        uow, hasher, login, password, by=by, reason=required(reason), once=True
    )
    return password


def new_password() -> str:
    """Easy to read out, hard to guess: 79 bits."""
    return "-".join(
        "".join(secrets.choice(READABLE) for _ in range(4)) for _ in range(4)
    )


def groups_of(typed: Sequence[str]) -> list[str]:
    """Groups as they are kept: each once, in the order typed. GroupInvalid."""
    kept: dict[str, str] = {}
    for one in typed:
        group = " ".join(one.split())
        if len(group) > GROUP_AT_MOST or not group.isprintable():
            raise GroupInvalid
        if group:
            kept.setdefault(group.casefold(), group)
    return list(kept.values())
