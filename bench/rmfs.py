"""Warehouses with mobile pods: how much faster than real time, and how good.

The last line is one JSON object. Speeds are simulated seconds by CPU second of one
core; every run is also one without a collision, which soak tests check.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from shopfloor.experiments.rmfs import running  # noqa: E402

SPEEDS = {
    16: ("1-2-2-16-428", 24.0),
    64: ("1-8-8-64-1040", 12.0),
    256: ("1-16-16-256-2600", 8.0),
}
ASSIGNMENTS = (
    "PodMatchFastLane",
    "PodMatch",
    "CommonLines",
    "FastLane",
    "DueTime",
    "FCFS",
    "Random",
)
SEEDS = range(3)
HOURS = 4.0


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


def speeds() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for robots, (layout, hours) in SPEEDS.items():
        experiment = running.prepare(layout)
        running.run(experiment, hours=0.02)  # kernels and distances
        record = running.run(experiment, hours=hours).record
        found[f"x_realtime_{robots}"] = round(record["x_realtime"])
        found[f"score_{robots}"] = round(record["score"], 3)
        found["events_per_s"] = round(record["events_per_s"])
        used_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        found[f"memory_mb_{robots}"] = round(used_kb / 1024)
        say(f"{robots} robots: {record['x_realtime']:,.0f} times real time")
    return found


def scores() -> dict[str, float]:
    found = {}
    for name in ASSIGNMENTS:
        experiment = running.prepare("1-2-2-8-428", settings=[f"poa={name}"])
        runs = [
            running.run(experiment, seed=seed, hours=HOURS).record["score"]
            for seed in SEEDS
        ]
        found[name] = round(sum(runs) / len(runs), 3)
        say(f"poa {name}: {found[name]}")
    return found


def testdrive_s(orders: int) -> float:
    """How long a month of orders takes through the warehouse model, one version."""
    from mpms import assets, bootstrap
    from mpms.bootstrap.testdrive import drive_model
    from mpms.embedded import postgres
    from mpms.services.models.deploy import deploy_models
    from mpms.services.testdrive.ask import Asked
    from mpms.settings import Settings

    asked = Asked(process="warehouse", orders=str(orders), seeds=1, people=3)
    with (
        tempfile.TemporaryDirectory(prefix="mpms-bench-") as place,
        postgres.start(Path(place) / "postgres") as server,
    ):
        bootstrap.migrate_database(server.dsn)
        services = bootstrap.connect(server.dsn)
        try:
            files = dict(assets.shipped_models())
            deploy_models(services.uow, services.engine, files, by="bench")
            report = drive_model(services, Settings.read({}), asked)
        finally:
            services.close()
    (run,) = report.new.runs
    if len(run.lead_times_s) != orders:
        raise SystemExit(f"only {len(run.lead_times_s)} of {orders} orders ended")
    say(f"{orders} orders driven in {report.took_s:.1f} s")
    return round(report.took_s, 1)


def main() -> None:
    figures = speeds()
    figures["poa_scores"] = scores()
    figures["testdrive_s_1000_orders"] = testdrive_s(1000)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
