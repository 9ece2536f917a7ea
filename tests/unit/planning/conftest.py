"""Planners that are compiled before the first test asks them."""

import pytest

from shopfloor.planning import warm_up


@pytest.fixture(scope="session", autouse=True)
def compiled_kernels() -> None:
    """So that no single test pays for the compiler."""
    warm_up()
