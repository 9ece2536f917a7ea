"""What a line of the history means to a browser: which lists may look different now.

A hint is no data. It says what to fetch again, so one too many costs a request and
one too few shows something that is no longer true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mpms.domain.history.events import Event
from mpms.domain.history.kinds import STEP, Kinds

TOPICS = ("tasks", "orders", "robots", "incidents", "batches")
MOST_IDS = 50
CORE_KINDS = Kinds()

Hint = Mapping[str, str | None]  # topic -> the id of what changed, if one is known


def hint_of(
    event: Event, business_key: str | None = None, kinds: Kinds | None = None
) -> Hint:
    """Lists and ids of one line; a kind that nobody has named moves every list."""
    kind = (kinds or CORE_KINDS).get(event.kind)
    topics = STEP if kind is None else kind.changes
    order = event.data.get("order") or business_key
    batch = event.data.get("batch")
    ids = {
        "tasks": event.task_id,
        "orders": order,
        "robots": event.data.get("robot") or event.actor,
        "incidents": order,
        "batches": None if batch is None else str(batch),
    }
    return {topic: ids[topic] for topic in topics}


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
