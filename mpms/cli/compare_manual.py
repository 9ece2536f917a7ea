"""What ``mpms compare-manual`` does: the plant's orders with a cart and with robots.

The comparison itself is an experiment of the shop floor, which runs as a process: the
orchestrator never imports what simulates.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from dataclasses import asdict
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mpms import bootstrap
from mpms.cli.database import with_services
from mpms.domain.errors import MpmsError
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.ports.experiments import SimulatorMissing
from mpms.factory.services.orders.as_picked import PickedOrders, orders_as_picked
from mpms.factory.settings import FactorySettings
from mpms.settings import Settings

COLUMNS = (
    ("seconds", "time min", 60.0),
    ("worker_s", "work min", 60.0),
    ("near_tank_s", "near tank min", 60.0),
    ("walked_m", "walked m", 1.0),
    ("pushed_kg_m", "pushed t m", 1000.0),
)
WAYS = {
    "cart": "cart",
    "robot_one_worker": "robot, one worker",
    "robot_two_workers": "robot, two workers",
    "robot_two_workers_rounds": "robot in rounds, two workers",
}


class NotCompared(MpmsError):
    """The orders cannot be compared."""


def compare_manual(
    settings: Settings, orders: int, random: bool, seed: int, out: Path
) -> int:
    """Print the table; write each order (CSV) and a picture (SVG)."""
    if find_spec("numba") is None:
        raise SimulatorMissing(str(SimulatorMissing.__doc__))
    found: list[PickedOrders] = []
    world = FactorySettings.of(settings).world

    def read(services: bootstrap.Services) -> None:
        place = factory_bootstrap.world_in_use(services.uow, world, settings.state_dir)
        with services.uow() as tx:
            found.append(
                orders_as_picked(tx, factory_bootstrap.world_named(place), limit=orders)
            )

    if not random:
        with_services(settings, read)
        if not found[0].orders:
            raise NotCompared(
                "There is no order whose materials have places; with --random it"
                " compares orders that it makes up."
            )
        if found[0].left_out:
            print(f"Left out, without places: {', '.join(found[0].left_out)}")
    facts = _compared(world, found[0] if found else None, orders, seed, out)
    _show(facts)
    print(f"Each order: {out.with_suffix('.csv')}, picture: {out.with_suffix('.svg')}")
    return 0


def _compared(
    world: str, found: PickedOrders | None, orders: int, seed: int, out: Path
) -> dict[str, Any]:
    """NotCompared says what the experiment did not like."""
    command = [sys.executable, "-m", "shopfloor", "experiment", "cart", world]
    with tempfile.TemporaryDirectory() as directory:
        given = Path(directory) / "orders.json"
        if found is None:
            command += ["--orders", str(orders), "--seed", str(seed)]
        else:
            said = [asdict(order) for order in found.orders]
            given.write_text(json.dumps(said), "utf-8")
            command += ["--given", str(given)]
        done = subprocess.run(
            [*command, "--out", str(out)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    if done.returncode != 0:
        raise NotCompared(f"The orders cannot be compared: {done.stderr.strip()}")
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


def _show(facts: dict[str, Any]) -> None:
    print(
        f"{facts['orders']} orders of {facts['kg_per_order']:g} kg on average in"
        f" {facts['world']}, per order:"
    )
    print(f"{'':30}" + "".join(f"{title:>15}" for _, title, _ in COLUMNS))
    for way, title in WAYS.items():
        means = facts["per_order"][way]
        row = "".join(f"{means[name] / scale:15.1f}" for name, _, scale in COLUMNS)
        print(f"{title:30}{row}")
    for way, title in list(WAYS.items())[1:]:
        ratios = facts["robot_over_cart"][way]
        print(
            f"{title}: {ratios['seconds']:.0%} of the time, {ratios['near_tank_s']:.0%}"
            f" of the time near tanks, {ratios['walked_m']:.0%} of the walking with a"
            " cart."
        )
    assumed = ", ".join(
        f"{name} {value:g}" for name, value in facts["assumptions"].items()
    )
    print(f"Assumed: {assumed}.")
