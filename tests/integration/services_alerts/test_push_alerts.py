"""Notices on devices: readable there only, and never posted into a network."""

from __future__ import annotations

import json

import pytest

from mpms.adapters.web_push import WebPusher
from mpms.domain.alerts.push_endpoints import EndpointRefused
from mpms.domain.alerts.rules import AlertWish
from mpms.ports.alerts import PushGone, PushRefused, PushUnavailable, Subscription
from mpms.services.alerts.subscribe import (
    MOST_DEVICES,
    TooManyDevices,
    subscribe,
    unsubscribe,
)
from tests.support.alerted_plant import AlertedPlant
from tests.support.push_service import PushService


def subscriptions(plant: AlertedPlant) -> list[str]:
    rows = plant.rows("SELECT endpoint FROM push_subscriptions ORDER BY 1")
    return [row[0] for row in rows]


def test_a_browser_reads_what_the_push_service_cannot(
    plant: AlertedPlant, push_service: PushService, pusher: WebPusher
) -> None:
    plant.person(mail=None, wish=AlertWish())
    browser = push_service.browser()
    plant.subscribe(browser.subscription)
    plant.incident("mailbox", "The mailbox cannot be read")
    send = plant.sender(pusher=pusher)
    assert send()
    assert not send()
    ((path, headers, body),) = push_service.posts
    assert path == "/push/one"
    assert headers["content-encoding"] == "aes128gcm"
    assert int(headers["ttl"]) > 0
    assert b"mailbox" not in body
    notice = json.loads(browser.read(body))
    assert notice["title"] == "Incident: The mailbox cannot be read"
    assert notice["path"].startswith("/incidents/c")


def test_posts_are_signed_with_the_one_key_of_the_plant(
    plant: AlertedPlant, push_service: PushService, pusher: WebPusher
) -> None:
    plant.person(mail=None, wish=AlertWish())
    plant.subscribe(push_service.browser("one").subscription)
    plant.subscribe(push_service.browser("two").subscription)
    plant.incident("mailbox", "The mailbox cannot be read")
    plant.sender(pusher=pusher)()
    first, second = push_service.claims(0), push_service.claims(1)
    assert first["sub"] == "mailto:plant@example.com"
    assert first["k"] == second["k"]
    ((key,),) = plant.rows("SELECT private_key FROM push_keys")
    assert pusher.public_key(bytes(key)) == first["k"]


@pytest.mark.parametrize("status", [404, 410])
def test_a_device_that_is_gone_is_dropped(
    plant: AlertedPlant, push_service: PushService, pusher: WebPusher, status: int
) -> None:
    plant.person(mail=None, wish=AlertWish())
    plant.subscribe(push_service.browser().subscription)
    plant.incident("mailbox", "The mailbox cannot be read")
    push_service.status = status
    send = plant.sender(pusher=pusher)
    assert send()
    assert subscriptions(plant) == []
    assert not send()
    assert len(push_service.posts) == 1


def test_a_push_service_that_is_busy_is_asked_later(
    plant: AlertedPlant,
    push_service: PushService,
    pusher: WebPusher,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mpms.services.alerts.send.FIRST_DELAY_S", 0.0)
    plant.person(mail=None, wish=AlertWish())
    plant.subscribe(push_service.browser().subscription)
    plant.incident("mailbox", "The mailbox cannot be read")
    send = plant.sender(pusher=pusher)
    for push_service.status in (429, 503, 201):
        assert send()
    assert not send()
    assert len(push_service.posts) == 3
    assert len(subscriptions(plant)) == 1


@pytest.mark.parametrize(
    ("status", "error"),
    [
        (410, PushGone),
        (500, PushUnavailable),
        (403, PushRefused),
        (302, PushRefused),
        (413, PushRefused),
    ],
)
def test_every_answer_means_something_and_redirects_are_not_followed(
    push_service: PushService, pusher: WebPusher, status: int, error: type[Exception]
) -> None:
    push_service.status = status
    with pytest.raises(error):
        pusher.send(pusher.new_key(), push_service.browser().subscription, b"x")
    assert len(push_service.posts) == 1


def test_the_loopback_is_for_tests_alone(push_service: PushService) -> None:
    browser = push_service.browser()
    real = WebPusher("mailto:plant@example.com")
    with pytest.raises(PushRefused):
        real.send(real.new_key(), browser.subscription, b"x")
    assert push_service.posts == []


def test_a_name_that_leads_into_the_network_is_not_posted_to(
    push_service: PushService, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The name looks public; what it resolves to is not."""
    inside = [(2, 1, 6, "", ("10.0.0.7", 443))]
    monkeypatch.setattr("socket.getaddrinfo", lambda *_, **__: inside)
    browser = push_service.browser()
    to = Subscription(
        "https://push.example.com/x",
        browser.subscription.p256dh,
        browser.subscription.auth,
    )
    real = WebPusher("mailto:plant@example.com")
    with pytest.raises(PushRefused, match="inside a network"):
        real.send(real.new_key(), to, b"x")


@pytest.mark.parametrize(
    ("p256dh", "auth"), [("x" * 87, "y" * 22), ("", ""), ("BA" * 43, "y" * 22)]
)
def test_keys_that_are_none_are_refused(
    push_service: PushService, pusher: WebPusher, p256dh: str, auth: str
) -> None:
    to = Subscription(f"{push_service.address}/x", p256dh, auth)
    with pytest.raises(PushRefused):
        pusher.send(pusher.new_key(), to, b"x")


def test_a_device_belongs_to_who_is_signed_in_there_last(
    plant: AlertedPlant, push_service: PushService
) -> None:
    plant.person("sofia")
    plant.person("max", mail=None)
    keys = push_service.browser().subscription
    to = Subscription("https://push.example.com/one", keys.p256dh, keys.auth)
    subscribe(plant.uow, "sofia", to)
    subscribe(plant.uow, "max", to)
    assert plant.rows("SELECT login FROM push_subscriptions") == [("max",)]
    unsubscribe(plant.uow, "sofia", to.endpoint)
    assert len(subscriptions(plant)) == 1
    unsubscribe(plant.uow, "max", to.endpoint)
    assert subscriptions(plant) == []


def test_addresses_inside_and_too_many_devices_are_refused(
    plant: AlertedPlant, push_service: PushService
) -> None:
    plant.person()
    keys = push_service.browser().subscription
    with pytest.raises(EndpointRefused):
        subscribe(plant.uow, "sofia", keys)
    for number in range(MOST_DEVICES):
        endpoint = f"https://push.example.com/{number}"
        subscribe(plant.uow, "sofia", Subscription(endpoint, keys.p256dh, keys.auth))
    one_more = Subscription("https://push.example.com/x", keys.p256dh, keys.auth)
    with pytest.raises(TooManyDevices):
        subscribe(plant.uow, "sofia", one_more)
    assert len(subscriptions(plant)) == MOST_DEVICES
