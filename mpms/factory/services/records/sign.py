"""Sign a record electronically: sign in again and say what the signature means.

What is signed is the record up to its last line at that moment, named by number and
hash in the line of the signature. A badge or a PIN is not enough: both can be borrowed.
"""

from __future__ import annotations

from dataclasses import dataclass

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Person
from mpms.factory.domain.errors import RecordUnknown
from mpms.factory.domain.records import Entry
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.records.append import append_entries
from mpms.factory.services.records.prove import SignatureRefused, prove
from mpms.ports.people.hasher import Hasher
from mpms.services.people.limit_attempts import forget_attempts

__all__ = ["MEANINGS", "MeaningUnknown", "SignRecord", "SignatureRefused"]

MEANINGS = ("made", "reviewed", "approved", "released", "rejected")


class MeaningUnknown(MpmsError):
    """Say what the signature means."""


@dataclass(frozen=True)
class SignRecord:
    """Signs in the name of somebody who is signed in and proves it once more."""

    uow: UnitOfWork
    hasher: Hasher

    def __call__(
        self,
        number: str,
        person: Person,
        password: str,
        *,
        meaning: str,
        why: str,
        address: str,
    ) -> None:
        """SignatureRefused, MeaningUnknown, RecordUnknown, TooManyAttempts."""
        if meaning not in MEANINGS:
            raise MeaningUnknown
        key = prove(
            self.uow,
            self.hasher,
            person,
            password,
            address=address,
            about={"order": number},
        )
        with self.uow() as tx:
            head = tx.records.head(number)
            if not head.lines:
                raise RecordUnknown(f"There is no batch record of {number}.")
            heads, _ = tx.records.lock([number])
            head = heads[number]
            data = {
                "meaning": meaning,
                "person": person.name,
                "lines": head.lines,
                "hash": head.hash,
                "by": "password",
            }
            entry = Entry(number, "signed", person.login, why=why or None, data=data)
            append_entries(tx, [entry])
            forget_attempts(tx, key)
            tx.wake()
