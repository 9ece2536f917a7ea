"""What other programs need, made in a browser: a token that is shown once, used and
revoked; a webhook that is told, fails and is tried again; the page of the API."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.support.house import House

OpenPage = Callable[..., Page]


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    page = open_page("adam")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return page


def ask(house: House, path: str, secret: str) -> tuple[int, dict[str, Any]]:
    """As a program without a browser."""
    link = HTTPConnection(urlsplit(house.address).netloc, timeout=60)
    with closing(link):
        link.request(
            "GET", f"/api/v1{path}", headers={"Authorization": f"Bearer {secret}"}
        )
        answer = link.getresponse()
        return answer.status, json.load(answer)


def test_a_token_is_shown_once_works_and_is_revoked(house: House, page: Page) -> None:
    page.goto(f"{house.address}/tokens")
    page.get_by_label("Name of the program").fill("no good name!")
    page.get_by_role("button", name="Create the token").click()
    expect(page.locator("#name-error")).to_be_visible()
    page.get_by_label("Name of the program").fill("scale")
    page.get_by_label("Role").select_option("viewer")
    page.get_by_label("Valid for, in days").fill("7")
    page.get_by_role("button", name="Create the token").click()
    card = page.locator(".api-secret")
    expect(card).to_contain_text("The token scale is ready")
    secret = card.locator("code").first.inner_text()
    expect(card.locator("code").last).to_contain_text("/api/v1/me")

    status, me = ask(house, "/me", secret)
    assert status == 200
    assert "scale" in json.dumps(me)
    status, refused = ask(house, "/tokens", secret)  # not a viewer's
    assert (status, refused["status"]) == (403, 403)
    page.goto(f"{house.address}/tokens")
    row = page.locator("tbody tr", has_text="scale")
    expect(row).to_contain_text("good")
    expect(row).not_to_contain_text("never")  # it was used
    assert secret not in page.content()

    row.get_by_role("button", name="Revoke scale").click()
    expect(page.locator(".flash")).to_have_text("The token scale is revoked.")
    expect(row).to_contain_text("revoked")
    assert ask(house, "/me", secret)[0] == 401


class Receiver:
    """A small program that takes posts, or refuses them as long as it is told to."""

    def __init__(self) -> None:
        self.refuses = False
        self.posts: list[tuple[dict[str, str], bytes]] = []
        self.refused = 0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if receiver.refuses:
                    receiver.refused += 1
                    self.send_response(503)
                else:
                    named = {k.lower(): v for k, v in self.headers.items()}
                    receiver.posts.append((named, body))
                    self.send_response(204)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/mpms"


@contextmanager
def receiving() -> Iterator[Receiver]:
    receiver = Receiver()
    thread = threading.Thread(target=receiver.server.serve_forever)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.server.shutdown()
        receiver.server.server_close()
        thread.join()


def is_signed(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """As the specification of Standard Webhooks says it."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    digest = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    return headers["webhook-signature"] == f"v1,{digest.decode()}"


def say(house: House, kind: str, number: str) -> None:
    with house.services.uow() as tx:
        tx.events.append(kind, actor="test", data={"order": number})


def test_a_webhook_is_told_signed_fails_and_is_told_again(
    house: House, page: Page
) -> None:
    with receiving() as receiver:
        page.goto(f"{house.address}/webhooks")
        page.get_by_label("Address").fill(receiver.url)
        page.get_by_label("Kinds of events").fill("recipe *")
        page.get_by_role("button", name="Add the webhook").click()
        shown = page.locator(".api-secret")
        expect(shown).to_contain_text(receiver.url)
        secret = shown.locator("code").inner_text()

        say(house, "recipe added", "MO-1")
        say(house, "connection tested", "MO-1")
        (headers, body), *more = house.until("it is told", lambda: receiver.posts)
        assert more == []
        assert is_signed(secret, headers, body)
        told = json.loads(body)
        assert told["type"] == "recipe added"
        assert told["data"]["details"] == {"order": "MO-1"}
        page.goto(f"{house.address}/webhooks")
        assert secret not in page.content()
        card = page.locator("section", has=page.locator("h2", has_text=receiver.url))
        expect(card).to_contain_text("good")

        receiver.refuses = True
        say(house, "recipe changed", "MO-2")
        house.until("it is refused", lambda: receiver.refused)
        house.until(
            "the failure is known",
            lambda: house.rows("SELECT 1 FROM webhooks WHERE failures > 0"),
        )
        page.reload()
        expect(card).to_contain_text(re.compile(r"failed \d+ times?, is tried again"))
        expect(card).to_contain_text("answered 503")
        receiver.refuses = False
        house.until("it is told after all", lambda: len(receiver.posts) == 2)
        assert json.loads(receiver.posts[1][1])["type"] == "recipe changed"
        house.until(
            "it is good again",
            lambda: house.rows("SELECT 1 FROM webhooks WHERE failures = 0"),
        )
        page.reload()
        expect(card).not_to_contain_text("is tried again")

        card.get_by_role("button", name="Pause").click()
        expect(page.locator(".flash")).to_contain_text("It is paused")
        say(house, "recipe removed", "MO-3")
        expect(card).to_contain_text("paused")
        card.get_by_role("button", name="Resume").click()
        house.until("nothing was lost", lambda: len(receiver.posts) == 3)

        first = receiver.posts[0][0]["webhook-id"]
        card.get_by_label("Send again from event").fill(first)
        card.get_by_role("button", name="Send again").click()
        house.until("all is told again", lambda: len(receiver.posts) == 6)
        assert receiver.posts[3][0]["webhook-id"] == first

        card.get_by_role("button", name="Delete").click()
        expect(page.locator(".flash")).to_have_text("The webhook is deleted.")
        expect(card).to_have_count(0)


def test_an_address_that_is_none_is_refused_and_kept(house: House, page: Page) -> None:
    page.goto(f"{house.address}/webhooks")
    page.get_by_label("Address").fill("https://user:word@erp.example.com/x")
    page.get_by_role("button", name="Add the webhook").click()
    expect(page.get_by_role("alert")).to_contain_text("must not hold a password")
    expect(page.get_by_label("Address")).to_have_value(
        "https://user:word@erp.example.com/x"
    )


def test_an_operation_is_found_opened_copied_and_works_as_it_says(
    house: House, page: Page
) -> None:
    page.goto(f"{house.address}/api/v1/docs")
    count = page.locator("#api-count")
    expect(count).to_contain_text(re.compile(r"\d{2,} operations"))
    every = count.inner_text()
    search = page.get_by_label("Search")
    search.fill("processes suspend")
    expect(count).not_to_have_text(every)
    operation = page.locator("details.api-one:visible").filter(
        has_text="/processes/{key}/suspend"
    )
    expect(operation).to_have_count(1)
    operation.locator("summary").first.focus()
    page.keyboard.press("Enter")
    expect(operation.get_by_role("table")).to_contain_text("reason")
    operation.get_by_role("button", name="Copy").click()
    expect(operation.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.startswith("curl ")
    assert "/suspend" in copied

    named = operation.get_attribute("id")
    page.goto("about:blank")
    page.goto(f"{house.address}/api/v1/docs#{named}")  # a link to it opens it
    expect(page.locator(f"#{named}")).to_have_attribute("open", "")
    search.fill("no such thing at all")
    expect(count).to_have_text("0 operations")
    search.fill("")
    expect(count).to_have_text(every)
    with page.expect_download() as download:
        page.get_by_role("link", name="OpenAPI document").click()
    document = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert document["openapi"].startswith("3.1")
    assert "/processes/{key}/suspend" in json.dumps(document["paths"])


def test_an_operation_is_tried_with_the_readers_own_rights(
    house: House, page: Page
) -> None:
    page.goto(f"{house.address}/api/v1/docs#processes_one")
    reads = page.locator("#processes_one")
    reads.locator("input[name=key]").fill("orders_handling")
    reads.get_by_role("button", name="Send the request").click()
    expect(reads.locator(".api-status")).to_contain_text("200")
    expect(reads.locator(".api-trial pre")).to_contain_text('"orders_handling"')

    page.goto(f"{house.address}/api/v1/docs#processes_suspend")
    changes = page.locator("#processes_suspend")
    expect(changes.get_by_label("API token")).to_be_visible()
    expect(changes.get_by_label("Body (JSON)")).to_have_value(re.compile("reason"))
