"""A passkey of a device, added and shown in a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from mpms.demo.people import PEOPLE
from tests.support.house import House

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
SOFIA = next(person for person in PEOPLE if person.login == "sofia")


@pytest.fixture
def device(open_page: Callable[..., Page], house: House) -> Iterator[Any]:
    """A page of a browser whose device keeps passkeys, at a name and no number."""
    page = open_page(None)
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    made = session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    yield page
    session.send("WebAuthn.removeVirtualAuthenticator", made)
    session.detach()
    house.rows("DELETE FROM passkeys RETURNING id")


def sign_in(page: Page, address: str) -> None:
    page.goto(f"{address}/login?with=password")
    page.locator("input[name=login]").first.fill(SOFIA.login)
    page.locator("input[name=password]").first.fill(SOFIA.password)
    page.locator(".login-go").first.click()


def test_a_passkey_is_asked_for_after_the_password(device: Page, house: House) -> None:
    address = house.address.replace("127.0.0.1", "localhost")
    sign_in(device, address)
    device.goto(f"{address}/me")
    form = device.locator("[data-add-passkey]")
    form.locator("input[name=name]").fill("My laptop")
    form.locator("input[name=now]").fill(SOFIA.password)
    form.locator("button").click()
    expect(device.locator("#second-card")).to_contain_text("My laptop")
    device.context.clear_cookies()

    sign_in(device, address)
    expect(device).to_have_url(f"{address}/login/second?next=/")
    device.goto(f"{address}/me")
    expect(device).to_have_url(f"{address}/login?next=/me")
    device.goto(f"{address}/login/second?next=/me")
    device.locator("[data-show-passkey]").click()
    expect(device).to_have_url(f"{address}/me")
    expect(device.locator("#second-card")).to_contain_text("used")
    ((uses,),) = house.rows("SELECT uses FROM passkeys WHERE used_at IS NOT NULL")
    assert uses > 1
