"""Open an incident that no other line of the history tells of."""

from __future__ import annotations

from mpms.ports.store import Transaction


def open_incident(
    tx: Transaction,
    kind: str,
    message: str,
    *,
    actor: str,
    instance_id: str | None = None,
    task_id: str | None = None,
    element: str | None = None,
) -> None:
    """A new one gets a line, so that pages show it at once; a renewed one gets none."""
    place = {"instance_id": instance_id, "task_id": task_id, "element": element}
    if tx.incidents.open(kind, message, **place):
        told = {"kind": kind, "message": message}
        tx.events.append("incident", actor=actor, data=told, **place)
