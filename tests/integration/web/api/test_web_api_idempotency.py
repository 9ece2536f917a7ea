"""A request that is sent again changes nothing twice, and errors name their cause."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import psycopg2
import pytest

from tests.support.web_api import Plant

ORDER = {
    "order": "MO-2026-0815",
    "product": "Sky blue",
    "lines": [{"material": "RM-001", "amount": 12.5, "unit": "kg"}],
}


def test_the_same_key_and_body_get_the_first_answer_and_one_order(plant: Plant) -> None:
    erp = plant.program("supervisor", "erp")
    first = erp("POST", "/orders", ORDER, key="k1")
    again = erp("POST", "/orders", ORDER, key="k1")
    assert first.status_code == again.status_code == 201
    assert first.data == again.data
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Idempotency-Replayed"] == "true"
    assert plant.rows("SELECT count(*) FROM orders") == [(1,)]


def test_the_history_names_the_token(plant: Plant) -> None:
    plant.program("supervisor", "erp").post("/orders", ORDER)
    [(actor, data)] = plant.told("order accepted")
    assert (actor, data["order"]) == ("api:erp", "MO-2026-0815")


def test_the_same_key_with_another_body_is_refused(plant: Plant) -> None:
    erp = plant.program("supervisor")
    erp("POST", "/orders", ORDER, key="k1")
    other = erp("POST", "/orders", ORDER | {"order": "MO-2026-0816"}, key="k1")
    assert other.status_code == 422
    assert other.json["type"].endswith("#problem-key-reused")
    assert plant.rows("SELECT number FROM orders") == [("MO-2026-0815",)]


def test_keys_of_different_clients_do_not_meet(plant: Plant) -> None:
    one, two = plant.program("supervisor", "one"), plant.program("supervisor", "two")
    assert one("POST", "/orders", ORDER, key="k").status_code == 201
    other = two("POST", "/orders", ORDER | {"order": "MO-2026-0816"}, key="k")
    assert other.status_code == 201


def test_a_key_that_is_being_worked_on_is_told_to_wait(plant: Plant) -> None:
    erp = plant.program("supervisor")
    token_id = plant.token("supervisor").token.id
    with closing(psycopg2.connect(plant.url)) as other, other.cursor() as cursor:
        cursor.execute(
            "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", (f"{token_id} k1",)
        )
        busy = erp("POST", "/orders", ORDER, key="k1")
        assert busy.status_code == 409
        assert busy.json["type"].endswith("#problem-key-in-use")
        assert busy.headers["Retry-After"] == "1"
        other.rollback()  # a server gives up the lock of a closed connection later
    assert erp("POST", "/orders", ORDER, key="k1").status_code == 201


def test_a_request_that_failed_leaves_its_key_free(plant: Plant) -> None:
    plant.deploy()
    instance = plant.start_papers()
    erp = plant.program("supervisor")
    path = f"/instances/{instance}/resume"
    assert erp("POST", path, {}, key="k1").status_code == 409
    erp.post(f"/instances/{instance}/suspend", {"reason": "look at it"})
    assert erp("POST", path, {}, key="k1").status_code == 200


def test_the_secret_of_a_new_token_is_told_once_and_kept_nowhere(plant: Plant) -> None:
    admin = plant.program("admin")
    wish = {"name": "scanner", "role": "worker", "groups": ["mixing"], "days": 5}
    first = admin.post("/tokens", wish, key="k1")
    again = admin.post("/tokens", wish, key="k1")
    assert first["secret"].startswith("mpms_")
    assert again == first | {"secret": None}
    everything = str(plant.rows("SELECT * FROM api_tokens, api_answers"))
    assert first["secret"] not in everything
    assert plant.with_token(first["secret"]).get("/me")["login"] == "api:scanner"


@pytest.mark.parametrize("key", ["", "two words", "x" * 101, "ümlaut"])
def test_a_key_that_cannot_be_one_is_refused(plant: Plant, key: str) -> None:
    answer = plant.program("supervisor")("POST", "/orders", ORDER, key=key)
    assert answer.status_code == 422
    assert plant.rows("SELECT count(*) FROM orders") == [(0,)]


def test_an_operation_that_fails_half_way_changes_nothing(plant: Plant) -> None:
    """Deploying checks start events after it has stored the models."""
    plant.deploy()
    admin = plant.program("admin")
    bad = '<?xml version="1.0"?><definitions xmlns="urn:nothing"/>'
    answer = admin("POST", "/models/deploy", {"files": {"bad.bpmn": bad}}, key="k")
    assert answer.status_code == 422
    assert answer.json["type"].endswith("#problem-refused")
    assert plant.rows("SELECT count(*) FROM definitions") == [(1,)]
    assert plant.rows("SELECT count(*) FROM api_answers") == [(0,)]


@pytest.mark.parametrize(
    ("method", "path", "more", "status", "slug"),
    [
        ("GET", "/nothing", {}, 404, "not-found"),
        ("DELETE", "/orders", {}, 405, "method-not-allowed"),
        (
            "POST",
            "/orders",
            {"data": b"{", "content_type": "application/json"},
            400,
            "",
        ),
        ("POST", "/orders", {"data": b"a=1"}, 415, "unsupported-media-type"),
        ("POST", "/orders", {"body": {"order": 1}}, 422, "request-invalid"),
        ("POST", "/orders", {"body": ORDER | {"x": 1}}, 422, "request-invalid"),
        ("GET", "/orders?limit=0", {}, 422, "request-invalid"),
        ("GET", "/orders?typo=1", {}, 422, "request-invalid"),
        ("GET", "/orders?cursor=tampered", {}, 422, "cursor-invalid"),
        ("GET", "/orders/MO-1", {}, 404, "order-unknown"),
        ("GET", "/instances/not-a-uuid", {}, 404, "not-found"),
        ("GET", "/orders/%00", {}, 404, "not-found"),
    ],
)
def test_every_error_is_a_problem_that_names_its_cause(
    plant: Plant, method: str, path: str, more: dict[str, Any], status: int, slug: str
) -> None:
    answer = plant.program("admin")(method, path, **more)
    assert answer.status_code == status, answer.text
    assert answer.content_type == "application/problem+json"
    told = answer.json
    assert told["status"] == status
    assert told["title"]
    assert told["detail"]
    assert told["type"].startswith("/api/v1/docs#problem-")
    assert slug in told["type"]


@pytest.mark.parametrize(
    ("body", "cause"),
    [
        (b'{"order": "a", "order": "b"}', "stands twice"),
        (b'{"order": NaN}', "NaN is no number"),
        (b'{"order": "\\u0000"}', "cannot be kept"),
        (b'{"order": "\\ud800"}', "cannot be kept"),
        (b'{"order": 99999999999999999999}', "too large"),
        (b"[" * 100 + b"]" * 100, "nested too deeply"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_json_that_nobody_can_keep_is_refused(
    plant: Plant, body: bytes, cause: str
) -> None:
    answer = plant.program("admin")(
        "POST", "/orders", data=body, content_type="application/json"
    )
    assert answer.status_code == 400
    assert cause in answer.json["detail"]


def test_a_body_that_is_too_large_is_refused_unread(plant: Plant) -> None:
    answer = plant.program("admin")(
        "POST", "/orders", data=b"x" * (13 << 20), content_type="application/json"
    )
    assert answer.status_code == 413
    assert answer.content_type == "application/problem+json"


def test_an_order_is_refused_for_the_same_reasons_as_a_mail(plant: Plant) -> None:
    line = {"material": "RM-999", "amount": 1, "unit": "kg"}
    answer = plant.program("supervisor")("POST", "/orders", ORDER | {"lines": [line]})
    assert answer.status_code == 422
    assert [reason["code"] for reason in answer.json["reasons"]] == ["unknown_material"]
    assert "RM-999" in answer.json["detail"]


def test_who_guesses_tokens_must_wait_and_others_need_not(plant: Plant) -> None:
    guess = plant.with_token("mpms_wrong")
    answers = [guess("GET", "/me") for _ in range(25)]
    assert answers[0].status_code == 401
    assert answers[-1].status_code == 429
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert plant.program("viewer").get("/me")["role"] == "viewer"


def test_the_last_use_of_a_token_is_noted(plant: Plant) -> None:
    plant.program("viewer").get("/me")
    admin = plant.program("admin")
    used = {t["name"]: t["used_at"] for t in admin.get("/tokens")["items"]}
    assert used["robot-viewer"] is not None
