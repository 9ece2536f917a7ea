"""Which incidents have the same cause: those that say the same, but for particulars.

A thousand processes that stand because one machine is off are one trouble, one name.
What differs from one to the next (numbers, ids, times, quoted values, addresses) is
taken out of the message. What a model does at one place is named with that place,
because an error such as ``KeyError: …`` says little without it; what comes from outside
has the same cause wherever it hurts.
"""

from __future__ import annotations

import hashlib
import re

from mpms.domain.incidents.kinds import IncidentKind

LONGEST = 4_000  # of a message: what comes later tells no causes apart
BLANK = "…"

_QUOTED = re.compile(
    r"(?<!\w)'[^'\n]*'(?!\w)"
    r'|"[^"\n]*"|`[^`\n]*`|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»|‘[^’\n]*’(?!\w)'
)
_PARTICULARS = re.compile(
    r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b"  # ids
    r"|\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d[\d:.,]*(?:Z|[+-]\d\d:?\d\d)?)?"  # times
    r"|[\w.+-]+@[\w-]+(?:\.[\w-]+)+"  # addresses of people
    r"|\b0x[0-9a-fA-F]+\b"
    r"|\b(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{8,}\b"  # hashes
    r"|\b[A-Z]{1,6}(?:-?\d+)+\b"  # numbers with letters before them
    r"|\d+(?:[.,:]\d+)*"
)


def shape_of(message: str) -> str:
    """A message without its particulars."""
    plain = _QUOTED.sub(BLANK, message[:LONGEST])
    plain = _PARTICULARS.sub(BLANK, plain)
    plain = re.sub(rf"{BLANK}(?:[\s.,:;/|-]*{BLANK})+", BLANK, plain)
    return " ".join(plain.split()).casefold()


def quoted_first(message: str) -> str:
    """What it quotes first, without the quotation marks; empty if nothing."""
    found = _QUOTED.search(message[:LONGEST])
    return found.group()[1:-1] if found else ""


def cause_of(
    kind: IncidentKind,
    message: str,
    *,
    process: str | None = None,
    element: str | None = None,
) -> str:
    """The name of a cause: the same for incidents that look alike, and for ever."""
    if process is None and not kind.each:
        parts = ["lasting", kind.name]  # its words change with each attempt
    elif kind.placed:
        parts = ["placed", kind.name, process or "", element or "", shape_of(message)]
    elif kind.quoted and (quoted := _QUOTED.search(message[:LONGEST])):
        parts = ["named", kind.name, quoted.group()]
    else:
        parts = ["outside", kind.name, shape_of(message)]
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()
    return f"c{digest[:15]}"
