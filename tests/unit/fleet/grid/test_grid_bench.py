"""The grid part of the fleet bench, on a drawn floor with a few robots."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[4]


@pytest.fixture
def bench() -> ModuleType:
    """Scripts are no package, so it is loaded by its file."""
    file = ROOT / "bench" / "fleet_parts" / "grid.py"
    spec = importlib.util.spec_from_file_location("grid_bench", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_without_the_benchmark_files_a_drawn_warehouse_is_used_and_said(
    bench: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "DATA", tmp_path)
    monkeypatch.setattr(bench, "SPINS", 1000)
    for name, few in {"ROBOTS": 40, "ROUNDS": 1, "STEPS": 20, "REFINE_S": 0.2}.items():
        monkeypatch.setattr(bench, name, few)
    said: list[str] = []
    figures = bench.figures(said.append)
    assert said[0].startswith("no benchmark data: a drawn warehouse")
    assert {
        "lacam_ms_1000",
        "lacam_over_lower_bound_1000",
        "lacam_refined_over_lower_bound_1000",
        "pibt_step_ms_1000",
        "lifelong_goals_per_step_1000",
    } <= set(figures)
    assert 1.0 <= figures["lacam_over_lower_bound_1000"] < 2.0
