"""A pen for BPMN models and a hand that plays them."""

import pytest

from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player


@pytest.fixture(scope="session")
def draw() -> Drawing:
    return Drawing()


@pytest.fixture(scope="session")
def play() -> Player:
    return Player()
