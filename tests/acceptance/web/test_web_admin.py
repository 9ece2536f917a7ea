"""The administration in a browser: by keyboard, in both colours, on a narrow screen,
against the whole factory with a mail server and robots that really fail."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.acceptance.web.sights import (
    DESK_PX,
    PHONE_PX,
    TABLET_PX,
    Sight,
    Sights,
    named,
)
from tests.support.house import House

OpenPage = Callable[..., Page]

ROOT = Path(__file__).resolve().parents[3]
PAGES = (
    "/admin",
    "/admin/people",
    "/admin/people/new",
    "/admin/people/ana",
    "/admin/groups",
    "/admin/robots",
    "/admin/robots/robot1",
    "/admin/places?find=RM-001",
    "/admin/floor",
    "/warehouse/trial",
    "/admin/mail",
    "/admin/retention?days=30",
    "/admin/settings",
    "/admin/audit",
)
SMALL_TARGETS = """() => [...document.querySelectorAll(
        'main a, main button, main summary, main select,'
        + ' main input:not([type=hidden]):not([type=checkbox])')]
    .filter(element => {
        const box = element.getBoundingClientRect();
        const inText = element.tagName === 'A'
            && getComputedStyle(element).display === 'inline';
        return box.width > 1 && box.height > 1 && !inText
            && !element.closest('.visually-hidden, .skip')
            && Math.min(box.width, box.height) < 23.5;
    }).map(element => element.outerHTML.slice(0, 90))"""


def press_tab_to(page: Page, selector: str) -> None:
    """As somebody without a mouse."""
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"the keyboard does not lead to {selector}")


@pytest.fixture(scope="module")
def looks(house: House, sights: Sights) -> dict[str, Sight]:
    def small(page: Page) -> list[str]:
        found: list[str] = page.evaluate(SMALL_TARGETS)
        return found

    found = {
        path: sights.look(
            "adam", path, small=small, widths=(PHONE_PX, TABLET_PX, DESK_PX)
        )
        for path in PAGES
    }
    assert sights.told() == []
    return found


def test_axe_finds_nothing_in_the_administration(
    looks: dict[str, Sight],
) -> None:
    assert named(looks, lambda sight: sight.complaints) == {}


@pytest.mark.parametrize("width", [PHONE_PX, DESK_PX])
def test_every_page_fits_its_screen_and_fingers(
    looks: dict[str, Sight], width: int
) -> None:
    assert named(looks, lambda sight: sight.too_wide_px[width]) == {}
    assert named(looks, lambda sight: sight.too_small[width]) == {}


def test_a_person_is_changed_and_a_robot_rests_by_keyboard_alone(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam")
    page.goto(f"{house.address}/admin/people/max")
    press_tab_to(page, "form[action$='/max'] [name=groups]")
    page.keyboard.press("End")
    page.keyboard.type(", mixing")
    press_tab_to(page, "#edit-reason")
    page.keyboard.type("learns mixing")
    page.keyboard.press("Enter")
    expect(page.locator(".banner-ok")).to_contain_text("The changes are saved.")
    expect(page.locator("[name=groups]")).to_have_value("worker, mixing")

    page.goto(f"{house.address}/admin/robots/robot2")
    press_tab_to(page, "#service-reason")
    page.keyboard.type("brake squeaks")
    page.keyboard.press("Enter")
    expect(page.locator(".banner-ok")).to_contain_text("out of service")
    page.goto(f"{house.address}/admin/audit?thing=robot2")
    expect(page.locator(".admin-audit")).to_contain_text("brake squeaks")
    page.goto(f"{house.address}/admin/robots/robot2")
    press_tab_to(page, "#service-reason")
    page.keyboard.type("mended")
    page.keyboard.press("Enter")
    expect(page.locator(".banner-ok")).to_contain_text("back in service")


def test_the_connection_test_hears_a_robot_and_notices_a_frozen_one(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam")
    page.goto(f"{house.address}/admin/robots/robot3")
    steps = page.locator("#test-steps")

    def tried() -> bool:
        """A robot of a busy machine may answer later than the test waits for it."""
        with page.expect_response("**/admin/robots/robot3/test"):
            page.get_by_role("button", name="Test the connection").click()
        return "Everything that was tried works." in steps.inner_text()

    house.until("the robot answers", tried)
    expect(steps).to_contain_text("Get its position")
    house.break_robot("freeze robot3 600")
    try:
        page.get_by_role("button", name="Test the connection").click()
        expect(steps).to_contain_text("No data received")
        expect(steps).to_contain_text("It stops at")
    finally:
        house.break_robot("clear robot3")


def test_the_mail_test_passes_against_the_running_servers(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam")
    page.goto(f"{house.address}/admin/mail")
    page.locator("form:has([value=imap]) button").click()
    expect(page.locator("#imap-steps")).to_contain_text("Open the folder")
    expect(page.locator("#imap-steps")).to_contain_text("Everything that was tried")
    page.locator("form:has([value=smtp]) button").click()
    expect(page.locator("#smtp-steps")).to_contain_text("Everything that was tried")


def test_the_health_page_follows_a_living_plant(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam")
    page.goto(f"{house.address}/admin")
    health = page.locator("#admin-health")
    expect(health).to_contain_text("1 worker is running.")
    expect(health.locator(".admin-light-red")).to_have_count(0)
    answer = page.request.get(f"{house.address}/healthz/word")
    assert answer.text().strip() in ("good", "look")


def test_history_is_counted_and_deleted_in_the_background(
    house: House, open_page: OpenPage
) -> None:
    house.rows(
        "INSERT INTO instances (id, definition_id, key, status, ended_at)"
        " SELECT gen_random_uuid(), min(id), 'warehouse', 'completed',"
        " now() - interval '400 days' FROM definitions RETURNING id::text"
    )
    page = open_page("adam")
    page.goto(f"{house.address}/admin/retention")
    page.locator("form[method=post] [name=days]").fill("365")
    page.locator("#keep-reason").fill("a year is enough")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".banner-ok")).to_contain_text("365 days")
    runs = page.locator("#admin-runs")
    expect(runs).to_contain_text("the retention itself")
    expect(runs).to_contain_text("done")
    assert house.rows(
        "SELECT count(*) FROM instances WHERE ended_at < now() - interval '365 days'"
    ) == [(0,)]


def test_an_action_is_found_in_the_log_with_its_reason_and_saved(
    house: House, open_page: OpenPage
) -> None:
    number = house.order()
    task = house.task(number, "load_material")
    with house.services.uow() as tx:
        instance = tx.tasks.get(task).instance_id
    page = open_page("adam")
    page.goto(f"{house.address}/cockpit/i/{instance}")
    page.locator("#do-suspend").click()
    dialog = page.locator("#instance-dialog")
    dialog.locator("textarea[name=reason]").fill("a spill at place A")
    dialog.get_by_role("button", name="Suspend the process").click()
    expect(page.locator(".flash")).to_have_text("The process is suspended.")

    page.goto(f"{house.address}/admin/audit")
    page.get_by_label("Who", exact=True).fill("adam")
    page.get_by_label("Object").fill(number)
    page.get_by_role("button", name="Find").click()
    rows = page.locator(".admin-audit tbody tr")
    expect(rows).to_have_count(1)
    expect(rows).to_contain_text("a spill at place A")
    expect(rows).to_contain_text("Adam Cole")
    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    saved = Path(download.value.path()).read_text(encoding="utf-8")
    assert saved.count("a spill at place A") == 1
    rows.get_by_role("link", name=number).click()
    page.wait_for_url(f"{house.address}/cockpit/i/{instance}")
    page.goto(f"{house.address}/admin/audit?who=nobody-at-all")
    expect(page.get_by_text("Nothing found.")).to_be_visible()
