"""The API's document as a page that people can read, search and copy from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mpms.web.site.problems import known_causes, sentence_of, slug_of

DEEPEST = 6


@dataclass(frozen=True)
class FieldRow:
    """One parameter or field of a body."""

    name: str
    where: str  # path, query, header, body
    kind: str
    required: bool
    words: str


@dataclass(frozen=True)
class OperationCard:
    id: str
    method: str
    path: str
    summary: str
    words: str
    roles: Sequence[str]
    fields: Sequence[FieldRow]
    curl: str
    body: str  # a sample of what is sent, as JSON; empty: nothing is
    answers: Sequence[tuple[str, str]]
    example: str

    @property
    def haystack(self) -> str:
        """What a search looks at."""
        names = " ".join(row.name for row in self.fields)
        told = (self.method, self.path, self.summary, self.words, names, *self.roles)
        return " ".join(told).lower()


@dataclass(frozen=True)
class SectionCard:
    tag: str
    words: str
    operations: Sequence[OperationCard]


@dataclass(frozen=True)
class CauseRow:
    slug: str
    words: str


def section_cards(document: Mapping[str, Any], address: str) -> list[SectionCard]:
    schemas = document["components"]["schemas"]
    base = address.rstrip("/") + document["servers"][0]["url"]
    cards: dict[str, list[OperationCard]] = {t["name"]: [] for t in document["tags"]}
    for path, methods in document["paths"].items():
        for method, told in methods.items():
            cards[told["tags"][0]].append(_card(path, method, told, schemas, base))
    return [
        SectionCard(tag["name"], tag["description"], cards[tag["name"]])
        for tag in document["tags"]
    ]


def cause_rows() -> list[CauseRow]:
    """Every cause that a problem may name; its type leads here."""
    found = {slug_of(kind): sentence_of(kind) for kind in known_causes()}
    return [CauseRow(slug, found[slug]) for slug in sorted(found)]


def _card(
    path: str,
    method: str,
    told: Mapping[str, Any],
    schemas: Mapping[str, Any],
    base: str,
) -> OperationCard:
    body, sample = _body(told, schemas)
    rows = [
        FieldRow(
            parameter["name"],
            parameter["in"],
            _kind(parameter["schema"], schemas),
            parameter["required"],
            parameter["description"],
        )
        for parameter in told["parameters"]
    ]
    return OperationCard(
        told["operationId"],
        method.upper(),
        path,
        told["summary"],
        told["description"],
        told["x-roles"],
        rows + body,
        _curl(base + path, method.upper(), sample),
        "" if sample is None else json.dumps(sample, ensure_ascii=False, indent=2),
        [(status, one["description"]) for status, one in told["responses"].items()],
        _example(told, schemas),
    )


def _body(
    told: Mapping[str, Any], schemas: Mapping[str, Any]
) -> tuple[list[FieldRow], Any]:
    if "requestBody" not in told:
        return [], None
    content = told["requestBody"]["content"]["application/json"]
    schema = _resolved(content["schema"], schemas)
    required = set(schema.get("required", ()))
    rows = [
        FieldRow(
            name,
            "body",
            _kind(field, schemas),
            name in required,
            field.get("description", ""),
        )
        for name, field in schema.get("properties", {}).items()
    ]
    needed = {
        name: _sample(field, schemas, 0)
        for name, field in schema.get("properties", {}).items()
        if name in required
    }
    return rows, content.get("example", needed)


def _curl(url: str, method: str, sample: Any) -> str:
    lines = [f"curl -X {method} '{url}'", '  -H "Authorization: Bearer $MPMS_TOKEN"']
    if method != "GET":
        lines.append('  -H "Idempotency-Key: $(uuidgen)"')
    if sample is not None:
        lines.append("  -H 'Content-Type: application/json'")
        written = json.dumps(sample, ensure_ascii=False).replace("'", "'\\''")
        lines.append(f"  -d '{written}'")
    return " \\\n".join(lines)


def _example(told: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    """What a good answer looks like."""
    _, good = next(iter(told["responses"].items()))
    content = good.get("content", {}).get("application/json")
    if content is None:
        return ""
    made = _sample(content["schema"], schemas, 0)
    return json.dumps(made, indent=2, ensure_ascii=False)


def _resolved(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> Any:
    if "$ref" in schema:
        return schemas[schema["$ref"].rpartition("/")[2]]
    return schema


def _kind(schema: Mapping[str, Any], schemas: Mapping[str, Any]) -> str:
    found = _resolved(schema, schemas)
    if "anyOf" in found:
        return " or ".join(dict.fromkeys(_kind(one, schemas) for one in found["anyOf"]))
    if "enum" in found:
        return " | ".join(map(str, found["enum"]))
    if found.get("type") == "array":
        return f"list of {_kind(found.get('items', {}), schemas)}"
    return str(found.get("format") or found.get("type") or "anything")


_SAMPLES: Mapping[str, Any] = {
    "string": "text",
    "integer": 1,
    "number": 1.5,
    "boolean": True,
    "null": None,
}
_FORMATS = {
    "date-time": "2026-01-31T08:00:00Z",
    "date": "2026-01-31",
    "uuid": "3f8c9a3e-5f0b-4a52-9b1d-0a4c2f1e7d11",
}


def _sample(schema: Mapping[str, Any], schemas: Mapping[str, Any], depth: int) -> Any:
    found = _resolved(schema, schemas)
    if "anyOf" in found:
        return _sample(found["anyOf"][0], schemas, depth)
    if "enum" in found:
        return found["enum"][0]
    kind = found.get("type")
    if kind == "array":
        if "prefixItems" in found:
            return [_sample(one, schemas, depth + 1) for one in found["prefixItems"]]
        items = found.get("items", {})
        return [] if depth > DEEPEST else [_sample(items, schemas, depth + 1)]
    if kind == "object":
        if depth > DEEPEST:
            return {}
        return {
            name: _sample(field, schemas, depth + 1)
            for name, field in found.get("properties", {}).items()
        }
    return _FORMATS.get(str(found.get("format"))) or _SAMPLES.get(str(kind))
