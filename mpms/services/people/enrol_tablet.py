"""Tablets on which a PIN or a badge is enough."""

from __future__ import annotations

from mpms.domain.errors import MpmsError, NotFound
from mpms.ports.store import UnitOfWork
from mpms.services.people.session_tokens import hash_of, new_token

NAME_AT_MOST = 60


class TabletNameInvalid(MpmsError):
    """A tablet needs a name of at most 60 characters, such as its place."""


class TabletUnknown(NotFound):
    """There is no such tablet."""


def enrol_tablet(uow: UnitOfWork, name: str, *, by: str) -> str:
    """The token that the tablet keeps. TabletNameInvalid."""
    plain = " ".join(name.split())
    if not 0 < len(plain) <= NAME_AT_MOST or not plain.isprintable():
        raise TabletNameInvalid
    token = new_token()
    with uow() as tx:
        tx.sessions.enrol(hash_of(token), plain, by=by)
        tx.events.append("tablet enrolled", actor=by, data={"tablet": plain})
    return token


def revoke_tablet(uow: UnitOfWork, tablet_id: int, *, by: str) -> None:
    """Whoever is signed in there is signed out. TabletUnknown."""
    with uow() as tx:
        name = {t.id: t.name for t in tx.sessions.tablets()}.get(tablet_id)
        if name is None:
            raise TabletUnknown
        tx.sessions.revoke(tablet_id)
        tx.events.append("tablet revoked", actor=by, data={"tablet": name})
