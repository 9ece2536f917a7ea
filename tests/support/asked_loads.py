"""A scale in memory that shows what the order of a robot asks for."""

from __future__ import annotations

from mpms.bootstrap import Services
from mpms.factory.adapters.memory import LoopbackScale


def asked_loads(services: Services) -> LoopbackScale:
    def asked_for(robot: str) -> float:
        with services.uow() as tx:
            holder = tx.robot_holds.held()[robot]
            snapshot = tx.instances.get(holder).snapshot
        return float(snapshot.variables["material"]["required_kg"]) if snapshot else 0.0

    return LoopbackScale(asked_for)
