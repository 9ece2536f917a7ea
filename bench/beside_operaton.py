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
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from engine_beside.ours import Ours, memory_mb  # noqa: E402

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


def quieter(values: list[tuple[float, float]]) -> float:
    """The median of the half of the rounds in which the machine had least to do."""
    kept = sorted(values)[: max(1, (len(values) + 1) // 2)]
    return statistics.median(value for _, value in kept)


def beside(name: str, rounds: int, ours: Measure, theirs: Measure) -> dict[str, float]:
    found: dict[str, list[tuple[float, float]]] = {"ours": [], "operaton": []}
    for turn in range(rounds):
        sides = [("ours", ours), ("operaton", theirs)]
        for side, measure in sides if turn % 2 == 0 else reversed(sides):
            before = os.getloadavg()[0]
            value = measure()
            load = max(before, os.getloadavg()[0])
            found[side].append((load, value))
            say(f"{name} {side}: {value:.1f} (load {load:.1f})")
    mine, other = quieter(found["ours"]), quieter(found["operaton"])
    return {
        name: round(mine, 1),
        f"{name}_operaton": round(other, 1),
        f"{name}_over_operaton": round(mine / other, 2),
    }


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--instances", type=int, default=200, help="a round")
    options.add_argument("--only", help="measure only what begins with this")
    given = options.parse_args()
    rounds, stock, only = given.rounds, given.instances, given.only or ""
    with tempfile.TemporaryDirectory(prefix="mpms-bench-") as name:
        directory = Path(name)
        directory.chmod(0o711)
        classes = class_path(directory)
        if classes is None:
            return
        with (
            postgres.start(directory / "postgres") as server,
            Ours.beside(server.dsn) as ours,
            operaton(classes, *ours.make_database("operaton")) as theirs,
        ):
            models = [ROOT / "processes" / file for file in SHIPPED]
            foreign = [in_their_words(model, directory) for model in models]
            measures: list[tuple[str, Measure, Measure]] = []
            for n in (1, 2, 4):
                measures.append(
                    (
                        f"instances_per_s_{n}",
                        lambda n=n: ours.throughput(n, stock),
                        lambda n=n: theirs.ask("throughput", n, stock),
                    )
                )
            for n in (1, 2, 4):
                measures.append(
                    (
                        f"usertasks_per_s_{n}",
                        lambda n=n: ours.user_tasks(n, 2 * stock),
                        lambda n=n: theirs.ask("usertasks", n, 2 * stock),
                    )
                )
            measures += [
                (
                    "external_per_s",
                    lambda: ours.external(2, stock // 2),
                    lambda: theirs.ask("external", 2, stock // 2),
                ),
                (
                    "latency_ms",
                    lambda: ours.latency(15),
                    lambda: theirs.ask("latency", 15),
                ),
                (
                    "deploy_ms",
                    lambda: ours.deploy(5, models),
                    lambda: theirs.ask("deploy", 5, *foreign),
                ),
            ]
            figures: dict[str, float] = {}
            for what, mine, other in measures:
                if what.startswith(only):
                    if not figures:
                        say("warming up")
                    mine(), other()
                    figures |= beside(what, rounds, mine, other)
            figures["memory_mb"] = round(ours.memory_mb(), 1)
            figures["memory_mb_operaton"] = round(memory_mb(theirs.pid), 1)
        for short in ("latency", "deploy"):
            if f"{short}_ms_over_operaton" in figures:
                figures[f"{short}_over_operaton"] = figures.pop(
                    f"{short}_ms_over_operaton"
                )
        figures["memory_over_operaton"] = round(
            figures["memory_mb"] / figures["memory_mb_operaton"], 2
        )
        figures["load"] = round(os.getloadavg()[0], 1)
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
