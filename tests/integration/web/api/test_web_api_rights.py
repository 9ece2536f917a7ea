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

from mpms.domain.people.people import Role
from mpms.plugins import loading
from mpms.web.api import operations, sections
from mpms.web.api.openapi import document
from mpms.web.api.operation import Operation
from mpms.web.rights import knows_tokens, roles_of
from tests.support.databases import Databases
from tests.support.web_api import Plant

SECTIONS = sections(loading.loaded())
OPERATIONS = operations(SECTIONS)
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
def test_a_token_opens_what_its_role_may_do_and_nothing_else(
    plant: Plant, role: Role
) -> None:
    ask = plant.program(role)
    wrong: dict[str, str] = {}
    for one in OPERATIONS:
        answer = ask(one.method, address(one), body_of(one))
        if role in one.roles:
            right = answer.status_code not in (401, 403) and answer.status_code < 500
        else:
            right = (
                answer.status_code == 403
                and answer.json["type"].endswith("#problem-forbidden")
                and str(role) in answer.json["detail"]
            )
        if not right:
            wrong[name_of(one)] = f"{answer.status}: {answer.text}"
    assert wrong == {}


@pytest.mark.parametrize("kind", ["none", "unknown", "expired", "revoked"])
def test_without_a_good_token_nothing_opens(plant: Plant, kind: str) -> None:
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
    ask = plant.with_token(secret)
    told = kind if kind in ("expired", "revoked") else ""
    wrong: dict[str, str] = {}
    for one in OPERATIONS:
        plant.rows("TRUNCATE sign_in_attempts")
        answer = ask(one.method, address(one), body_of(one))
        right = (
            answer.status_code == 401
            and answer.content_type == "application/problem+json"
            and answer.headers["WWW-Authenticate"].startswith("Bearer")
            and told in answer.json["detail"]
        )
        if not right:
            wrong[name_of(one)] = f"{answer.status}: {answer.text}"
    assert wrong == {}


@pytest.mark.parametrize("role", list(Role))
def test_a_signed_in_browser_may_read_and_never_write(plant: Plant, role: Role) -> None:
    browser = plant.browser(role)
    wrong: dict[str, str] = {}
    for one in OPERATIONS:
        answer = browser.open(
            "/api/v1" + address(one), method=one.method, json=body_of(one)
        )
        if one.writes:
            right = answer.status_code == 401
        elif role in one.roles:
            right = answer.status_code not in (401, 403) and answer.status_code < 500
        else:
            right = answer.status_code == 403
        if not right:
            wrong[name_of(one)] = f"{answer.status}: {answer.text}"
    assert wrong == {}
