"""Materials and recipes in a browser, against the whole factory: by mouse and keyboard,
in both colours, and the mail that follows is an order."""

from __future__ import annotations

from collections.abc import Callable
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from mpms.demo.buyer import BUYER
from tests.support.axe import complaints_of
from tests.support.house import House

OpenPage = Callable[..., Page]

ROOT = Path(__file__).resolve().parents[3]
NEW = "/admin/places/materials/new"
SMALL_TARGETS = """() => [...document.querySelectorAll(
        'main a, main button, main summary, main select, main textarea,'
        + ' main input:not([type=hidden])')]
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


def mail_order(house: House, number: str, line: str) -> None:
    message = EmailMessage()
    message["From"], message["To"] = BUYER, house.plant.home.orders
    message["Subject"] = f"Order {number}"
    message["Message-ID"] = make_msgid(domain="example.com")
    message.set_content(f"Order: {number}\n\nMaterials:\n- {line}\n")
    house.plant.buyer.hand_over(bytes(message))


def test_a_material_added_with_the_mouse_is_ordered_by_mail_and_fetched(
    house: House, open_page: OpenPage
) -> None:
    mail_order(house, "MO-2026-6001", "RM-321 Zinc phosphate 5 kg")
    house.until(
        "the mail is refused",
        lambda: house.rows("SELECT 1 FROM mails WHERE outcome = 'rejected'"),
    )
    page = open_page("adam")
    page.goto(f"{house.address}/admin/places")
    expect(page.locator(".admin-source")).to_contain_text("the plant’s file")
    page.get_by_role("link", name="Add a material").click()
    page.get_by_label("Code").fill("RM 3")
    page.get_by_label("Name", exact=True).fill("Zinc phosphate")
    page.get_by_label("Also called").fill("Zinkphosphat")
    page.get_by_label("Most per order").fill("400")
    page.get_by_label("Where it stands").select_option("dosing_1")
    page.get_by_label("Reason").fill("new primer")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator("#code-error")).to_contain_text("without spaces")
    expect(page.get_by_label("Where it stands")).to_have_value("dosing_1")
    expect(page.get_by_label("Reason")).to_have_value("new primer")
    page.get_by_label("Code").fill("RM-321")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".banner-ok")).to_contain_text("RM-321 is saved as version 2.")
    expect(page.locator(".admin-source")).to_contain_text("new primer")

    mail_order(house, "MO-2026-6002", "Zinkphosphat 5 kg")
    house.until(
        "the robot is sent to the new place",
        lambda: house.rows(
            "SELECT 1 FROM drives g JOIN instances i ON i.id = g.instance_id"
            " WHERE i.business_key = 'MO-2026-6002' AND g.place = 'dosing_1'"
        ),
    )


def test_a_material_is_changed_and_a_version_taken_again_by_keyboard_alone(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam")
    page.goto(f"{house.address}/admin/places/materials/RM-002")
    press_tab_to(page, "#max_kg")
    page.keyboard.press("Control+A")
    page.keyboard.type("0")
    press_tab_to(page, "#save-reason")
    page.keyboard.type("smaller bags")
    page.keyboard.press("Enter")
    expect(page.locator("#max_kg-error")).to_contain_text("above zero")
    press_tab_to(page, "#max_kg")
    page.keyboard.press("Control+A")
    page.keyboard.type("750")
    press_tab_to(page, "#save-reason")
    page.keyboard.press("Enter")
    expect(page.locator(".banner-ok")).to_contain_text("RM-002 is saved")
    row = page.get_by_role("row").filter(has_text="Titanium dioxide")
    expect(row).to_contain_text("750")

    page.goto(f"{house.address}/admin/places/versions")
    newest, before = page.locator(".admin-versions > li").all()[:2]
    expect(newest).to_contain_text("1000 → 750")
    number = (before.get_attribute("id") or "").removeprefix("version-")
    press_tab_to(page, f"#version-{number} summary")
    page.keyboard.press("Enter")
    press_tab_to(page, f"#again-{number}")
    page.keyboard.type("big bags again")
    page.keyboard.press("Enter")
    expect(page.locator(".banner-ok")).to_contain_text(f"Version {number} restored")
    page.goto(f"{house.address}/admin/places/materials/RM-002")
    expect(page.locator("#max_kg")).to_have_value("1000")
    page.goto(f"{house.address}/admin/audit?thing=RM-002")
    expect(page.locator(".admin-audit")).to_contain_text("smaller bags")


def test_a_recipe_is_made_and_its_material_cannot_be_removed(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam")
    page.goto(f"{house.address}/admin/places/recipes/new")
    page.get_by_label("Name of the product").fill("Grey primer 50/50")
    page.get_by_label("Base batch", exact=True).fill("100")
    page.get_by_label("Unit of the batch").select_option("kg")
    for line, (code, kg) in enumerate([("RM-001", "40"), ("RM-003", "12.5")], 1):
        page.get_by_label(f"Material {line}", exact=True).select_option(code)
        page.get_by_label("Amount in kg").nth(line - 1).fill(kg)
    page.get_by_role("button", name="Add a material").click()
    expect(page.get_by_label("Material 4", exact=True)).to_be_visible()
    page.get_by_role("button", name="Remove material 4").click()
    page.get_by_label("Reason").fill("new product")
    page.get_by_role("button", name="Save").last.click()
    expect(page.locator(".banner-ok")).to_contain_text("Grey primer 50/50 is saved")

    page.goto(f"{house.address}/admin/places/materials/RM-003")
    removal = page.locator("form[action$='/remove']")
    expect(removal).to_contain_text("Recipes need it.")
    page.get_by_role("link", name="Grey primer 50/50").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Grey primer 50/50")
    page.locator("#remove-reason").fill("not yet")
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator(".banner-ok")).to_contain_text("is removed")


def test_two_administrators_do_not_overwrite_each_other(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam")
    other = page.context.new_page()
    for each in (page, other):
        each.goto(f"{house.address}/admin/places/materials/RM-004")
    other.locator("#max_kg").fill("1800")
    other.locator("#save-reason").fill("smaller drums")
    other.get_by_role("button", name="Save", exact=True).click()
    expect(other.locator(".banner-ok")).to_contain_text("is saved")
    page.locator("#max_kg").fill("2200")
    page.locator("#save-reason").fill("bigger drums")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".banner-bad")).to_contain_text("adam has changed this")
    expect(page.locator(".admin-meanwhile")).to_contain_text("2000 → 1800")
    expect(page.locator("#max_kg")).to_have_value("2200")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".banner-ok")).to_contain_text("is saved")


def test_axe_finds_nothing_and_everything_fits_screens_and_fingers(
    house: House, open_page: OpenPage
) -> None:
    page = open_page("adam", width=1024)
    page.goto(house.address + NEW)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".banner-bad")).to_be_visible()
    wrong: dict[str, Any] = {}
    for path in (
        "",
        "/admin/places",
        "/admin/places/materials/RM-001",
        "/admin/places/recipes/new",
        "/admin/places/versions",
    ):
        if path:
            page.goto(house.address + path)
        for details in page.locator("details").all():
            details.evaluate("each => each.open = true")
        found = complaints_of(page)
        for width in (360, 1440):
            page.set_viewport_size({"width": width, "height": 900})
            over_px = page.evaluate(
                "() => document.scrollingElement.scrollWidth - window.innerWidth"
            )
            if over_px > 0:
                found.append(f"{over_px} px too wide at {width}")
            found += page.evaluate(SMALL_TARGETS)
        if found:
            wrong[path] = found
        page.set_viewport_size({"width": 1024, "height": 900})
    assert wrong == {}
