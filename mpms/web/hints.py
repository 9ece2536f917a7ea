"""What a line of the history means to a browser: which lists may look different now.

A hint is no data. It says what to fetch again, so one too many costs a request and
one too few shows something that is no longer true.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mpms.domain.events import Event

TOPICS = ("tasks", "orders", "robots", "incidents", "batches")
MOST_IDS = 50

Hint = Mapping[str, str | None]  # topic -> the id of what changed, if one is known

_STEP = ("tasks", "orders", "incidents")
_TOPICS: dict[str, tuple[str, ...]] = {
    "entered": ("tasks", "orders"),
    "variable": ("orders",),
    "thrown": ("orders",),
    "caught": ("orders",),
    "decided": ("orders",),
    "job failed": ("orders", "incidents"),
    "incident": ("orders", "incidents"),
    "incident closed": ("orders", "incidents"),
    "incident over": ("orders", "incidents", "robots"),
    "incidents assigned": ("incidents",),
    "incidents discussed": ("incidents",),
    "alert sent": (),
    "alert not sent": (),
    "task claimed": ("tasks",),
    "task given back": ("tasks",),
    "draft begun": ("tasks",),
    "goal sent": ("robots", "orders"),
    "robot waits": ("robots", "orders"),
    "goal ended": ("robots", "orders", "incidents"),
    "robot chosen": ("robots", "orders"),
    "robot released": ("robots", "orders"),
    "robot state": ("robots",),
    "robot taken out": ("robots",),
    "robot brought back": ("robots",),
    "order accepted": ("orders",),
    "order status": ("orders",),
    "order waits for release": ("orders",),
    "mail accepted": ("orders",),
    "mail rejected": ("orders",),
    "mail ignored": (),
    "mailbox back": ("incidents",),
    "reply sent": ("incidents",),
    "reply in doubt": ("incidents",),
    "reply given up": ("incidents",),
    "batch ordered": ("batches",),
    "batch item": ("batches",),
    "batch stopped": ("batches",),
    "batch ended": ("batches",),
}
_ABOUT_PEOPLE = (
    *("signed in", "signed out", "sign-in refused", "person added"),
    *("password changed", "PIN changed", "badge changed"),
    *("mail address changed", "alerts chosen", "alerts on a device"),
    *("person enabled", "person disabled", "tablet enrolled", "tablet revoked"),
    *("person changed", "connection tested", "log fetched", "log of actions fetched"),
    *("retention changed", "deletion asked", "history deleted"),
    *("material added", "material changed", "material removed"),
    *("recipe added", "recipe changed", "recipe removed"),
    *("catalogue file taken", "catalogue version taken"),
    *("administrator kept", "draft kept", "draft dropped", "order mail sent"),
)
_TOPICS |= dict.fromkeys(("deployed", *_ABOUT_PEOPLE), ())


def hint_of(event: Event, business_key: str | None = None) -> Hint:
    """Topics and ids of one line; a kind that nobody has listed moves every list."""
    topics = _TOPICS.get(event.kind, _STEP)
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
