"""A worker process that is made to be killed: python crash_worker.py URL NAME READY.

It runs the factory and a probe process whose handlers leave a trace of every effect
under its idempotency key: outside ones on a connection of their own, as a robot or a
mail server would, inside ones in the transaction of their step.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
from contextlib import closing
from pathlib import Path

import psycopg2

from mpms import bootstrap
from mpms.domain.jobs import Answer, Done, Job
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackRobots, LoopbackScale
from mpms.factory.ports.store import Transaction
from tests.support.factory_worker import FactoryWorker, of_factory

EFFECT = """
    INSERT INTO effects (key, instance_id, element) VALUES (%s, %s, %s)
    ON CONFLICT (key) DO UPDATE SET calls = effects.calls + 1
"""


def main(url: str, name: str, ready: Path) -> None:
    logging.basicConfig(level=logging.WARNING, format=f"{name} %(message)s")
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    services = bootstrap.connect(url, application=name)
    world = factory_bootstrap.world_named("paint_factory")

    def outside(job: Job) -> Answer:
        with (
            closing(psycopg2.connect(url)) as connection,
            connection,
            connection.cursor() as cursor,
        ):
            cursor.execute(EFFECT, (job.idempotency_key, job.instance_id, job.element))
        return Done({job.element: job.idempotency_key})

    def inside(tx: Transaction, job: Job) -> Answer:
        tx.events.append(
            "connection tested",  # nothing else writes it here
            actor=job.topic,
            instance_id=job.instance_id,
            element=job.element,
            data={"key": job.idempotency_key},
        )
        return Done({job.element: job.idempotency_key})

    def asked_for(robot: str) -> float:
        with services.uow() as tx:
            holder = tx.robot_holds.held()[robot]
            snapshot = tx.instances.get(holder).snapshot
        return (
            0.0 if snapshot is None else snapshot.variables["material"]["required_kg"]
        )

    with services.listen() as alarm:
        robots = LoopbackRobots(world, travel_s=0.03, on_report=alarm.wake)
        handlers = factory_bootstrap.factory_handlers(
            services.uow, services.advance, world, scale=LoopbackScale(asked_for)
        )
        handlers.add_outside("probe.outside", outside)
        handlers.add_inside("probe.inside", of_factory(inside))
        worker = FactoryWorker(
            services.uow,
            services.advance,
            handlers,
            robots,
            alarm,
            name=name,
            poll_s=0.1,
            lease_s=2.0,
        )
        ready.touch()
        worker.run(stop)
        robots.close()
    services.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
