"""Compiled kernels are found again by what they were made from, wherever that lies."""

import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from numba.core.dispatcher import Dispatcher

from shopfloor import kernel_cache
from shopfloor.kernel_sources import PACKAGE, sources_of

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
RUN = """
import json, sys
import shopfloor
from shopfloor.caller import twice
values = json.loads(sys.argv[1])
print(json.dumps({
    "package": shopfloor.__file__,
    "values": [twice(value) for value in values],
    "hits": sum(twice.stats.cache_hits.values()),
    "misses": sum(twice.stats.cache_misses.values()),
    "kept_in": twice.stats.cache_path,
}))
"""


def check_out(directory: Path) -> Path:
    """A copy of the package with two kernels more, one of which calls the other."""
    shutil.copytree(
        PACKAGE,
        directory / "shopfloor",
        ignore=shutil.ignore_patterns("__pycache__"),
        copy_function=shutil.copyfile,  # with new times
    )
    (directory / "shopfloor" / "callee.py").write_text(CALLEE)
    (directory / "shopfloor" / "caller.py").write_text(CALLER)
    return directory


def begin(
    checkout: Path, values: list[Any], **environment: object
) -> "subprocess.Popen[str]":
    unset = ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME")
    clean = {name: text for name, text in os.environ.items() if name not in unset}
    given = {name: str(value) for name, value in environment.items()}
    return subprocess.Popen(
        [sys.executable, "-c", RUN, json.dumps(values)],
        env=clean | {"PYTHONPATH": str(checkout)} | given,
        cwd=checkout,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def end(process: "subprocess.Popen[str]") -> tuple[dict[str, Any], str]:
    out, err = process.communicate(timeout=WAIT_S)
    assert process.returncode == 0, err
    return json.loads(out), err


def run(checkout: Path, values: list[Any], **environment: object) -> dict[str, Any]:
    said, _ = end(begin(checkout, values, **environment))
    assert Path(said["package"]).is_relative_to(checkout)
    return said


def test_a_second_checkout_compiles_nothing(tmp_path: Path) -> None:
    first, second = check_out(tmp_path / "first"), check_out(tmp_path / "second")
    cache = tmp_path / "cache"
    compiled = run(first, [1, 0.5], XDG_CACHE_HOME=cache)
    assert (compiled["values"], compiled["misses"]) == ([5, 4.5], 2)
    found = run(second, [1, 0.5], XDG_CACHE_HOME=cache)
    assert (found["values"], found["misses"], found["hits"]) == ([5, 4.5], 0, 2)
    assert Path(found["kept_in"]).parent == cache / "mpms" / "kernels"
    assert not list(tmp_path.glob("*/shopfloor/**/*.nbi"))


def test_a_changed_callee_in_another_file_is_noticed(tmp_path: Path) -> None:
    first, second = check_out(tmp_path / "first"), check_out(tmp_path / "second")
    run(first, [1], XDG_CACHE_HOME=tmp_path / "cache")
    callee = second / "shopfloor" / "callee.py"
    callee.write_text(CALLEE.replace("STEP = 2", "STEP = 3"))
    changed = run(second, [1], XDG_CACHE_HOME=tmp_path / "cache")
    assert (changed["values"], changed["misses"], changed["hits"]) == ([7], 1, 0)
    again = run(first, [1], XDG_CACHE_HOME=tmp_path / "cache")
    assert (again["values"], again["misses"], again["hits"]) == ([5], 0, 1)


def test_processes_that_compile_at_once_keep_what_each_has_made(tmp_path: Path) -> None:
    checkout = check_out(tmp_path / "checkout")
    each: list[Any] = [1, 0.5, True]
    at_once = [begin(checkout, [v], XDG_CACHE_HOME=tmp_path / "cache") for v in each]
    assert [end(process)[0]["values"] for process in at_once] == [[5], [4.5], [5]]
    found = run(checkout, each, XDG_CACHE_HOME=tmp_path / "cache")
    assert (found["values"], found["misses"], found["hits"]) == ([5, 4.5, 5], 0, 3)


def test_the_directory_that_numba_is_given_wins(tmp_path: Path) -> None:
    said = run(
        check_out(tmp_path / "checkout"),
        [1],
        NUMBA_CACHE_DIR=tmp_path / "given",
        XDG_CACHE_HOME=tmp_path / "other",
    )
    assert Path(said["kept_in"]).is_relative_to(tmp_path / "given")
    assert list(Path(said["kept_in"]).glob("*.nbc"))
    assert not (tmp_path / "other").exists()


def test_a_cache_that_cannot_be_written_costs_one_line_and_no_kernel(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").touch()
    process = begin(
        check_out(tmp_path / "checkout"), [1, 0.5], XDG_CACHE_HOME=tmp_path / "file"
    )
    said, complaint = end(process)
    assert (said["values"], said["misses"]) == ([5, 4.5], 2)
    (line,) = complaint.splitlines()
    assert f"{tmp_path / 'file'}/mpms/kernels: Not a directory" in line
    assert "NUMBA_CACHE_DIR" in line


@pytest.mark.parametrize("ending", ["nbi", "nbc"])
def test_a_damaged_file_is_compiled_again(tmp_path: Path, ending: str) -> None:
    checkout = check_out(tmp_path / "checkout")
    made = run(checkout, [1], XDG_CACHE_HOME=tmp_path / "cache")
    (file,) = Path(made["kept_in"]).glob(f"*.{ending}")
    file.write_bytes(file.read_bytes()[:3])
    mended = run(checkout, [1], XDG_CACHE_HOME=tmp_path / "cache")
    assert (mended["values"], mended["misses"]) == ([5], 1)
    found = run(checkout, [1], XDG_CACHE_HOME=tmp_path / "cache")
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
    """Every kernel of the shop floor."""
    sources = [
        p for p in PACKAGE.rglob("*.py") if "compiled import kernel" in p.read_text()
    ]
    names = [
        ".".join(p.relative_to(PACKAGE.parent).with_suffix("").parts) for p in sources
    ]
    modules = [importlib.import_module(name) for name in names]
    values = [v for module in modules for v in vars(module).values()]
    return [v for v in values if isinstance(v, Dispatcher)]


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
