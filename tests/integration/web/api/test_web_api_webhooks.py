"""Webhooks to a real receiver that takes, fails, hangs, vanishes and comes back."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from mpms.adapters.webhook_post import HttpPoster
from mpms.domain.webhooks import GIVE_UP_AFTER, PostFailed, fits, wait_s
from mpms.plugins import loading
from mpms.services.webhooks.manage import add_webhook, replay_webhook, resume_webhook
from mpms.services.webhooks.tell import TellWebhooks
from tests.support.receiver import Receiver
from tests.support.web_api import Plant


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def tell(plant: Plant) -> TellWebhooks:
    return TellWebhooks(plant.uow, plant.clock, HttpPoster(private_allowed=True))


def happen(plant: Plant, *kinds: str) -> None:
    for kind in kinds:
        with plant.uow() as tx:
            tx.events.append(kind, actor="test", data={"order": "MO-1"})


def until_quiet(tell: TellWebhooks) -> None:
    while tell():
        pass


def subscribe(plant: Plant, url: str, *kinds: str) -> Any:
    return add_webhook(
        plant.uow,
        f"{url}/hook?a=1",
        kinds,
        known_kinds=loading.kinds(),
        private_allowed=True,
        by="admin",
    )


def hurry(plant: Plant) -> None:
    plant.rows("UPDATE webhook_posts SET not_before = now(), taken_at = NULL")


def test_events_arrive_in_order_and_only_those_asked_for(
    plant: Plant, receiver: Receiver, tell: TellWebhooks
) -> None:
    happen(plant, "order mail sent")
    subscribe(plant, receiver.url, "order *", "incident closed")
    happen(plant, "order accepted", "task claimed", "order status", "incident closed")
    until_quiet(tell)
    assert receiver.kinds == ["order accepted", "order status", "incident closed"]
    assert receiver.ids == sorted(receiver.ids)
    assert plant.rows("SELECT count(*) FROM webhook_posts") == [(0,)]


def test_a_receiver_can_check_the_signature(
    plant: Plant, receiver: Receiver, tell: TellWebhooks
) -> None:
    made = subscribe(plant, receiver.url, "order *")
    happen(plant, "order accepted")
    until_quiet(tell)
    ((headers, body),) = receiver.got
    key = base64.b64decode(made.secret.removeprefix("whsec_"))
    named = {name.lower(): value for name, value in headers.items()}
    signed = f"{named['webhook-id']}.{named['webhook-timestamp']}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    assert named["webhook-signature"] == f"v1,{expected}"
    assert named["webhook-id"] == str(json.loads(body)["data"]["id"])


def test_a_failing_receiver_gets_everything_later_in_order(
    plant: Plant,
    receiver: Receiver,
    tell: TellWebhooks,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mpms.services.webhooks.tell.wait_s", lambda _: 3600.0)
    made = subscribe(plant, receiver.url, "order *")
    receiver.status = 503
    happen(plant, "order accepted", "order status")
    until_quiet(tell)
    assert receiver.kinds == ["order accepted"]
    seen = plant.program("admin").get(f"/webhooks/{made.webhook.id}")
    assert seen["failures"] == 1
    assert seen["last_error"] == "answered 503"
    assert seen["waiting"] == 2
    receiver.status = 200
    hurry(plant)
    until_quiet(tell)
    assert receiver.kinds == ["order accepted", "order accepted", "order status"]
    assert len(set(receiver.ids)) == 2
    assert plant.program("admin").get(f"/webhooks/{made.webhook.id}")["failures"] == 0


def test_a_receiver_that_is_away_is_tried_again_when_it_is_back(
    plant: Plant, receiver: Receiver, tell: TellWebhooks
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}"
    made = subscribe(plant, nobody, "order *")
    happen(plant, "order accepted")
    until_quiet(tell)
    [(error,)] = plant.rows("SELECT last_error FROM webhooks")
    assert error.startswith("no connection")
    plant.program("admin")(
        "PATCH", f"/webhooks/{made.webhook.id}", {"kinds": ["order *"]}
    )
    plant.rows("UPDATE webhooks SET url = %s", receiver.url)
    hurry(plant)
    until_quiet(tell)
    assert receiver.kinds == ["order accepted"]


def test_a_receiver_that_hangs_is_cut_off_and_holds_up_nobody(
    plant: Plant, receiver: Receiver
) -> None:
    other = Receiver()
    try:
        receiver.hang.clear()
        subscribe(plant, receiver.url, "order *")
        subscribe(plant, other.url, "order *")
        happen(plant, "order accepted", "order status")
        quick = HttpPoster(private_allowed=True, limit_s=0.5)
        patient = HttpPoster(private_allowed=True, limit_s=60.0)

        def post(url: str, body: bytes, headers: dict[str, str]) -> None:
            (quick if url.startswith(receiver.url) else patient)(url, body, headers)

        until_quiet(TellWebhooks(plant.uow, plant.clock, post))
        assert other.kinds == ["order accepted", "order status"]
        errors = plant.rows("SELECT last_error FROM webhooks ORDER BY id")
        assert "0.5 seconds" in errors[0][0] or "no connection" in errors[0][0]
        assert errors[1] == (None,)
    finally:
        other.close()


def test_after_many_failures_it_is_stopped_and_an_incident_tells(
    plant: Plant, receiver: Receiver, tell: TellWebhooks
) -> None:
    made = subscribe(plant, receiver.url, "order *")
    receiver.status = 500
    happen(plant, "order accepted")
    for _ in range(GIVE_UP_AFTER):
        hurry(plant)
        until_quiet(tell)
    hurry(plant)
    until_quiet(tell)
    assert len(receiver.got) == GIVE_UP_AFTER
    [(message,)] = plant.rows("SELECT message FROM incidents WHERE kind = 'webhook'")
    assert receiver.url in message
    receiver.status, receiver.got = 200, []
    happen(plant, "order status")
    until_quiet(tell)
    assert receiver.got == []
    resume_webhook(plant.uow, made.webhook.id, by="admin")
    until_quiet(tell)
    assert receiver.kinds == ["order accepted", "order status"]


def test_a_sender_that_dies_leaves_its_post_to_the_next(
    plant: Plant, receiver: Receiver, tell: TellWebhooks
) -> None:
    subscribe(plant, receiver.url, "order *")
    happen(plant, "order accepted", "order status")
    tell._queue()
    with plant.uow() as tx:  # taken by somebody who never came back
        assert len(tx.webhooks.take(lease_s=60.0, limit=8)) == 1
    until_quiet(tell)
    assert receiver.got == []
    plant.rows("UPDATE webhook_posts SET taken_at = now() - interval '2 minutes'")
    plant.rows(
        "UPDATE webhook_posts SET taken_at = NULL WHERE id = (SELECT max(id) FROM"
        " webhook_posts)"
    )
    until_quiet(tell)
    assert receiver.kinds == ["order accepted", "order status"]


def test_a_replay_tells_everything_again_from_an_event_on(
    plant: Plant, receiver: Receiver, tell: TellWebhooks
) -> None:
    made = subscribe(plant, receiver.url, "order *")
    happen(plant, "order accepted", "order status", "order waits for release")
    until_quiet(tell)
    second = receiver.ids[1]
    receiver.got.clear()
    replay_webhook(plant.uow, made.webhook.id, second, by="admin")
    until_quiet(tell)
    assert receiver.kinds == ["order status", "order waits for release"]


def test_redirects_are_not_followed(plant: Plant, receiver: Receiver) -> None:
    receiver.status = 307
    with pytest.raises(PostFailed, match="redirects are not followed"):
        HttpPoster(private_allowed=True)(receiver.url, b"{}", {})
    assert len(receiver.got) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]"])
def test_addresses_inside_the_plant_are_refused_when_called(host: str) -> None:
    with pytest.raises(PostFailed, match="no address of the internet"):
        HttpPoster()(f"http://{host}:9/", b"{}", {})


@pytest.mark.parametrize(
    "url",
    [
        "http://erp.example.com/",
        "https://user:secret@erp.example.com/",
        "https:///path",
        "ftp://erp.example.com/",
        "https://erp.example.com/#part",
        "https://erp.example.com:99999/",
        "javascript:alert(1)",
        "https://exa mple.com/",
    ],
)
def test_addresses_that_cannot_be_called_are_refused(plant: Plant, url: str) -> None:
    answer = plant.program("admin")("POST", "/webhooks", {"url": url, "kinds": ["*"]})
    assert answer.status_code == 422
    assert answer.json["type"].endswith("#problem-webhook-invalid")


def test_a_kind_that_never_happens_is_refused_with_the_one_that_was_meant(
    plant: Plant,
) -> None:
    asked = {"url": "https://erp.example.com/hook", "kinds": ["order *", "incidnt"]}
    answer = plant.program("admin")("POST", "/webhooks", asked)
    assert answer.status_code == 422
    assert "'incidnt'; did you mean 'incident'?" in answer.json["detail"]


def test_waits_grow_and_kinds_have_wildcards() -> None:
    waits = [wait_s(n) for n in range(1, GIVE_UP_AFTER + 1)]
    assert waits == sorted(waits)
    assert waits[0] == 5.0
    assert waits[-1] == 3600.0
    assert fits(["order *"], "order status")
    assert fits(["*"], "anything")
    assert not fits(["order *"], "incident closed")
