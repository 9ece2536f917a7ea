"""A worker process that is made to be killed: python mixing_worker.py URL TANK."""

from __future__ import annotations

import json
import sys
import time

from mpms.factory.adapters.instruments.reading import Instruments
from mpms.factory.adapters.instruments.tanks import PlantTanks
from tests.support.paint_factory import PaintFactory


def main(url: str, tank: str) -> None:
    settings = {"tanks": {"tank": json.loads(tank)}}
    with PaintFactory(url) as plant:
        plant.use_tanks(PlantTanks(Instruments.model_validate(settings).tanks))
        while True:
            plant.due_now()
            time.sleep(0.02)


if __name__ == "__main__":
    main(*sys.argv[1:])
