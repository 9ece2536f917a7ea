"""Every operation with every role and every kind of token, from the generated list.

A new operation is tested without a line here; a route that is no operation, or one
without a rule, fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from openapi_spec_validator import validate

from mpms.domain.people import Role
from mpms.web.api import OPERATIONS, SECTIONS
from mpms.web.api.openapi import document
from mpms.web.api.operation import Operation
from mpms.web.rights import knows_tokens, roles_of
from tests.support.databases import Databases
from tests.support.web_api import Plant

NOBODY = str(UUID(int=7))
BESIDE_OPERATIONS = {"api.openapi", "api.docs"}


@pytest.fixture(scope="module")
def plant(databases: Databases) -> Iterator[Plant]:
    """One plant for all: nothing here changes anything that another test sees."""
    with databases.lent() as url, Plant(url) as plant:
        yield plant


def address(one: Operation) -> str:
    """Of something that is not there, but could be."""
    path = one.path
    for name, adapter in one.in_path.items():
        schema = adapter.json_schema()
        value = {"integer": "999999999"}.get(schema.get("type", ""), "nobody")
        if schema.get("format") == "uuid":
            value = NOBODY
        path = path.replace(f"{{{name}}}", value)
    return path


def body_of(one: Operation) -> Any:
    return None if one.body is None else {}


def name_of(one: Operation) -> str:
    return f"{one.method} {one.path}"


def test_the_document_is_valid_openapi_3_1() -> None:
    made = document(SECTIONS)
    validate(made)
    assert made["openapi"].startswith("3.1")


def test_every_operation_is_described_in_full() -> None:
    made = document(SECTIONS)
    names = []
    for path, methods in made["paths"].items():
        for method, told in methods.items():
            names.append(told["operationId"])
            assert told["summary"], (method, path)
            assert told["x-roles"], (method, path)
            assert {"401", "403", "503"} <= set(told["responses"]), (method, path)
            for parameter in told["parameters"]:
                assert parameter["schema"], (method, path, parameter)
    assert len(names) == len(set(names)) == len(OPERATIONS) > 80


def test_every_route_below_the_api_is_an_operation_with_a_rule(plant: Plant) -> None:
    known = {f"api.{one.tag.lower()}_{one.name}": one for one in OPERATIONS}
    routes = {
        rule.endpoint
        for rule in plant.app().url_map.iter_rules()
        if "/api/" in rule.rule
    }
    assert routes == set(known) | BESIDE_OPERATIONS
    for endpoint in routes:
        assert roles_of(plant.app(), endpoint), endpoint
        if endpoint in known:
            assert knows_tokens(plant.app(), endpoint)
            assert roles_of(plant.app(), endpoint) == known[endpoint].roles


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("one", OPERATIONS, ids=name_of)
def test_a_token_opens_what_its_role_may_do_and_nothing_else(
    plant: Plant, one: Operation, role: Role
) -> None:
    answer = plant.program(role)(one.method, address(one), body_of(one))
    if role in one.roles:
        assert answer.status_code not in (401, 403), answer.text
        assert answer.status_code < 500, answer.text
    else:
        assert answer.status_code == 403
        assert answer.json["type"].endswith("#problem-forbidden")
        assert str(role) in answer.json["detail"]


@pytest.mark.parametrize("kind", ["none", "unknown", "expired", "revoked"])
@pytest.mark.parametrize("one", OPERATIONS, ids=name_of)
def test_without_a_good_token_nothing_opens(
    plant: Plant, one: Operation, kind: str
) -> None:
    plant.rows("TRUNCATE sign_in_attempts")
    secret = None
    if kind == "unknown":
        secret = "mpms_a-token-of-nobody"
    elif kind != "none":
        made = plant.token(Role.ADMIN, f"an-{kind}-one")
        secret = made.secret
        column = "expires_at" if kind == "expired" else "revoked_at"
        plant.rows(
            f"UPDATE api_tokens SET {column} = now() - interval '1 hour' WHERE id = %s",
            made.token.id,
        )
    answer = plant.with_token(secret)(one.method, address(one), body_of(one))
    assert answer.status_code == 401, answer.text
    assert answer.content_type == "application/problem+json"
    assert answer.headers["WWW-Authenticate"].startswith("Bearer")
    if kind in ("expired", "revoked"):
        assert kind in answer.json["detail"]


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("one", OPERATIONS, ids=name_of)
def test_a_signed_in_browser_may_read_and_never_write(
    plant: Plant, one: Operation, role: Role
) -> None:
    answer = plant.browser(role).open(
        "/api/v1" + address(one), method=one.method, json=body_of(one)
    )
    if one.writes:
        assert answer.status_code == 401, answer.text
    elif role in one.roles:
        assert answer.status_code not in (401, 403), answer.text
        assert answer.status_code < 500, answer.text
    else:
        assert answer.status_code == 403
