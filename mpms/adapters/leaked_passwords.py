"""Looks a password up in a list of leaked ones that lies on this machine.

Two forms, both of SHA-1 hashes in hexadecimal, as the public list of *Have I Been
Pwned* is given out: one file of sorted lines ``HASH:COUNT``, searched by halves because
it has tens of gigabytes; or a directory with a file for the first five digits, whose
lines are ``REST:COUNT`` (k-anonymity: a file says no more of what is looked for).
"""

from __future__ import annotations

import hashlib
import logging
from pathlib import Path

log = logging.getLogger(__name__)

PREFIX = 5


def is_leaked(where: Path, password: str) -> bool:
    """A list that cannot be read is told in the log, and keeps nobody from working."""
    # SHA-1 is the form of the list; nothing is kept or protected by it here.
    digest = hashlib.sha1(password.encode("utf-8", "replace"), usedforsecurity=False)
    wanted = digest.hexdigest().upper()
    try:
        if where.is_dir():
            return _in_directory(where, wanted)
        return _in_file(where, wanted.encode())
    except OSError as error:
        log.warning("the list of leaked passwords cannot be read: %s", error)
        return False


def _in_directory(where: Path, wanted: str) -> bool:
    for name in (f"{wanted[:PREFIX]}.txt", wanted[:PREFIX]):
        if (part := where / name).exists():
            lines = part.read_text("ascii", "replace").upper().splitlines()
            return any(line.partition(":")[0] == wanted[PREFIX:] for line in lines)
    return False


def _in_file(where: Path, wanted: bytes) -> bool:
    with where.open("rb") as lines:
        low, high = 0, where.stat().st_size
        while low < high:
            middle = (low + high) // 2
            lines.seek(middle)
            if middle:
                lines.readline()  # of which we may have met the middle
            at = lines.tell()
            line = lines.readline()
            found = line[: len(wanted)].upper()
            if found == wanted:
                return True
            if not line or found > wanted:
                high = middle
            else:
                low = max(at, middle) + 1
    return False
