"""Storage: reservations, package detectors, and one message for each change."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fleet.storage import Storage
from tests.support.warehouses import shipped


@pytest.fixture
def storage() -> Storage:
    return Storage(shipped("warehouse_small"))


@pytest.mark.covers("W33", "W37", "W48")
def test_a_package_is_stored_only_after_its_detector_has_seen_it(
    storage: Storage,
) -> None:
    assert storage.new_input("in_1", "N-1", "pallet")
    assert "in_1" not in storage.information().free_input
    assert storage.take_demands() == []
    [demand] = storage.detect("in_1", True)
    assert (demand.store, demand.place, demand.package) == (True, "in_1", "N-1")
    assert demand.package_type == "pallet"
    assert storage.detect("in_1", True) == []


@pytest.mark.parametrize(
    ("place", "package", "kind"),
    [
        ("in_9", "N-1", "pallet"),
        ("A1", "N-1", "pallet"),
        ("in_1", "N-1", "barrel"),
        ("in_1", "P-1", "small_box"),  # there already
    ],
)
def test_an_input_that_cannot_be_is_refused_and_nothing_changes(
    storage: Storage, place: str, package: str, kind: str
) -> None:
    before = storage.to_dict()
    assert not storage.new_input(place, package, kind)
    assert storage.to_dict() == before
    assert storage.published == []


@pytest.mark.covers("W34", "W38", "W49")
def test_a_demand_without_stock_is_held_back_until_there_is_some(
    storage: Storage,
) -> None:
    for place in storage.stock()["pallet"]:
        storage.reserve(place)
    assert storage.new_output("out_1", "pallet")
    assert "out_1" not in storage.information().free_output
    assert storage.take_demands() == []
    storage.end_reservation("B2")
    [demand] = storage.take_demands()
    assert (demand.store, demand.place, demand.package_type) == (
        *(False, "out_1"),
        "pallet",
    )
    assert storage.take_demands() == []


@pytest.mark.covers("W40", "W41", "W45")
def test_a_reserved_place_is_not_free_until_the_reservation_ends(
    storage: Storage,
) -> None:
    assert "A2" in storage.information().free_storage
    assert storage.reserve("A2")
    assert not storage.reserve("A2")
    assert "A2" not in storage.information().free_storage
    assert storage.end_reservation("A2")
    assert not storage.end_reservation("A2")
    assert "A2" in storage.information().free_storage


@pytest.mark.covers("W39", "W42", "W43", "W44", "W46", "W47")
def test_each_change_is_told_once_and_equals_what_one_asks_for(
    storage: Storage,
) -> None:
    def unload(place: str, package: str) -> None:
        storage.expect_in(place, package, "pallet")
        storage.detect(place, True)

    def load(place: str) -> None:
        storage.expect_out(place)
        storage.detect(place, False)

    changes: list[Callable[[], object]] = [
        lambda: storage.new_input("in_1", "N-1", "pallet"),
        lambda: storage.detect("in_1", True),
        lambda: storage.reserve("A2"),
        lambda: load("in_1"),
        lambda: unload("A2", "N-1"),
        lambda: storage.end_reservation("A2"),
        lambda: storage.new_output("out_1", "pallet"),
        lambda: unload("out_1", "P-3"),
    ]
    for number, change in enumerate(changes, start=1):
        change()
        assert len(storage.published) == number
        assert storage.published[-1] == storage.information()
    last = storage.published[-1]
    assert last.free_input == ("in_1", "in_2")
    assert (last.free_output, last.full_output) == (("out_2",), ("out_1",))
    assert ("A2", "N-1", "pallet") in last.stored_packages
    storage.detect("A2", True)
    assert not storage.reserve("nowhere")
    assert len(storage.published) == len(changes)


@pytest.mark.covers("W50", "W51")
def test_what_nobody_expected_or_what_is_missing_is_noticed(storage: Storage) -> None:
    storage.detect("A1", False)
    storage.detect("A2", True)
    storage.detect("somewhere", True)
    told = [(notice.place, notice.text) for notice in storage.notices]
    assert told == [
        ("A1", "P-1 is gone"),
        ("A2", "a package that nobody expected"),
        ("somewhere", "has no detector in this world"),
    ]


def test_the_state_can_be_saved_and_loaded(storage: Storage) -> None:
    storage.new_input("in_1", "N-1", "pallet")
    storage.new_output("out_1", "pallet")
    storage.reserve("A2")
    other = Storage(shipped("warehouse_small"))
    other.load(storage.to_dict())
    assert other.information() == storage.information()
    assert other.take_demands() == storage.take_demands()
