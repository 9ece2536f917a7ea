"""A worker process that is made to be killed: python batch_worker.py URL NAME HANG.

With HANG above zero it stops for good in the middle of that item, with everything done
and nothing committed, and says so on its standard output.
"""

from __future__ import annotations

import logging
import sys
import threading
from typing import Any

from mpms import bootstrap
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.adapters.memory import LoopbackRobots
from mpms.services.instances.advance import Advance
from mpms.services.jobs.handlers import Handlers
from tests.support.factory_worker import FactoryWorker

turns = [0]


class Hanging(Advance):
    """Hangs after so many steps."""

    def __call__(self, *given: Any, **named: Any) -> Any:
        step = super().__call__(*given, **named)
        turns[0] += 1
        if turns[0] == HANG:
            print("hangs", flush=True)
            threading.Event().wait()
        return step


URL, NAME, HANG = sys.argv[1], sys.argv[2], int(sys.argv[3])

if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format=f"{NAME} %(message)s")
    services = bootstrap.connect(URL, application=NAME)
    advance = Hanging(services.engine, services.clock)
    with services.listen() as alarm:
        robots = LoopbackRobots(factory_bootstrap.world_named("paint_factory"))
        worker = FactoryWorker(
            services.uow, advance, Handlers(), robots, alarm, name=NAME, poll_s=0.1
        )
        worker.run(threading.Event())
