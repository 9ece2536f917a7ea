"""Pages of experiments over a real database; what simulates is the real program."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mpms.factory.adapters.simulator import SimulatorProcess
from tests.support.databases import Databases
from tests.support.experiments import ExperimentHouse
from tests.support.factory import opened


@pytest.fixture(scope="session")
def simulator() -> SimulatorProcess:
    """It keeps what may be given, so that it is asked once."""
    return SimulatorProcess()


@pytest.fixture
def house(
    databases: Databases, simulator: SimulatorProcess
) -> Iterator[ExperimentHouse]:
    with opened(databases, ExperimentHouse) as house:
        house.simulator = simulator
        yield house
