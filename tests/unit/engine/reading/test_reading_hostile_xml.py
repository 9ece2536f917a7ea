"""Files that mean harm, and files that are no models."""

from __future__ import annotations

import tracemalloc

import pytest

from mpms.domain.errors import ModelRefused
from mpms.engine.reading import read_model

BPMN = "http://www.omg.org/spec/BPMN/20100524/MODEL"
BOMB = (
    '<?xml version="1.0"?><!DOCTYPE b [<!ENTITY a0 "ha">'
    + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 11))
    + f']><definitions xmlns="{BPMN}" name="&a10;">&a10;</definitions>'
)
EXTERNAL = (
    '<!DOCTYPE b [<!ENTITY file SYSTEM "file:///etc/passwd">]>'
    f'<definitions xmlns="{BPMN}">&file;</definitions>'
)
HARMLESS_DTD = f'<!DOCTYPE definitions><definitions xmlns="{BPMN}"/>'
PARAMETER = (
    '<!-- a --><?b c?>\n<!DOCTYPE b [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x"> %x;]>'
    f'<definitions xmlns="{BPMN}"/>'
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize(
    "text", [BOMB, EXTERNAL, HARMLESS_DTD, PARAMETER], ids=["bomb", "file", "dtd", "pe"]
)
def test_any_document_type_is_refused(text: str, encoding: str) -> None:
    text = text.replace('<?xml version="1.0"?>', "")
    with pytest.raises(ModelRefused, match="DOCTYPE"):
        read_model(text.encode(encoding))


def test_a_document_type_in_an_unusual_encoding_is_refused() -> None:
    text = f'<?xml version="1.0" encoding="IBM037"?>{HARMLESS_DTD}'
    with pytest.raises(ModelRefused):
        read_model(text.encode("cp037"))


def test_a_document_type_as_text_inside_the_model_is_no_document_type() -> None:
    text = f'<definitions xmlns="{BPMN}"><!-- <!DOCTYPE x> --><![CDATA[<!DOCTYPE x>]]>'
    assert read_model(f"{text}</definitions>".encode()).processes == ()


def test_a_file_of_50_megabytes_is_refused_without_being_parsed() -> None:
    xml = b"<a>" + b" " * 50_000_000
    tracemalloc.start()
    with pytest.raises(ModelRefused, match=r"50\.0 MB.*at most 10 MB"):
        read_model(xml)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1_000_000


def test_a_file_of_millions_of_tags_is_refused() -> None:
    with pytest.raises(ModelRefused, match="tags"):
        read_model(b"<a>" + b"<b/>" * 1_500_000 + b"</a>")


def test_a_file_of_more_steps_than_anybody_draws_is_refused() -> None:
    steps = "".join(f"<task id='t{n}'/>" for n in range(20_001))
    text = f'<definitions xmlns="{BPMN}"><process id="p">{steps}</process>'
    with pytest.raises(ModelRefused, match="20002 processes and steps"):
        read_model(f"{text}</definitions>".encode())


def test_an_element_with_thousands_of_attributes_is_refused() -> None:
    attributes = " ".join(f'a{n}="1"' for n in range(400_000))
    with pytest.raises(ModelRefused, match="more than 200 attributes"):
        read_model(f'<definitions xmlns="{BPMN}" {attributes}/>'.encode())


@pytest.mark.parametrize("depth", [101, 200, 300, 50_000])
def test_deep_nesting_is_refused(depth: int) -> None:
    with pytest.raises(ModelRefused, match="nested deeper than 100"):
        read_model(b"<a>" * depth + b"</a>" * depth)


def test_nesting_up_to_the_limit_is_read() -> None:
    inside = "<subProcess id='s{}'>"
    opened = "".join(inside.format(n) for n in range(98))
    xml = (
        f'<definitions xmlns="{BPMN}"><process id="p">{opened}'
        f"{'</subProcess>' * 98}</process></definitions>"
    )
    assert len(read_model(xml.encode()).processes[0].elements) == 98


@pytest.mark.parametrize(
    ("xml", "cause"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b"\0\0\0\0", "not readable XML"),
        (b"hello", "not readable XML"),
        (b"<a>", "not readable XML"),
        (b"\x89PNG\r\n\x1a\n", "not readable XML"),
        (b"PK\x03\x04", "not readable XML"),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', "not readable XML"),
        (b'<?xml version="1.0" encoding="utf-8"?><a>\xff</a>', "not readable XML"),
        (b"<a>&nope;</a>", "not readable XML"),
        (b"<a/>", "begins with the element 'a'"),
        (b"<definitions/>", "begins with the element 'definitions'"),
        (b'<html xmlns="http://www.w3.org/1999/xhtml"/>', "not a BPMN 2.0 file"),
        (
            b'<definitions xmlns="https://www.omg.org/spec/DMN/20191111/MODEL/"/>',
            "DMN decision file",
        ),
        (f'<process xmlns="{BPMN}"/>'.encode(), "begins with the element 'process'"),
    ],
)
def test_what_is_no_model_is_refused_with_the_cause(xml: bytes, cause: str) -> None:
    with pytest.raises(ModelRefused, match=cause):
        read_model(xml)
