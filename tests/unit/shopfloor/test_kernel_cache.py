"""Compiled kernels are found again by what they were made from, wherever that lies."""

import importlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from numba.core.dispatcher import Dispatcher

from kernel_store import cache as kernel_cache
from kernel_store.sources import PACKAGES, ROOT, sources_of

WAIT_S = 240.0
DAY_S = 86_400.0
CALLEE = """
from shopfloor.grid.compiled import kernel
STEP = 2
@kernel
def step(value):
    return value + STEP
"""
CALLER = """
from shopfloor.callee import step
from shopfloor.grid.compiled import kernel
@kernel
def twice(value):
    return step(step(value))
"""
# Numba is loaded and its compiler warm once; each line is the work of a process of its
# own, which loads the package of a check-out and leaves its answer in a file.
START = """
import json, os, sys
from pathlib import Path
import numba
warm = numba.njit(nogil=True, error_model="numpy")(lambda value: value + 1)
warm(1), warm(0.5), warm(True)
for line in sys.stdin:
    work = json.loads(line)
    if os.fork():
        continue
    os.dup2(os.open(work["complaints"], os.O_WRONLY | os.O_CREAT), 2)
    os.environ.update(work["environment"])
    numba.config.reload_config()
    sys.path.insert(0, work["checkout"])
    import shopfloor
    from shopfloor.caller import twice
    answer = json.dumps({
        "package": shopfloor.__file__,
        "values": [twice(value) for value in work["values"]],
        "hits": sum(twice.stats.cache_hits.values()),
        "misses": sum(twice.stats.cache_misses.values()),
        "kept_in": twice.stats.cache_path,
    })
    Path(work["answer"] + ".part").write_text(answer)
    os.rename(work["answer"] + ".part", work["answer"])
    os._exit(0)
"""


def check_out(directory: Path) -> Path:
    """A copy of our packages with two kernels more, one of which calls the other."""
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package,
            directory / package,
            ignore=shutil.ignore_patterns("__pycache__"),
            copy_function=shutil.copyfile,  # with new times
        )
    (directory / "shopfloor" / "callee.py").write_text(CALLEE)
    (directory / "shopfloor" / "caller.py").write_text(CALLER)
    return directory


@dataclass
class Run:
    """What one process was asked to do, and where it leaves its answer."""

    answer: Path
    complaints: Path


class Starter:
    """Starts processes that use kernels and have nothing in common but Numba."""

    def __init__(self, directory: Path) -> None:
        unset = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME", "PYTHONPATH")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", START],
            env={name: text for name, text in os.environ.items() if name not in unset},
            cwd=directory,
            stdin=subprocess.PIPE,
            text=True,
        )
        self._directory = directory
        self._started = 0

    def begin(self, checkout: Path, values: list[Any], **environment: object) -> Run:
        self._started += 1
        run = Run(
            self._directory / f"answer-{self._started}",
            self._directory / f"complaints-{self._started}",
        )
        work = {
            "checkout": str(checkout),
            "values": values,
            "environment": {name: str(value) for name, value in environment.items()},
            "answer": str(run.answer),
            "complaints": str(run.complaints),
        }
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(work) + "\n")
        self._process.stdin.flush()
        return run

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        assert self._process.wait(WAIT_S) == 0


@pytest.fixture(scope="module")
def starter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starter]:
    starter = Starter(tmp_path_factory.mktemp("answers"))
    yield starter
    starter.close()


def end(run: Run) -> tuple[dict[str, Any], str]:
    give_up_at = time.monotonic() + WAIT_S
    while not run.answer.exists():
        said = run.complaints.read_text() if run.complaints.exists() else ""
        assert "Traceback" not in said, said
        assert time.monotonic() < give_up_at, f"no answer: {said}"
        time.sleep(0.01)
    answer: dict[str, Any] = json.loads(run.answer.read_text())
    return answer, run.complaints.read_text()


def use(
    starter: Starter, checkout: Path, values: list[Any], **environment: object
) -> dict[str, Any]:
    said, _ = end(starter.begin(checkout, values, **environment))
    assert Path(said["package"]).is_relative_to(checkout)
    return said


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A check-out that a test must leave as it is."""
    return check_out(tmp_path_factory.mktemp("first"))


def test_a_second_checkout_compiles_nothing(
    starter: Starter, first: Path, tmp_path: Path
) -> None:
    second, cache = check_out(tmp_path / "second"), tmp_path / "cache"
    compiled = use(starter, first, [1, 0.5], XDG_CACHE_HOME=cache)
    assert (compiled["values"], compiled["misses"]) == ([5, 4.5], 2)
    found = use(starter, second, [1, 0.5], XDG_CACHE_HOME=cache)
    assert (found["values"], found["misses"], found["hits"]) == ([5, 4.5], 0, 2)
    assert Path(found["kept_in"]).parent == cache / "mpms" / "kernels"
    for checkout in (first, second):
        assert not list(checkout.glob("shopfloor/**/*.nbi"))


def test_a_changed_callee_in_another_file_is_noticed(
    starter: Starter, first: Path, tmp_path: Path
) -> None:
    second, cache = check_out(tmp_path / "second"), tmp_path / "cache"
    use(starter, first, [1], XDG_CACHE_HOME=cache)
    callee = second / "shopfloor" / "callee.py"
    callee.write_text(CALLEE.replace("STEP = 2", "STEP = 3"))
    changed = use(starter, second, [1], XDG_CACHE_HOME=cache)
    assert (changed["values"], changed["misses"], changed["hits"]) == ([7], 1, 0)
    again = use(starter, first, [1], XDG_CACHE_HOME=cache)
    assert (again["values"], again["misses"], again["hits"]) == ([5], 0, 1)


def test_processes_that_compile_at_once_keep_what_each_has_made(
    starter: Starter, first: Path, tmp_path: Path
) -> None:
    each: list[Any] = [1, 0.5, True]
    cache = tmp_path / "cache"
    at_once = [starter.begin(first, [value], XDG_CACHE_HOME=cache) for value in each]
    assert [end(run)[0]["values"] for run in at_once] == [[5], [4.5], [5]]
    found = use(starter, first, each, XDG_CACHE_HOME=cache)
    assert (found["values"], found["misses"], found["hits"]) == ([5, 4.5, 5], 0, 3)


def test_the_directory_that_numba_is_given_wins(
    starter: Starter, first: Path, tmp_path: Path
) -> None:
    said = use(
        starter,
        first,
        [1],
        NUMBA_CACHE_DIR=tmp_path / "given",
        XDG_CACHE_HOME=tmp_path / "other",
    )
    assert Path(said["kept_in"]).is_relative_to(tmp_path / "given")
    assert list(Path(said["kept_in"]).glob("*.nbc"))
    assert not (tmp_path / "other").exists()


def test_a_cache_that_cannot_be_written_costs_one_line_and_no_kernel(
    starter: Starter, first: Path, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    run = starter.begin(first, [1, 0.5], XDG_CACHE_HOME=tmp_path / "file")
    said, complaint = end(run)
    assert (said["values"], said["misses"]) == ([5, 4.5], 2)
    (line,) = complaint.splitlines()
    assert f"{tmp_path / 'file'}/mpms/kernels: Not a directory" in line
    assert "NUMBA_CACHE_DIR" in line


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_file_is_compiled_again(
    starter: Starter, first: Path, tmp_path: Path, ending: str
) -> None:
    cache = tmp_path / "cache"
    made = use(starter, first, [1], XDG_CACHE_HOME=cache)
    (file,) = Path(made["kept_in"]).glob(f"*.{ending}")
    file.write_bytes(file.read_bytes()[:3])
    mended = use(starter, first, [1], XDG_CACHE_HOME=cache)
    assert (mended["values"], mended["misses"]) == ([5], 1)
    found = use(starter, first, [1], XDG_CACHE_HOME=cache)
    assert (found["values"], found["misses"], found["hits"]) == ([5], 0, 1)


def test_what_nobody_used_for_long_and_too_many_of_a_module_are_forgotten(
    tmp_path: Path,
) -> None:
    now = tmp_path.stat().st_mtime
    ages_days = {f"grid.sight-{day:02}": day for day in range(14)}
    ages_days |= {"planning.heap-new": 29, "planning.heap-old": 31, "gone-old": 40}
    for name, days in ages_days.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "kernel.nbi").touch()
        os.utime(tmp_path / name, (now - days * DAY_S,) * 2)
    kernel_cache.forget_unused(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        *(f"grid.sight-{day:02}" for day in range(kernel_cache.KEPT_KEYS)),
        "planning.heap-new",
    ]


def kernels() -> list[Dispatcher]:
    """Every kernel of ours."""
    files = [file for name in PACKAGES for file in (ROOT / name).rglob("*.py")]
    sources = [p for p in files if "compiled import kernel" in p.read_text()]
    names = [".".join(p.relative_to(ROOT).with_suffix("").parts) for p in sources]
    modules = [importlib.import_module(name) for name in names]
    values = [v for module in modules for v in vars(module).values()]
    return [v for v in values if isinstance(v, Dispatcher)]


@pytest.mark.long
def test_every_kernel_is_kept_by_us_and_knows_where_its_callees_are_written() -> None:
    pairs = 0
    for kernel in kernels():
        assert isinstance(vars(kernel)["_cache"], kernel_cache.KernelCache), kernel
        function = kernel.py_func
        known = sources_of(Path(function.__code__.co_filename).resolve())
        used = [function.__globals__.get(name) for name in function.__code__.co_names]
        for callee in (value for value in used if isinstance(value, Dispatcher)):
            assert Path(callee.py_func.__code__.co_filename).resolve() in known
            pairs += 1
    assert pairs > 20
