"""What ``mpms tanks`` does: be a tank with a controller."""

from __future__ import annotations

import sys

from mpms.factory.adapters.instruments.simulators.loop import served
from mpms.factory.adapters.instruments.simulators.tank import PlayedTank, settings_for
from mpms.settings import Settings

FAULTS = {"overload": 2, "hot": 3, "stop": 4}
SAID = "Type: open, close, overload, hot, stop (faults), reset, or end."


def simulate(
    _settings: Settings, driver: str, port: int, seconds: float, place: str
) -> int:
    """A tank on this machine; its lid and its faults follow what is typed."""
    tank = PlayedTank(mixing_s=seconds)
    with served(tank.served_by(driver, port)) as chosen:
        print(f"# for instruments.yaml:\ntanks:\n  {place}:")
        for key, value in settings_for(driver, chosen).items():
            print(f"    {key}: {value}")
        print(f"# {SAID}", flush=True)
        for line in sys.stdin:
            word = line.strip()
            if word == "end":
                break
            _do(tank, word)
            tank.step()
            print(f"# {tank}", flush=True)
    return 0


def _do(tank: PlayedTank, word: str) -> None:
    if word in ("open", "close"):
        tank.lid_open = word == "open"
    elif word == "reset":
        tank.reset()
    elif word in FAULTS:
        tank.break_down(FAULTS[word])
    elif word:
        print(f"# {SAID}", file=sys.stderr, flush=True)
