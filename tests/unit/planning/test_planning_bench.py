"""The figures that the planning bench prints beside the seed's, on a small map."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from shopfloor.grid.drawn import draw_hall

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Scripts are no package, so it is loaded by its file."""
    file = ROOT / "bench" / "planning.py"
    spec = importlib.util.spec_from_file_location("planning_bench", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(sys.modules, "planning_bench", module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.covers("A72")
def test_the_bench_tells_short_and_long_trips_beside_the_seed(
    bench: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    hall = draw_hall(300, 200, 20).inflated(0.3)
    found = bench.by_distance(hall, pairs=30, rounds=1)
    assert set(found) == {
        "lazy_short_ms",
        "lazy_long_ms",
        "graph_short_ms",
        "graph_long_ms",
    }
    assert all(taken > 0.0 for taken in found.values())
    assert bench.IN_SEED["short_ms"] == 40
    assert bench.IN_SEED["long_ms"] == [100, 120]
    said = capsys.readouterr().out
    assert "the seed 40 ms and [100, 120] ms" in said


@pytest.mark.long
@pytest.mark.covers("A73", "A74")
def test_the_bench_tells_a_local_cycle_with_and_without_boxes(
    bench: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    found = bench.local_cycles(("A",))
    assert set(found) == {"local_free_ms", "local_boxes_ms"}
    assert all(taken > 0.0 for taken in found.values())
    assert "the seed 1.13 ms and 3.78 ms" in capsys.readouterr().out
