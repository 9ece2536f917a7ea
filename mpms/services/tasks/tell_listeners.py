"""Let listeners of a form hear what was done with it: who has it, when it is due.

What is done with an open form is no step of its process, and most models do not listen.
For one that does, a delivery is written in the same transaction; a worker applies it.
"""

from __future__ import annotations

from collections.abc import Sequence

from mpms.domain.history.events import Told
from mpms.ports.engine import Engine
from mpms.ports.store import Transaction

_MOVED = ("update", "assignment")
HEARD: dict[str, tuple[str, ...]] = {
    "task claimed": _MOVED,
    "task given back": _MOVED,
    "task delegated": _MOVED,
    "task handed back": _MOVED,
    "task scheduled": ("update",),
    "task offered": ("update",),
    "task commented": ("update",),
}
"""Lines of the history, and what Camunda 7 calls them."""


def tell_listeners(tx: Transaction, engine: Engine, noted: Sequence[object]) -> None:
    """To be called before a transaction commits, with what it notes."""
    for line in noted:
        if not isinstance(line, Told) or line.kind not in HEARD:
            continue
        if line.instance_id is None or line.element is None:
            continue
        definition = tx.definitions.by_id(
            tx.instances.get(line.instance_id).definition_id
        )
        heard = engine.hears(definition, line.element)
        if events := [each for each in HEARD[line.kind] if each in heard]:
            data = {"events": events}
            tx.deliveries.add(line.instance_id, "hear", task_id=line.task_id, data=data)
            tx.wake()
