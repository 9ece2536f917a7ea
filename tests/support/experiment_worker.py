"""A worker that runs experiments, made to be killed.

python experiment_worker.py DATABASE_URL NAME LEASE_S
"""

from __future__ import annotations

import sys
import time

from mpms import bootstrap
from mpms.factory.adapters.simulator import SimulatorProcess
from mpms.factory.services.experiments.run import RunExperiments


def main(url: str, name: str, lease_s: str) -> None:
    services = bootstrap.connect(url, application=name)
    run = RunExperiments(services.uow, SimulatorProcess(), name, lease_s=float(lease_s))
    while True:
        if not run():
            time.sleep(0.1)


if __name__ == "__main__":
    main(*sys.argv[1:])
