"""The engine beside Operaton's: the same models, one PostgreSQL, rounds in turn.

Operaton runs embedded in one JVM (``bench/operaton``: HikariCP, full history, its job
executor); ours runs in worker processes as ``mpms work`` does. Each has a database of
its own on one server that this script starts, with fsync on. Rounds alternate, so that
a busy machine disturbs both; a ratio is that of the medians of the quieter half of the
rounds.

Without a JVM, Maven or a registry it says so and measures nothing.

The last line is one JSON object: ``*_over_operaton`` are ratios, ours over theirs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from engine_parts.beside import Ours, memory_mb  # noqa: E402

from mpms.embedded import postgres  # noqa: E402

PROJECT = ROOT / "bench" / "operaton"
SHIPPED = ("orders_handling.bpmn", "warehouse.bpmn")

Measure = Callable[[], float]


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def class_path(directory: Path) -> str | None:
    """Compile the other side; None where that cannot be done here."""
    for tool in ("java", "mvn"):
        if shutil.which(tool) is None:
            print(f"skipped: there is no {tool} here")
            return None
    listed = directory / "class_path"
    built = subprocess.run(
        [
            *("mvn", "-q", "-B", "compile", "dependency:build-classpath"),
            f"-Dmdep.outputFile={listed}",
        ],
        cwd=PROJECT,
        capture_output=True,
        text=True,
    )
    if built.returncode != 0:
        print("skipped: Maven could not build bench/operaton; is there a registry?")
        say(built.stdout[-2000:])
        return None
    return f"{PROJECT / 'target' / 'classes'}:{listed.read_text().strip()}"


class Theirs:
    """The JVM: one command a line, one number back."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.pid = process.pid

    def ask(self, *words: object) -> float:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write("\t".join(map(str, words)) + "\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())


def in_their_words(model: Path, directory: Path) -> Path:
    """The same model with the one function that they call otherwise."""
    text = re.sub(r"\blen\(([\w.]+)\)", r"\1.size()", model.read_text("utf-8"))
    written = directory / model.name
    written.write_text(text, "utf-8")
    return written


@contextmanager
def operaton(classes: str, url: str, user: str, password: str) -> Iterator[Theirs]:
    with subprocess.Popen(
        [
            shutil.which("java") or "java",
            "-Xmx512m",
            "-cp",
            classes,
            "bench.Beside",
            url,
            user,
            password,
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "ready":
            raise RuntimeError("Operaton did not start")
        try:
            yield Theirs(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()


def beside(name: str, rounds: int, ours: Measure, theirs: Measure) -> dict[str, float]:
    """Medians of both over the half of the rounds in which others did least."""
    found: list[tuple[float, dict[str, float]]] = []
    for turn in range(rounds):
        sides = [("ours", ours), ("operaton", theirs)]
        load, values = os.getloadavg()[0], {}
        for side, measure in sides if turn % 2 == 0 else reversed(sides):
            values[side] = measure()
            load = max(load, os.getloadavg()[0])
        found.append((load, values))
        told = ", ".join(f"{side} {value:.1f}" for side, value in values.items())
        say(f"{name}: {told} (load {load:.1f})")
    found.sort(key=lambda one: one[0])
    quieter = [values for _, values in found[: (rounds + 1) // 2]]
    mine, other = (
        statistics.median(values[side] for values in quieter)
        for side in ("ours", "operaton")
    )
    return {
        name: round(mine, 1),
        f"{name}_operaton": round(other, 1),
        f"{name.removesuffix('_ms')}_over_operaton": round(mine / other, 2),
    }


def measures(
    ours: Ours, theirs: Theirs, stock: int, directory: Path
) -> Iterator[tuple[str, Measure, Measure]]:
    """Each figure, how it is taken of us and how of them."""
    for n in (1, 2, 4):
        yield (
            f"instances_per_s_{n}",
            partial(ours.throughput, n, stock),
            partial(theirs.ask, "throughput", n, stock),
        )
    for n in (1, 2, 4):
        yield (
            f"usertasks_per_s_{n}",
            partial(ours.user_tasks, n, 2 * stock),
            partial(theirs.ask, "usertasks", n, 2 * stock),
        )
    yield (
        "external_per_s",
        partial(ours.external, 2, stock // 2),
        partial(theirs.ask, "external", 2, stock // 2),
    )
    yield "latency_ms", partial(ours.latency, 15), partial(theirs.ask, "latency", 15)
    models = [ROOT / "processes" / file for file in SHIPPED]
    foreign = [in_their_words(model, directory) for model in models]
    yield (
        "deploy_ms",
        partial(ours.deploy, 5, models),
        partial(theirs.ask, "deploy", 5, *foreign),
    )


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--instances", type=int, default=200, help="a round")
    options.add_argument("--only", default="", help="measure what begins with this")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="mpms-bench-") as name:
        directory = Path(name)
        directory.chmod(0o711)
        classes = class_path(directory)
        if classes is None:
            return
        figures: dict[str, float] = {}
        with (
            postgres.start(directory / "postgres") as server,
            Ours.beside(server.dsn) as ours,
            operaton(classes, *ours.make_database("operaton")) as theirs,
        ):
            for what, mine, other in measures(ours, theirs, given.instances, directory):
                if what.startswith(given.only):
                    mine(), other()  # what was compiled and cached is not measured
                    figures |= beside(what, given.rounds, mine, other)
            figures["memory_mb"] = round(ours.memory_mb(), 1)
            figures["memory_mb_operaton"] = round(memory_mb(theirs.pid), 1)
        ratio = figures["memory_mb"] / figures["memory_mb_operaton"]
        figures["memory_over_operaton"] = round(ratio, 2)
        figures["load"] = round(os.getloadavg()[0], 1)
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
