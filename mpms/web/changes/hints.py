"""What a line of the history means to a browser: which lists may look different now.

A hint is no data. It says what to fetch again, so one too many costs a request and
one too few shows something that is no longer true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mpms.domain.history.events import Event
from mpms.domain.history.kinds import STEP, Kinds

MOST_IDS = 50
CORE_KINDS = Kinds()

Hint = Mapping[str, str | None]  # topic -> the id of what changed, if one is known


def hint_of(
    event: Event, business_key: str | None = None, kinds: Kinds | None = None
) -> Hint:
    """Lists and ids of one line; a kind that nobody has named moves every list."""
    kinds = kinds or CORE_KINDS
    kind = kinds.get(event.kind)
    named = (event.data.get(field) for field in kinds.subjects)
    subject = next(filter(None, named), business_key)
    batch = event.data.get("batch")
    ids = {
        "tasks": event.task_id,
        "instances": subject,
        "incidents": subject,
        "batches": None if batch is None else str(batch),
    }
    for name, field in kinds.lists.items():
        ids[name] = event.data.get(field) or event.actor
    return {name: ids[name] for name in (STEP if kind is None else kind.changes)}


def merged(hints: Iterable[Hint]) -> dict[str, list[str]]:
    """One hint for all; an empty list of ids means that any of them may differ."""
    found: dict[str, dict[str, None]] = {}
    whole: set[str] = set()
    for hint in hints:
        for topic, changed in hint.items():
            ids = found.setdefault(topic, {})
            if changed is None:
                whole.add(topic)
            else:
                ids[changed] = None
    return {
        topic: [] if topic in whole or len(ids) > MOST_IDS else list(ids)
        for topic, ids in found.items()
    }
