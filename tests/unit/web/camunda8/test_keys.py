"""Keys of Camunda 8: numbers that say what they are the key of."""

from __future__ import annotations

from itertools import product

import pytest

from mpms.web.camunda8.keys import (
    KINDS,
    KeyUnknown,
    Kind,
    key_of,
    number_in,
    numbers_in,
    split,
)

LARGEST_ROW = (1 << 63) // KINDS - 1


@pytest.mark.parametrize("number", [1, 99, 100, 12_345, LARGEST_ROW])
def test_a_key_leads_back_to_its_row(number: int) -> None:
    for kind in Kind:
        key = key_of(kind, number)
        assert int(key) < 1 << 63
        assert split(key) == (kind, number)
        assert number_in(kind, key) == number


def test_no_two_things_have_the_same_key() -> None:
    pairs = list(product(Kind, range(1, 300)))
    assert len({key_of(kind, number) for kind, number in pairs}) == len(pairs)


@pytest.mark.parametrize(
    "key", ["", "x", "-111", "1e3", "9" * 19, "9" * 30, "١١١", "112", " 111"]
)
def test_what_is_no_key_of_an_instance_is_none(key: str) -> None:
    with pytest.raises(KeyUnknown, match="instance"):
        number_in(Kind.INSTANCE, key)
    assert numbers_in(Kind.INSTANCE, (key, "711")) == (0, 7)
