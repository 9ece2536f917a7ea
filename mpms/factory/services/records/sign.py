"""Sign a record electronically: sign in again and say what the signature means.

What is signed is the record up to its last line at that moment, named by number and
hash in the line of the signature. A badge or a PIN is not enough: both can be borrowed.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from mpms.domain.errors import MpmsError
from mpms.domain.people.people import Person
from mpms.factory.domain.errors import RecordUnknown
from mpms.factory.domain.records import Entry
from mpms.factory.ports.store import Transaction, UnitOfWork
from mpms.factory.services.records.append import append_entries
from mpms.factory.services.records.prove import SignatureRefused, prove
from mpms.ports.people.hasher import Hasher
from mpms.services.people.limit_attempts import forget_attempts

__all__ = ["MEANINGS", "MeaningUnknown", "SignRecord", "SignatureRefused"]

MEANINGS = ("made", "reviewed", "approved", "released", "rejected")


class MeaningUnknown(MpmsError):
    """Say what the signature means."""


class SignatureTooEarly(MpmsError):
    """Another signature that the recipe asks for comes before this one."""


class SamePerson(MpmsError):
    """Somebody else has to sign this: you have signed for another part already."""


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
        required: Sequence[str] = (),
    ) -> None:
        """``required``: what the models ask for, in the order of the meanings.

        SignatureRefused, MeaningUnknown, RecordUnknown, SignatureTooEarly, SamePerson,
        TooManyAttempts.
        """
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
            _refuse_out_of_turn(tx, number, person.login, meaning, required)
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


def _refuse_out_of_turn(
    tx: Transaction, number: str, login: str, meaning: str, required: Sequence[str]
) -> None:
    """Of what a recipe asks for, each comes in its turn and from another person.

    A rejection may come at any time. SignatureTooEarly, SamePerson.
    """
    if meaning not in required or meaning == "rejected":
        return
    given: dict[str, str] = {}
    for line in tx.records.lines_of(number, ["signed"]):
        said = json.loads(line.content)
        given[said["data"]["meaning"]] = said["who"]
    before = [each for each in required if each != meaning and each != "rejected"]
    before = [each for each in before if MEANINGS.index(each) < MEANINGS.index(meaning)]
    if any(each not in given for each in before):
        raise SignatureTooEarly
    if login in {given[each] for each in before}:
        raise SamePerson
