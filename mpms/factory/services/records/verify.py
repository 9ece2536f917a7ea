"""Verify all records of the plant while everybody goes on working."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mpms.factory.domain.records import PLANT, Head, Line
from mpms.factory.domain.records.seals import Verify
from mpms.factory.domain.records.verifying import Verified, Verifier
from mpms.factory.ports.store import UnitOfWork


def verify_records(
    uow: UnitOfWork,
    verify: Verify,
    *,
    keys: Iterable[str] = (),
    expected: Head | None = None,
    progress: Callable[[int], None] = lambda lines: None,
) -> Verified:
    """``keys``: the public keys that seals may have; none given, any.

    ``expected``: a line of the plant's record that somebody noted outside.
    """
    with uow() as tx:
        orders = tx.records.orders_since_first()
        verifier = Verifier(tx.records.heads(), keys, verify)
        verifier.plant(tx.records.lines(PLANT), expected)
        verifier.others(_counted(tx.records.every_line(), progress))
        verifier.later(tx.records.heads())
        verifier.orders(orders)
    return verifier.report


def _counted(lines: Iterator[Line], progress: Callable[[int], None]) -> Iterator[Line]:
    for count, line in enumerate(lines, 1):
        if not count % 100_000:
            progress(count)
        yield line
