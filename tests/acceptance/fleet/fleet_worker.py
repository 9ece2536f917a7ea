"""A worker that may lead the fleet, made to be killed.

python fleet_worker.py DATABASE_URL ROBOTS_URL WORLD_DIRECTORY NAME LEASE_S SPEED

It ends when its standard input closes, so it never outlives the test.
"""

from __future__ import annotations

import logging
import sys
import threading

from mpms import bootstrap
from mpms.factory import bootstrap as factory_bootstrap
from tests.support.asked_loads import asked_loads
from tests.support.factory_worker import FactoryWorker


def main(
    url: str, robots_url: str, place: str, name: str, lease_s: str, speed: str
) -> None:
    logging.basicConfig(level=logging.WARNING, format=f"{name} %(message)s")
    stop = threading.Event()
    services = bootstrap.connect(url, application=name)
    world = factory_bootstrap.world_named(place)
    with services.listen() as alarm:
        robots = factory_bootstrap.connect_robots(
            world, robots_url, on_report=alarm.wake
        )
        worker = FactoryWorker(
            services.uow,
            services.advance,
            factory_bootstrap.factory_handlers(
                services.uow,
                services.advance,
                world,
                scale=asked_loads(services),
                fleet=True,
            ),
            robots,
            alarm,
            name=name,
            lease_s=float(lease_s),
            fleet=factory_bootstrap.fleet_of(place),
            plant_speed=float(speed),
        )

        def with_parent() -> None:
            sys.stdin.read()
            stop.set()
            alarm.wake()

        threading.Thread(target=with_parent, daemon=True).start()
        print("ready", flush=True)
        worker.run(stop)
        robots.close()
    services.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
