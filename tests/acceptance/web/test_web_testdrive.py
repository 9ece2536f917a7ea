"""A supervisor test-drives a version and looks at the paths that were taken."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.house import House

PATIENCE_MS = 600_000  # three hundred orders are driven: a busy machine takes minutes


@pytest.mark.timeout(900)
def test_a_version_is_driven_while_the_page_shows_how_far(
    house: House, open_page: Callable[..., Page]
) -> None:
    page = open_page("sofia")
    page.goto(f"{house.address}/models/warehouse")
    page.get_by_text("Test-drive this version").click()
    page.locator("select[name=orders]").select_option("100")
    page.locator("input[name=people]").fill("2")
    page.get_by_role("button", name="Test-drive").click()
    # Above are its figures, or their comparison with those of the version before.
    where = page.get_by_role("heading", name="Where the time goes")
    expect(where).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_text("100 made-up orders")).to_be_visible()
    page.get_by_role("link", name="Count").click()
    expect(page.get_by_role("link", name="Count")).to_have_attribute(
        "aria-current", "true"
    )
    expect(page.locator("mpms-process-map .heat-figure").first).to_be_visible()
    page.goto(f"{house.address}/cockpit/warehouse")
    page.get_by_role("link", name="Paths taken").click()
    expect(page.get_by_role("heading", name="Paths taken")).to_be_visible()
    assert page.url.startswith(f"{house.address}/cockpit/warehouse/paths")
