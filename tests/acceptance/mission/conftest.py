"""Missions, each driven once for all tests that look at it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.missions import Driven, mission


@pytest.fixture(scope="session")
def missions(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int, str], Driven]:
    """``missions(seed, localisation)``, each driven once."""
    known: dict[tuple[int, str], Driven] = {}

    def driven(seed: int, localisation: str) -> Driven:
        key = (seed, localisation)
        if key not in known:
            recording = tmp_path_factory.mktemp("mission") / "run.jsonl"
            known[key] = mission(seed, localisation, recording)
        return known[key]

    return driven
