"""Who guesses must wait, longer each time; counted for all processes together.

An attempt is noted before its secret is checked and forgotten when the secret was
right: guesses that arrive all at once would otherwise all be checked before the
first of them counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from mpms.domain.errors import MpmsError
from mpms.ports.store import Transaction, UnitOfWork

SWEEP_S = 24 * 3600.0


class TooManyAttempts(MpmsError):
    """Too many failed attempts. Wait a little."""

    def __init__(self, wait_s: float) -> None:
        self.wait_s = max(1, math.ceil(wait_s))
        super().__init__(f"Too many failed attempts. Wait {self.wait_s} s.")


@dataclass(frozen=True)
class Limit:
    """After ``free`` failures every further one costs a wait that doubles."""

    free: int
    first_wait_s: float
    longest_wait_s: float
    memory_s: float

    def wait_s(self, failures: int) -> float:
        if failures < self.free:
            return 0.0
        growth = float(1 << min(failures - self.free, 16))
        return min(self.first_wait_s * growth, self.longest_wait_s)


PASSWORD_OF_LOGIN = Limit(5, 60, 900, 3600)
PASSWORD_EVERYWHERE = Limit(50, 60, 300, 3600)  # of one login, from many addresses
PASSWORD_FROM_ADDRESS = Limit(20, 60, 900, 3600)  # an office may share an address
PIN_OF_PERSON = Limit(5, 600, 600, 1200)
GUESS_ON_TABLET = Limit(15, 60, 900, 3600)


def refuse_if_waiting(tx: Transaction, key: str, limit: Limit) -> None:
    """TooManyAttempts says how long."""
    failures = tx.attempts.count(key, within_s=limit.memory_s)
    wait_s = limit.wait_s(failures)
    if wait_s and tx.attempts.count(key, within_s=wait_s):
        raise TooManyAttempts(wait_s - _age_of_latest_s(tx, key, wait_s))


def take_attempt(uow: UnitOfWork, key: str, limit: Limit) -> None:
    """Note an attempt that is about to be made. TooManyAttempts."""
    with uow() as tx:
        refuse_if_waiting(tx, key, limit)
    with uow() as tx:
        tx.attempts.note(key)
    with uow() as tx:  # sees every attempt that was noted before this one
        others = tx.attempts.count(key, within_s=limit.memory_s) - 1
        wait_s = limit.wait_s(others)
        if wait_s and tx.attempts.count(key, within_s=wait_s) > 1:
            raise TooManyAttempts(wait_s)


def forget_attempts(tx: Transaction, key: str) -> None:
    """The secret was right."""
    tx.attempts.forget(key)
    tx.attempts.sweep(older_than_s=SWEEP_S)


def _age_of_latest_s(tx: Transaction, key: str, at_most_s: float) -> float:
    young, old = 0.0, at_most_s
    while old - young > 1.0:
        middle = (young + old) / 2
        if tx.attempts.count(key, within_s=middle):
            old = middle
        else:
            young = middle
    return young
