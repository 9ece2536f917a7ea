"""Many runs on dask.distributed: a local cluster, or any scheduler by its address.

Each finished run is one line of ``runs.jsonl``, written before the next is asked for;
``--resume`` reads it and goes on. Every case gets the same seeds, so differences are
compared with the same random numbers, and a case that is surely worse than the best may
be dropped early.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Collection
from pathlib import Path
from typing import IO, Any

from fleet.rmfs.errors import RmfsRefused
from fleet.rmfs.statistics import surely_less
from shopfloor.experiments.rmfs import running
from shopfloor.experiments.rmfs.sweep_file import Case, Sweep, read_sweep

RUNS = "runs.jsonl"
BAR = 30


def one_run(case: Case, seed: int, hours: float) -> dict[str, Any]:
    """On a worker: one run from its names to its record."""
    experiment = running.prepare(
        case.layout, case.scenario, case.controllers, case.settings
    )
    return running.run(experiment, seed=seed, hours=hours).record


def sweep(options: argparse.Namespace) -> int:
    asked = read_sweep(options.file)
    directory = options.out or Path(asked.out)
    done = _finished(directory / RUNS, asked, resume=options.resume)
    client = _client(options)
    directory.mkdir(parents=True, exist_ok=True)
    try:
        with open(directory / RUNS, "a", encoding="utf-8") as log:
            dropped = _run_all(asked, done, client, log)
    finally:
        client.close()
    for case in dropped:
        print(f"dropped early: {case}", file=sys.stderr)
    from shopfloor.experiments.rmfs.comparing import report

    report([directory], directory, measure=asked.measure)
    print(f"written to {directory}")
    return 0


def _finished(path: Path, asked: Sweep, *, resume: bool) -> dict[str, dict[str, Any]]:
    """Runs of an earlier start. A last line that was cut off is run again."""
    if not path.exists():
        return {}
    if not resume:
        raise RmfsRefused(
            f"{path} has runs already: go on with --resume, or choose another --out"
        )
    wanted = {case.key(seed) for case in asked.cases for seed in asked.seeds}
    kept, lines = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            run = json.loads(line)
        except ValueError:
            continue
        lines.append(line)
        if run["key"] in wanted and run["hours"] == asked.hours:
            kept[run["key"]] = run
    part = path.with_suffix(".part")
    part.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    part.replace(path)
    return kept


def _client(options: argparse.Namespace) -> Any:
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise RmfsRefused(
            "sweeps need dask.distributed: pip install 'mpms[experiments]'"
        ) from None
    if options.scheduler:
        try:
            return Client(options.scheduler, timeout=10)
        except (OSError, ValueError) as error:
            raise RmfsRefused(
                f"the scheduler {options.scheduler} is not reached: {error}"
            ) from None
    cluster = LocalCluster(
        n_workers=options.workers or os.cpu_count() or 1,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=40,
    )
    client = Client(cluster)
    return client


def _run_all(
    asked: Sweep, done: dict[str, dict[str, Any]], client: Any, log: IO[str]
) -> list[str]:
    """Seed by seed over all cases; names of the cases that were dropped."""
    from distributed import as_completed

    values: dict[str, dict[int, float]] = {case.name: {} for case in asked.cases}
    for case in asked.cases:
        for seed in asked.seeds:
            if case.key(seed) in done:
                record = done[case.key(seed)]["record"]
                values[case.name][seed] = float(record.get(asked.measure, 0.0))
    dropped: list[str] = []
    total = len(asked.cases) * len(asked.seeds)
    bar = _Bar(total, total - sum(map(len, values.values())))
    for seed in asked.seeds:
        futures = {}
        for case in asked.cases:
            if case.name in dropped or seed in values[case.name]:
                continue
            future = client.submit(one_run, case, seed, asked.hours, pure=False)
            futures[future] = case
        for future in as_completed(list(futures)):
            case, record = futures[future], future.result()
            key = case.key(seed)
            line = {
                "key": key,
                "case": case.name,
                "seed": seed,
                "hours": asked.hours,
                "settings": list(case.settings),
                "record": record,
            }
            log.write(json.dumps(line) + "\n")
            log.flush()
            os.fsync(log.fileno())
            if asked.measure not in record:
                known = ", ".join(sorted(record)[:12])
                raise RmfsRefused(
                    f"runs have no measure {asked.measure!r}; there are {known}, ..."
                )
            values[case.name][seed] = float(record[asked.measure])
            bar.step()
        for name in losers(asked, values, seed, dropped):
            dropped.append(name)
            bar.skip(len(asked.seeds) - len(values[name]))
    bar.end()
    return dropped


def losers(
    asked: Sweep,
    values: dict[str, dict[int, float]],
    seed: int,
    dropped: Collection[str],
) -> list[str]:
    """Cases that are surely worse than the best one, once enough seeds are done."""
    enough = max(2, asked.drop_losers_after)
    if not asked.drop_losers_after or seed - asked.seeds[0] + 1 < enough:
        return []
    best = max(values, key=lambda name: _mean(values[name]))
    return [
        name
        for name, found in values.items()
        if name not in dropped and surely_less(found, values[best])
    ]


def _mean(found: dict[int, float]) -> float:
    return sum(found.values()) / len(found) if found else float("-inf")


class _Bar:
    """Progress and the time that is left, on standard error."""

    def __init__(self, total: int, left: int) -> None:
        self._total, self._left, self._done = total, left, 0
        self._began = time.monotonic()
        self._show()

    def step(self) -> None:
        self._left -= 1
        self._done += 1
        self._show()

    def skip(self, runs: int) -> None:
        self._left -= runs
        self._show()

    def _show(self) -> None:
        share = 1.0 - self._left / max(1, self._total)
        full = round(BAR * share)
        text = f"[{'#' * full}{'.' * (BAR - full)}] {share:4.0%}"
        if self._done and self._left:
            left_s = (time.monotonic() - self._began) / self._done * self._left
            text += f"  {left_s // 60:.0f} min {left_s % 60:02.0f} s left"
        end = "\r" if sys.stderr.isatty() else "\n"
        print(f"{text:<60}", end=end, file=sys.stderr, flush=True)

    def end(self) -> None:
        if sys.stderr.isatty():
            print(file=sys.stderr)
