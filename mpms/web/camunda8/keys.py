"""Keys as Camunda 8 knows them: whole numbers of 64 bits, written as text.

A key is the number of a row in its table and, in its last two digits, the kind of
thing: no two things have the same key, and a key leads to its row without a search.
"""

from __future__ import annotations

import enum

from mpms.domain.errors import NotFound

KINDS = 100
LARGEST = (1 << 63) - 1


class Kind(enum.IntEnum):
    """What a key is the key of; never to be renumbered."""

    INSTANCE = 11
    JOB = 12
    USER_TASK = 13
    INCIDENT = 14
    DEFINITION = 15
    JOB_ELEMENT = 16  # the element instance that waits for a job
    TASK_ELEMENT = 17  # the one that waits for a person
    FORM = 18
    DECISION = 19
    REQUIREMENTS = 20  # a file of decisions, by the number of its first one
    DEPLOYMENT = 21
    MESSAGE = 22
    SIGNAL = 23

    @property
    def noun(self) -> str:
        return self.name.lower().replace("_", " ")


class KeyUnknown(NotFound):
    """Nothing has this key."""


def key_of(kind: Kind, number: int) -> str:
    return str(number * KINDS + kind)


def split(key: str) -> tuple[int, int]:
    """The kind and the number in a key; (0, 0), which is nothing's, if it is none."""
    if not (key.isascii() and key.isdecimal()) or len(key) > 19 or int(key) > LARGEST:
        return 0, 0
    number, kind = divmod(int(key), KINDS)
    return kind, number


def number_in(kind: Kind, key: str) -> int:
    """KeyUnknown."""
    found, number = split(key)
    if found != kind:
        raise unknown(kind, key)
    return number


def unknown(kind: Kind, key: str) -> KeyUnknown:
    return KeyUnknown(f"There is no {kind.noun} with the key {key}; it may have ended.")


def numbers_in(kind: Kind, keys: tuple[str, ...] | None) -> tuple[int, ...] | None:
    """Of a filter: what is no such key is nobody's."""
    if keys is None:
        return None
    return tuple(number if of == kind else 0 for of, number in map(split, keys))
