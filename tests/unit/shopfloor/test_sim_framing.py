"""Frames from strangers: nothing they send costs more than a bounded amount."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shopfloor.sim.framing import MAX_REMAINDER_CHARS, Defragmenter, FrameReader
from shopfloor.sim.message_types import FieldRefused, TypeRegistry, UnknownType

REGISTRY = TypeRegistry("ros1")
NOW = 1_700_000_000.0

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.text(alphabet='{}[]":,op1 \\', max_size=30), max_size=5))
def test_no_text_breaks_the_reader_and_a_good_frame_still_works(
    texts: list[str],
) -> None:
    reader = FrameReader()
    for text in texts:
        reader.feed(text)
    operations, _ = reader.feed('{"op": "good"}')
    assert {"op": "good"} in operations


def test_a_good_frame_works_after_any_number_of_open_brackets() -> None:
    reader = FrameReader()
    reader.feed('{"op": "publish", "msg": ' + '{"a":' * 5000)
    assert reader.feed('{"op": "good"}') == ([{"op": "good"}], None)
    reader.feed("{" * 1000)
    reader.feed('x{"op": "late"}')
    assert reader.feed('x{"op": "good"}') == ([{"op": "good"}], None)


def test_endless_garbage_is_not_kept() -> None:
    reader = FrameReader()
    for _ in range(10):
        reader.feed("{" * 50_000)
    assert len(reader._remainder) <= MAX_REMAINDER_CHARS


def test_unfinished_fragments_are_not_kept_for_ever() -> None:
    fragments = Defragmenter()
    for number in range(1000):
        fragments.add({"id": number, "num": 0, "total": 2, "data": "x" * 1000})
    assert fragments._chars <= 33_000


@settings(max_examples=200, deadline=None, derandomize=True)
@given(JSON, st.sampled_from(sorted(REGISTRY.messages)))
def test_any_value_is_completed_or_refused(value: object, kind: str) -> None:
    try:
        full = REGISTRY.complete(kind, value, NOW)
    except FieldRefused:
        return
    assert set(full) == {field.name for field in REGISTRY.messages[kind]}
    assert REGISTRY.complete(kind, full, NOW).keys() == full.keys()


def test_every_field_of_every_type_is_defined() -> None:
    for dialect in ("ros1", "ros2"):
        registry = TypeRegistry(dialect)
        for kind, fields in registry.messages.items():
            optional = tuple(replace(field, required=False) for field in fields)
            registry.complete_fields(kind, optional, {}, NOW)


def test_a_field_that_must_be_given_has_no_default() -> None:
    with pytest.raises(FieldRefused, match="warehouse_msgs/MovX lacks dist"):
        REGISTRY.complete("warehouse_msgs/MovX", {"kiva_id": "1"}, NOW)


def test_a_huge_number_of_octets_is_not_made() -> None:
    with pytest.raises(FieldRefused, match="octets"):
        REGISTRY.complete("sensor_msgs/Image", {"data": 10**12}, NOW)


@pytest.mark.parametrize(
    "name", ["std_msgs/msg/String", "String", "", "a/b/c/d", "std_msgs/Nothing"]
)
def test_a_type_of_the_other_dialect_is_unknown(name: str) -> None:
    with pytest.raises(UnknownType):
        REGISTRY.canonical(name, "msg")
