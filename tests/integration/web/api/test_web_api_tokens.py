"""What a token is for, how often it may ask, and that it ends with its owner."""

from __future__ import annotations

from mpms.domain.people.people import Role
from mpms.ports.api import ApiToken
from mpms.services.api.manage_tokens import add_token
from mpms.services.people.change_secret import set_active
from tests.support.web_api import Plant


def made(plant: Plant, name: str, **more: object) -> str:
    token = add_token(plant.uow, plant.clock, name, Role.ADMIN, by="test", **more)  # type: ignore[arg-type]
    return token.secret


def test_a_token_opens_only_the_sections_that_it_is_for(plant: Plant) -> None:
    plant.deploy()
    reader = plant.with_token(made(plant, "reader", scopes=["instances:read"]))
    assert reader("GET", "/instances").status_code == 200
    refused = reader("POST", "/instances", json={"process": "papers"})
    assert refused.status_code == 403
    assert "instances:read" in refused.json["detail"]
    assert reader("GET", "/people").status_code == 403
    assert reader("GET", "/me").status_code == 403
    doors = plant.with_token(made(plant, "doors", scopes=["workers"]))
    assert doors("GET", "/instances").status_code == 403
    everything = plant.with_token(made(plant, "everything"))
    assert everything("GET", "/people").status_code == 200


def test_the_doors_of_workers_are_a_section_of_their_own(plant: Plant) -> None:
    for scopes, status in ((["workers"], 200), (["instances"], 403)):
        secret = made(plant, f"for-{scopes[0]}", scopes=scopes)
        got = plant.visitor().get(
            "/engine-rest/engine", headers={"Authorization": f"Bearer {secret}"}
        )
        assert got.status_code == status, got.text


def test_a_scope_that_there_is_not_is_named(plant: Plant) -> None:
    admin = plant.program(Role.ADMIN)
    body = {"name": "erp", "role": "viewer", "scopes": ["instanzen"]}
    refused = admin("POST", "/tokens", json=body)
    assert refused.status_code == 422
    assert "no section instanzen" in refused.json["detail"]
    assert "instances" in refused.json["detail"]
    body["scopes"] = ["instances:read"]
    told = admin("POST", "/tokens", json=body | {"per_minute": 30}).json
    assert (told["scopes"], told["per_minute"]) == (["instances:read"], 30)


def test_a_token_that_asks_too_often_waits(plant: Plant) -> None:
    busy = plant.with_token(made(plant, "busy", per_minute=3))
    other = plant.with_token(made(plant, "other", per_minute=3))
    statuses = [busy("GET", "/me").status_code for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    assert int(busy("GET", "/me").headers["Retry-After"]) <= 20
    assert other("GET", "/me").status_code == 200


def test_a_token_ends_when_its_owner_leaves(plant: Plant) -> None:
    plant.person("ada", Role.SUPERVISOR)
    hers = plant.with_token(made(plant, "hers", owner="ada"))
    nobodys = plant.with_token(made(plant, "nobodys"))
    assert hers("GET", "/me").status_code == 200
    set_active(plant.uow, "ada", False, by="test")
    assert hers("GET", "/me").status_code == 401
    assert nobodys("GET", "/me").status_code == 200
    set_active(plant.uow, "ada", True, by="test")
    assert hers("GET", "/me").status_code == 401, "it does not come back"
    assert plant.rows(
        "SELECT data ->> 'token' FROM events WHERE kind = 'token revoked'"
    ) == [("hers",)]


def test_who_makes_a_token_on_the_page_owns_it(plant: Plant) -> None:
    admin = plant.browser(Role.ADMIN)
    form = {"name": "erp", "role": "viewer", "days": "9", "scopes": "People:read, "}
    page = admin.post("/tokens", data=form).text
    assert "people:read" in page
    assert plant.rows("SELECT owner, scopes FROM api_tokens") == [
        ("admin-en", ["people:read"])
    ]
    for wrong in ({"scopes": "persons"}, {"per_minute": "many"}):
        refused = admin.post("/tokens", data=form | {"name": "crm"} | wrong)
        assert refused.status_code == 422, wrong
    assert isinstance(plant.token("viewer").token, ApiToken)
