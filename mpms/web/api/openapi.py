"""The OpenAPI 3.1 document, made from the operations themselves."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

from mpms.web.api.operation import Operation, Section, Shape
from mpms.web.api.tables import CSV
from mpms.web.site.problems import API, MEDIA_TYPE

REF = "#/components/schemas/{model}"
STATUS_WORDS = {
    200: "Done.",
    201: "Made.",
    202: "Taken; it is done later.",
    204: "Done; there is nothing more to tell.",
    400: "The body cannot be read.",
    401: "The token is missing, unknown, expired or revoked.",
    403: "The role of the caller does not include this.",
    404: "There is no such thing.",
    409: "Something else is in the way: try again, or look at what has changed.",
    413: "The body is too large.",
    415: "The body is not application/json.",
    422: "The request is understood and cannot be done as it is.",
    429: "Too many wrong tokens came from this address.",
    502: "A server that is needed for this did not do its part.",
    503: "The database does not answer; nothing is lost.",
}
ABOUT = (
    "Everything that the pages of MPMS do. Programs send a token in the header"
    " `Authorization: Bearer TOKEN`; people who are signed in may read in their"
    " browser. Requests that change something take an `Idempotency-Key`: sent again"
    " with the same key, they are answered as the first time and nothing happens"
    " twice. Every list is also given as CSV to who asks with `Accept: text/csv`."
    " Every error is `application/problem+json` and names its cause."
)


class Problem(Shape):
    """RFC 9457; `errors` name fields, `reasons` what stands in the way."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[dict[str, Any]] | None = None
    reasons: list[Any] | None = None


def document(sections: Iterable[Section]) -> dict[str, Any]:
    found = list(sections)
    operations = [one for section in found for one in section.operations]
    refs, schemas = _schemas(operations)
    paths: dict[str, dict[str, Any]] = {}
    for one in operations:
        paths.setdefault(one.path, {})[one.method.lower()] = _described(one, refs)
    return {
        "openapi": "3.1.0",
        "info": {"title": "MPMS", "version": version("mpms"), "description": ABOUT},
        "servers": [{"url": API}],
        "tags": [{"name": each.tag, "description": each.about} for each in found],
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "mpms_session"},
            },
        },
    }


Refs = dict[Any, dict[str, Any]]  # by (model, validation or serialization)


def _schemas(operations: Iterable[Operation]) -> tuple[Refs, dict[str, Any]]:
    models: dict[tuple[type[BaseModel], Any], None] = {(Problem, "serialization"): None}
    for one in operations:
        if one.body is not None:
            models[(one.body, "validation")] = None
        if one.answer is not None:
            models[(one.answer, "serialization")] = None
    refs, defined = models_json_schema(list(models), ref_template=REF)
    return dict(refs), defined.get("$defs", {})


def _described(one: Operation, refs: Refs) -> dict[str, Any]:
    who = ", ".join(sorted(one.roles))
    described: dict[str, Any] = {
        "operationId": f"{one.tag.lower()}_{one.name}",
        "tags": [one.tag],
        "summary": one.summary,
        "description": " ".join(filter(None, (one.description, f"Roles: {who}."))),
        "security": [{"token": []}] + ([] if one.writes else [{"session": []}]),
        "x-roles": sorted(one.roles),
        "parameters": [*_in_path(one), *_in_query(one), *_headers(one)],
        "responses": {str(one.status): _success(one, refs)}
        | {str(status): _problem(status, refs) for status in one.problems},
    }
    if one.body is not None:
        content: dict[str, Any] = {"schema": refs[(one.body, "validation")]}
        if one.example:
            content["example"] = dict(one.example)
        described["requestBody"] = {
            "required": any(f.is_required() for f in one.body.model_fields.values()),
            "content": {"application/json": content},
        }
    return described


def _in_path(one: Operation) -> list[dict[str, Any]]:
    found = []
    for name, adapter in one.in_path.items():
        schema = adapter.json_schema()
        words = schema.pop("description", "")
        found.append(
            {
                "name": name,
                "in": "path",
                "required": True,
                "description": words,
                "schema": schema,
            }
        )
    return found


def _in_query(one: Operation) -> list[dict[str, Any]]:
    if one.query is None:
        return []
    whole = one.query.model_json_schema(ref_template=REF)
    defined = whole.get("$defs", {})
    required = set(whole.get("required", ()))
    found = []
    for name, schema in whole.get("properties", {}).items():
        plain = _plain(schema, defined)
        words = plain.pop("description", "")
        found.append(
            {
                "name": name,
                "in": "query",
                "required": name in required,
                "description": words,
                "schema": plain,
            }
        )
    return found


def _plain(schema: dict[str, Any], defined: dict[str, Any]) -> dict[str, Any]:
    """In an address nothing can be null: what is not meant is left out."""
    plain = dict(schema)
    if plain.get("default", 0) is None:
        del plain["default"]
    plain.pop("title", None)
    if "$ref" in plain:
        return {**defined[plain.pop("$ref").rpartition("/")[2]], **plain}
    if "items" in plain:
        plain["items"] = _plain(plain["items"], defined)
    if "anyOf" in plain:
        (only,) = [each for each in plain.pop("anyOf") if each.get("type") != "null"]
        plain = {**_plain(only, defined), **plain}
    return plain


def _headers(one: Operation) -> list[dict[str, Any]]:
    if not one.writes:
        return []
    return [
        {
            "name": "Idempotency-Key",
            "in": "header",
            "required": False,
            "description": "Sent again with the same key and body, the request is"
            " answered as the first time. Remembered for a day.",
            "schema": {"type": "string", "pattern": "^[!-~]{1,100}$"},
        }
    ]


def _success(one: Operation, refs: Refs) -> dict[str, Any]:
    told: dict[str, Any] = {"description": STATUS_WORDS[one.status]}
    if one.answer is not None:
        schema = refs[(one.answer, "serialization")]
        told["content"] = {"application/json": {"schema": schema}}
        if one.row is not None:
            told["content"][CSV] = {"schema": {"type": "string"}}
            told["headers"] = {"Link": _NEXT}
    elif one.files:
        told["content"] = {
            kind: {"schema": {"type": "string", "contentMediaType": kind}}
            for kind in one.files
        }
    if one.writes:
        told["headers"] = {
            "Idempotency-Replayed": {
                "description": "`true`: this is the first answer again.",
                "schema": {"type": "string", "enum": ["true"]},
            }
        }
    return told


_NEXT = {
    "description": "Of a page of CSV: where the following one is.",
    "schema": {"type": "string"},
}


def _problem(status: int, refs: Refs) -> dict[str, Any]:
    schema = refs[(Problem, "serialization")]
    return {
        "description": STATUS_WORDS[status],
        "content": {MEDIA_TYPE: {"schema": schema}},
    }
