"""Processes killed in the middle of an experiment, and what people see then."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support.experiments import SMALL, ExperimentHouse, number_in, words

PATIENCE_S = 240.0
LONG = {**SMALL, "hours": "2", "seeds": "5"}


def until(what: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not what():
        assert time.monotonic() < end, "it never came"
        time.sleep(0.1)


@contextmanager
def worker(house: ExperimentHouse, lease_s: float) -> Iterator[subprocess.Popen[bytes]]:
    root = Path(__file__).resolve().parents[4]
    process = subprocess.Popen(
        [
            sys.executable,
            str(root / "tests" / "support" / "experiment_worker.py"),
            house.url,
            "victim",
            str(lease_s),
        ],
        env={**os.environ, "PYTHONPATH": str(root)},
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def children(pid: int) -> list[int]:
    found = []
    for each in Path("/proc").iterdir():
        if each.name.isdigit():
            try:
                parent = (each / "stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if int(parent) == pid:
                found.append(int(each.name))
    return found


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc").exists(), reason="finds processes in /proc")
def test_what_a_killed_worker_had_done_stays_and_another_goes_on(
    house: ExperimentHouse,
) -> None:
    browser = house.browser()
    made = number_in(browser.post("/experiments/new", data=LONG))

    def page() -> str:
        return words(browser.get(f"/experiments/{made}").text)

    with worker(house, lease_s=1.5) as victim:
        until(lambda: 0 < house.experiment(made).done < 5)
        simulations = children(victim.pid)
        assert simulations
        victim.kill()
        victim.wait()
    kept = house.rows("SELECT seed, footprint FROM experiment_runs ORDER BY seed")
    until(lambda: not any(alive(pid) for pid in simulations))
    until(lambda: "The worker that ran it is gone" in page())
    assert house.work("another")
    found = house.experiment(made)
    assert (found.state, found.done, found.runs) == ("done", 5, 5)
    assert "is gone" not in page()
    runs = house.rows("SELECT seed, footprint FROM experiment_runs ORDER BY seed")
    assert [seed for seed, _ in runs] == list(range(5))
    assert [row for row in runs if row[0] in {seed for seed, _ in kept}] == kept


@pytest.mark.skipif(not Path("/proc").exists(), reason="finds processes in /proc")
def test_a_simulation_that_is_killed_is_told_with_its_signal(
    house: ExperimentHouse,
) -> None:
    browser = house.browser()
    made = number_in(browser.post("/experiments/new", data=LONG))
    with worker(house, lease_s=30.0) as running:
        until(lambda: house.experiment(made).share > 0.0)
        for pid in children(running.pid):
            os.kill(pid, signal.SIGKILL)
        until(lambda: house.experiment(made).state == "failed")
    page = words(browser.get(f"/experiments/{made}").text)
    assert "The simulation ended with an error" in page
    assert "ended by signal 9" in page
