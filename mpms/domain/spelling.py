"""What somebody may have meant who wrote a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

ALIKE = 0.75  # of two names that are the same: 1


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelt most alike; None if all are quite different."""
    by_fold = {each.casefold(): each for each in sorted(known)}
    found = difflib.get_close_matches(name.casefold(), by_fold, n=1, cutoff=ALIKE)
    return by_fold[found[0]] if found else None
