"""A pen for small models and a hand that repairs what runs in them."""

import pytest

from tests.support.repair_drawing import RepairDrawing
from tests.support.repair_play import RepairPlayer


@pytest.fixture(scope="session")
def draw() -> RepairDrawing:
    return RepairDrawing()


@pytest.fixture(scope="session")
def play() -> RepairPlayer:
    return RepairPlayer()
