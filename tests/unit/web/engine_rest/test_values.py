"""Typed values of Camunda 7: what comes in, what goes out, what is refused."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from mpms.web.engine_rest.errors import RequestInvalid
from mpms.web.engine_rest.value_types import READERS
from mpms.web.engine_rest.values import (
    content_of,
    date_text,
    read,
    read_all,
    write,
    write_all,
)

AS_JSON = {"serializationDataFormat": "application/json", "objectTypeName": "a.B"}
PDF = {"filename": "a.pdf", "mimeType": "application/pdf", "encoding": "utf-8"}
# type, value, valueInfo -> ours
COMES_IN: list[tuple[str | None, Any, dict[str, Any], Any]] = [
    ("String", "paint", {}, "paint"),
    ("String", "", {}, ""),
    ("string", "Größe", {"transient": True}, "Größe"),
    ("Integer", 7, {}, 7),
    ("integer", -(2**31), {}, -(2**31)),
    ("Short", 32767, {}, 32767),
    ("Long", 2**63 - 1, {}, 2**63 - 1),
    ("Double", 1.5, {}, 1.5),
    ("double", 2, {}, 2.0),
    ("Boolean", False, {}, False),
    ("Null", None, {}, None),
    ("null", None, {}, None),
    ("Integer", None, {}, None),
    ("Date", "2026-11-18T10:00:00.000+0000", {}, "2026-11-18T10:00:00.000+00:00"),
    ("date", "2026-11-18T10:00:00.123+0130", {}, "2026-11-18T10:00:00.123+01:30"),
    ("Json", '{"a": [1, null]}', {}, {"a": [1, None]}),
    ("json", "[]", {}, []),
    ("Object", '["x"]', AS_JSON, ["x"]),
    ("Bytes", "AAEC", {}, {"camunda:type": "Bytes", "content": "AAEC"}),
    ("File", "AAEC", PDF, {"camunda:type": "File", **PDF, "content": "AAEC"}),
    (None, 3, {}, 3),
    (None, ["a"], {}, ["a"]),
]
# ours -> type, value, valueInfo
GOES_OUT: list[tuple[Any, str, Any, dict[str, Any]]] = [
    ("paint", "String", "paint", {}),
    ("2026-11-18T10:00:00", "String", "2026-11-18T10:00:00", {}),
    ("2026-11-18T10:00:00.5+00:00", "String", "2026-11-18T10:00:00.5+00:00", {}),
    ("2026-11-18T10:00:00.000+00:00", "Date", "2026-11-18T10:00:00.000+0000", {}),
    (7, "Integer", 7, {}),
    (2**31 - 1, "Integer", 2**31 - 1, {}),
    (2**31, "Long", 2**31, {}),
    (2**63, "Json", str(2**63), {}),
    (0.5, "Double", 0.5, {}),
    (True, "Boolean", True, {}),
    (None, "Null", None, {}),
    ({"ö": [1, None]}, "Json", '{"ö": [1, null]}', {}),
    ([], "Json", "[]", {}),
    ({"camunda:type": "Bytes", "content": "AAEC"}, "Bytes", "AAEC", {}),
    ({"camunda:type": "File", **PDF, "content": "AAEC"}, "File", None, PDF),
    ({"camunda:type": "Robot"}, "Json", '{"camunda:type": "Robot"}', {}),
]
REFUSED: list[tuple[str, Any, dict[str, Any], str]] = [
    ("Integer", "7", {}, "'v' is no Integer: it is not a whole number"),
    ("Integer", 1.5, {}, "it is not a whole number"),
    ("Integer", True, {}, "it is not a whole number"),
    ("Integer", 2**31, {}, "it has more than 32 bits"),
    ("Short", 2**15, {}, "it has more than 16 bits"),
    ("Long", 2**63, {}, "it has more than 64 bits"),
    ("Double", "1.5", {}, "it is not a number"),
    ("Double", 10**400, {}, "it is not finite"),
    ("Boolean", "true", {}, "it is neither true nor false"),
    ("String", 1, {}, "it is not text"),
    ("Null", 1, {}, "it has a value"),
    ("Date", "tomorrow", {}, "dates are written 2026-11-18T10:00:00.000+0000"),
    ("Json", "{", {}, "its text is not JSON"),
    ("Json", "NaN", {}, "its text is not JSON"),
    ("Json", {"a": 1}, {}, "it is not text"),
    ("Json", '"\\u0000"', {}, "its text is not JSON that can be read"),
    ("Object", "rO0ABQ==", {}, "only objects written as application/json"),
    ("Bytes", "not base64", {}, "its content is not base64"),
    ("File", "AAEC", {}, "a file needs a filename"),
    ("Xml", "<a/>", {}, "has the type 'Xml', which cannot be kept here"),
    ("Robot", 1, {}, "these can: String, Short, Integer"),
]


@pytest.mark.parametrize(("kind", "value", "info", "ours"), COMES_IN)
def test_a_typed_value_becomes_a_variable(
    kind: str | None, value: Any, info: dict[str, Any], ours: Any
) -> None:
    got = read("v", {"value": value, "type": kind, "valueInfo": info})
    assert got == ours
    assert type(got) is type(ours)


@pytest.mark.parametrize(("ours", "kind", "value", "info"), GOES_OUT)
def test_a_variable_becomes_a_typed_value(
    ours: Any, kind: str, value: Any, info: dict[str, Any]
) -> None:
    assert write(ours) == {"value": value, "type": kind, "valueInfo": info}


@pytest.mark.parametrize(("kind", "value", "info", "words"), REFUSED)
def test_what_does_not_fit_its_type_is_refused_with_a_sentence(
    kind: str, value: Any, info: dict[str, Any], words: str
) -> None:
    with pytest.raises(RequestInvalid) as refused:
        read("v", {"value": value, "type": kind, "valueInfo": info})
    assert words in str(refused.value)
    assert "'v'" in str(refused.value)


def test_every_type_is_tried() -> None:
    assert {str(kind).lower() for kind, *_ in COMES_IN if kind} == set(READERS)


def test_what_goes_out_comes_in_again() -> None:
    """But for files, whose content is fetched by itself, and numbers that no JSON of
    ours may hold."""
    for ours, kind, *_ in GOES_OUT:
        if kind != "File" and ours != 2**63:
            assert read("v", write(ours)) == ours


def test_variables_are_read_and_written_by_name() -> None:
    given = {"a": {"value": 1, "type": "Integer"}, "b": {"value": None}}
    assert read_all(given) == {"a": 1, "b": None}
    assert read_all(None) == {}
    assert write_all({"a": 1})["a"]["type"] == "Integer"
    with pytest.raises(RequestInvalid, match="The variable 'a' in 'localVariables'"):
        read_all({"a": 1}, "localVariables")


def test_files_and_bytes_have_content_and_other_values_have_none() -> None:
    file = read("v", {"type": "File", "value": "AAEC", "valueInfo": PDF})
    assert content_of(file) == (b"\0\1\2", "application/pdf")
    some = read("v", {"type": "Bytes", "value": "AAEC"})
    assert content_of(some) == (b"\0\1\2", "application/octet-stream")
    for other in ("AAEC", {"content": "AAEC"}, {"camunda:type": "Bytes", "content": 1}):
        assert content_of(other) is None


def test_instants_are_written_with_milliseconds_and_an_offset() -> None:
    at = datetime(2026, 11, 18, 10, 0, 0, 123_456, UTC)
    assert date_text(at) == "2026-11-18T10:00:00.123+0000"
    assert date_text(None) is None
