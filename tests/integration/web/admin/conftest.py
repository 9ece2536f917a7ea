"""The administration's pages over a real database, with people signed in by rows."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.databases import Databases
from tests.support.factory import opened
from tests.support.site import Browser
from tests.support.web_admin import Office


@pytest.fixture
def office(databases: Databases) -> Iterator[Office]:
    with opened(databases, Office) as office:
        yield office


@pytest.fixture
def admin(office: Office) -> Browser:
    return office.browser_of("adam")
