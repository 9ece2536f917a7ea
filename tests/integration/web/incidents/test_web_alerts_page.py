"""Everybody says for himself what he wants to be told."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.web_incidents import House

KEYS = {"p256dh": "B" + "A" * 86, "auth": "A" * 22}
ENDPOINT = "https://push.example.com/one"


def wish(house: House) -> tuple[Any, ...]:
    ((mail, *rest),) = house.rows(
        "SELECT p.mail, w.by_mail, w.when_over, w.processes FROM people AS p"
        " LEFT JOIN alert_wishes AS w ON w.login = p.login"
    )
    return (mail, *rest)


def test_alerts_by_mail_are_switched_on_and_off(house: House) -> None:
    client = house.browser("supervisor")
    form = {
        "mail": " sofia@plant.example.com ",
        "by_mail": "1",
        "when_over": "1",
        "which": "some",
        "process": ["mixing", ""],
    }
    assert client.post("/incidents/alerts", data=form).status_code == 303
    assert wish(house) == ("sofia@plant.example.com", True, True, ["mixing", ""])
    shown = client.get("/incidents/alerts").text
    assert 'value="sofia@plant.example.com"' in shown
    assert shown.count(" checked") == 5
    client.post("/incidents/alerts", data={"mail": "", "which": "all"})
    assert wish(house) == (None, False, False, None)


@pytest.mark.parametrize(
    "address",
    ["", "nobody", "a b@x.example", "a@x.example\nBcc: b@x.example", "ä@x.example"],
)
def test_what_is_no_address_is_refused_and_shown_again(
    house: House, address: str
) -> None:
    client = house.browser("supervisor")
    answer = client.post("/incidents/alerts", data={"mail": address, "by_mail": "1"})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.text
    assert wish(house) == (None, None, None, None)


def test_a_device_is_added_and_removed(house: House) -> None:
    client = house.browser("supervisor")
    told = {"endpoint": ENDPOINT, "keys": KEYS}
    assert client.post("/incidents/alerts/device", json=told).json == {"on": True}
    assert house.rows("SELECT endpoint, login FROM push_subscriptions") == [
        (ENDPOINT, "supervisor-en")
    ]
    assert "Switched on for 1 device." in client.get("/incidents/alerts").text
    client.post("/incidents/alerts/device/remove", json={"endpoint": ENDPOINT})
    assert house.rows("SELECT * FROM push_subscriptions") == []


@pytest.mark.parametrize(
    "told",
    [
        {"endpoint": "https://10.0.0.1/x", "keys": KEYS},
        {"endpoint": "http://push.example.com/x", "keys": KEYS},
        {"endpoint": ENDPOINT, "keys": {"p256dh": "<", "auth": ""}},
        {"endpoint": ENDPOINT, "keys": None},
        {},
    ],
)
def test_addresses_that_are_no_push_service_are_refused(
    house: House, told: dict[str, Any]
) -> None:
    client = house.browser("supervisor")
    answer = client.post("/incidents/alerts/device", json=told)
    assert answer.status_code == 422
    assert answer.json["error"]
    assert house.rows("SELECT * FROM push_subscriptions") == []


def test_the_page_brings_one_key_for_all_browsers(house: House) -> None:
    client = house.browser("supervisor")
    first = client.get("/incidents/alerts").text
    key = first.partition('data-push-key="')[2].partition('"')[0]
    assert len(key) == 87
    assert key in house.browser("admin").get("/incidents/alerts").text
    assert house.rows("SELECT count(*) FROM push_keys") == [(1,)]


def test_everybody_has_a_mail_address_of_his_own(house: House) -> None:
    client = house.browser("worker")
    answer = client.post("/me/mail", data={"mail": "ana@plant.example.com"})
    assert answer.status_code == 303
    assert wish(house)[0] == "ana@plant.example.com"
    assert 'value="ana@plant.example.com"' in client.get("/me").text
    refused = client.post("/me/mail", data={"mail": "nonsense"})
    assert refused.status_code == 422
    assert wish(house)[0] == "ana@plant.example.com"
    ((actor, data),) = house.told("mail address changed")
    assert (actor, data) == ("worker-en", {"login": "worker-en"})
