"""Seeds of tests that try many random cases."""

from __future__ import annotations

import pytest
from _pytest.mark import ParameterSet


def seeds(count: int, ordinary: int = 1) -> list[int | ParameterSet]:
    """The first ones for every run, the rest for ``make soak``."""
    return [
        seed if seed < ordinary else pytest.param(seed, marks=pytest.mark.soak)
        for seed in range(count)
    ]
