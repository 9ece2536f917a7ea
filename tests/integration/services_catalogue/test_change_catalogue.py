"""Every change is a version; nobody overwrites what another has changed."""

from __future__ import annotations

import threading
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast

import pytest

from mpms.domain.errors import ReasonMissing
from mpms.factory.domain.order_mail import (
    Catalogue,
    CatalogueInvalid,
    Recipe,
    RecipeLine,
)
from mpms.factory.domain.orders import Order, OrderLine
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.services.catalogue.change import (
    CatalogueRefused,
    MaterialNeeded,
    MaterialUnknown,
    RecipeUnknown,
    remove_material,
    remove_recipe,
    save_recipe,
)
from mpms.factory.services.catalogue.list_versions import (
    catalogue_source,
    list_versions,
)
from mpms.factory.services.catalogue.take import (
    FileMissing,
    InForceAlready,
    VersionUnknown,
    take_file,
    take_version,
)
from mpms.factory.services.catalogue.write import CatalogueChanged
from mpms.services.one_transaction import OneTransaction
from tests.support.catalogue_store import CatalogueStore
from tests.support.checkers import Why, there

PRIMER = Recipe("Primer", (), Decimal(50), "kg", (RecipeLine("RM-001", Decimal(20)),))
DIDS = "SELECT did, thing, made_by FROM catalogue_versions ORDER BY number"


def save(store: CatalogueStore, recipe: Recipe, **more: Any) -> Any:
    told = {"by": "adam", "reason": "new product"} | more
    return save_recipe(store.uow, store.materials, recipe, **told)


def test_the_file_counts_until_somebody_changes_something(
    store: CatalogueStore,
) -> None:
    assert (store.version(), store.now()) == (0, store.file)
    store.save("RM-021", place="B")
    assert store.rows(DIDS) == [
        ("catalogue file taken", "", "adam"),
        ("material added", "RM-021", "adam"),
    ]
    store.file = Catalogue(())
    assert there(store.now().by_code("RM-021")).place == "B"
    assert there(store.now().by_code("RM-001")).name == "Water"


def test_another_process_follows_without_a_restart(store: CatalogueStore) -> None:
    other = store.another_process()
    with store.uow() as tx:
        assert there(other(tx).catalogue).by_code("RM-021") is None
    store.save("RM-021")
    with store.uow() as tx:
        assert there(other(tx).catalogue).by_code("RM-021") is not None
    store.save("RM-021", name="Zinc phosphate")
    with store.uow() as tx:
        assert (
            there(there(other(tx).catalogue).by_code("RM-021")).name == "Zinc phosphate"
        )


def test_a_change_that_was_rolled_back_is_forgotten_by_everybody(
    store: CatalogueStore,
) -> None:
    """Even by a process that has read it in the transaction that failed."""
    store.save("RM-021")

    def fail_at_the_end() -> None:
        with store.uow() as tx:
            inside = cast(UnitOfWork, OneTransaction(tx))
            save_recipe(inside, store.materials, PRIMER, by="adam", reason="try")
            assert there(store.materials(tx).catalogue).recipe("Primer") is not None
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_at_the_end()
    assert store.now().recipe("Primer") is None
    store.save("RM-022")
    assert store.now().recipe("Primer") is None
    assert store.now().by_code("RM-022") is not None


def test_every_change_stands_in_the_history_with_who_why_old_and_new(
    store: CatalogueStore,
) -> None:
    store.save("RM-003", max_kg=Decimal(1200), place="A")
    ((actor, data),) = store.rows(
        "SELECT actor, data FROM events WHERE kind = 'material changed'"
    )
    assert actor == "adam"
    assert data == {
        "material": "RM-003",
        "old": {"max_kg": "1500", "place": ""},
        "new": {"max_kg": "1200", "place": "A"},
        "version": store.version(),
        "reason": "adam knows why",
    }


def test_saving_what_is_there_makes_no_version(store: CatalogueStore) -> None:
    assert store.save("RM-001") is None
    assert store.rows(DIDS) == []


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "Chalk"}, "name"),
        ({"max_kg": Decimal(0)}, "max_kg"),
        ({"place": "moon"}, "place"),
        ({"aliases": ("Wasser",)}, "aliases"),
    ],
)
def test_what_is_wrong_is_named_and_nothing_is_written(
    store: CatalogueStore, change: dict[str, Any], field: str
) -> None:
    with pytest.raises(CatalogueRefused) as refused:
        store.save("RM-021", **change)
    assert [fault.field for fault in refused.value.faults] == [field]
    assert field in str(refused.value)
    assert store.rows(DIDS) == []


def test_without_a_reason_nothing_changes(store: CatalogueStore) -> None:
    with pytest.raises(ReasonMissing):
        save(store, PRIMER, reason="  ")
    assert store.rows(DIDS) == []


def test_a_material_that_recipes_need_stays_and_they_are_named(
    store: CatalogueStore,
) -> None:
    save(store, PRIMER)
    who: Why = {"by": "adam", "reason": "tidy"}
    with pytest.raises(MaterialNeeded, match="Primer"):
        remove_material(store.uow, store.materials, "RM-001", **who)
    assert store.now().by_code("RM-001") is not None


def test_a_material_of_open_orders_may_go_and_they_are_told(
    store: CatalogueStore,
) -> None:
    store.save("RM-021")
    with store.uow() as tx:
        for number in ("MO-1", "MO-2"):
            lines = (OrderLine("RM-021", "Zinc", Decimal(5)),)
            tx.orders.add(Order(number, "Primer", lines))
    store.rows("UPDATE orders SET status = 'done' WHERE number = 'MO-2'")
    removed = remove_material(
        store.uow, store.materials, "RM-021", by="adam", reason="sold out"
    )
    assert removed.open_orders == ["MO-1"]
    assert store.now().by_code("RM-021") is None
    with store.uow() as tx:
        assert tx.orders.get("MO-1").lines[0].material == "RM-021"


def test_what_is_not_there_cannot_be_removed(store: CatalogueStore) -> None:
    who: Why = {"by": "adam", "reason": "tidy"}
    with pytest.raises(MaterialUnknown):
        remove_material(store.uow, store.materials, "RM-777", **who)
    with pytest.raises(RecipeUnknown):
        remove_recipe(store.uow, store.materials, "Gold", **who)


def test_a_recipe_is_added_renamed_and_removed(store: CatalogueStore) -> None:
    save(store, PRIMER)
    renamed = Recipe("Grey primer", (), PRIMER.batch, "kg", PRIMER.lines)
    save(store, renamed, replaces="primer")
    assert store.now().recipe("Primer") is None
    kept = store.now().recipe("grey PRIMER")
    assert kept == replace(renamed, version=2)
    who: Why = {"by": "adam", "reason": "tidy"}
    remove_recipe(store.uow, store.materials, "Grey primer", **who)
    assert store.now().recipe("Grey primer") is None
    kinds = store.rows("SELECT kind FROM events WHERE kind LIKE 'recipe%%' ORDER BY id")
    assert kinds == [("recipe added",), ("recipe changed",), ("recipe removed",)]


def test_nobody_overwrites_what_another_has_changed_and_is_told_who(
    store: CatalogueStore,
) -> None:
    seen = store.version()
    store.save("RM-003", by="sofia", max_kg=Decimal(900))
    store.save("RM-021", by="max")
    with pytest.raises(CatalogueChanged, match="sofia has changed this") as changed:
        store.save("RM-003", seen=seen, place="A")
    assert changed.value.version.by == "sofia"
    assert there(store.now().by_code("RM-003")).place is None


def test_two_people_may_change_different_entries_at_once(store: CatalogueStore) -> None:
    seen = store.version()
    store.save("RM-003", by="sofia", max_kg=Decimal(900))
    store.save("RM-004", by="adam", seen=seen, max_kg=Decimal(800))
    assert there(store.now().by_code("RM-003")).max_kg == 900
    assert there(store.now().by_code("RM-004")).max_kg == 800


def test_a_removed_entry_is_not_brought_back_by_somebody_who_did_not_see_it_go(
    store: CatalogueStore,
) -> None:
    store.save("RM-021")
    seen = store.version()
    remove_material(store.uow, store.materials, "RM-021", by="sofia", reason="gone")
    with pytest.raises(CatalogueChanged, match="sofia"):
        remove_material(
            store.uow, store.materials, "RM-021", seen=seen, by="adam", reason="gone"
        )


def test_many_at_once_lose_no_change(store: CatalogueStore) -> None:
    codes = [f"RM-1{n:02}" for n in range(8)]
    people = [
        threading.Thread(target=store.save, args=(code,), kwargs={"by": code})
        for code in codes
    ]
    for person in people:
        person.start()
    for person in people:
        person.join()
    assert {m.code for m in store.now().materials} >= set(codes)
    assert len(store.rows(DIDS)) == len(codes) + 1


def test_an_earlier_version_and_the_file_are_taken_again_as_next_versions(
    store: CatalogueStore,
) -> None:
    store.save("RM-021")
    first = store.rows("SELECT min(number) FROM catalogue_versions")[0][0]
    who: Why = {"by": "adam", "reason": "as it was"}
    with pytest.raises(InForceAlready):
        take_version(store.uow, store.materials, store.version(), **who)
    with pytest.raises(VersionUnknown):
        take_version(store.uow, store.materials, 999, **who)
    taken = take_version(store.uow, store.materials, first, **who)
    assert (taken.did, taken.thing) == ("catalogue version taken", str(first))
    assert store.now() == store.file

    store.file = Catalogue(tuple(store.now().materials[:2]))
    source = catalogue_source(store.uow, store.materials)
    assert source.version == taken
    assert {d.change for d in source.file_differs} == {"removed"}
    take_file(store.uow, store.materials, **who)
    assert store.now() == store.file
    assert catalogue_source(store.uow, store.materials).file_differs == []
    with pytest.raises(InForceAlready):
        take_file(store.uow, store.materials, **who)


def test_going_back_is_refused_when_somebody_was_faster(store: CatalogueStore) -> None:
    store.save("RM-021")
    first, seen = 1, store.version()
    store.save("RM-022", by="sofia")
    with pytest.raises(CatalogueChanged, match="sofia"):
        take_version(
            store.uow, store.materials, first, seen=seen, by="adam", reason="back"
        )


def test_a_file_that_is_missing_or_broken_is_told_and_changes_nothing(
    store: CatalogueStore,
) -> None:
    store.save("RM-021")
    who: Why = {"by": "adam", "reason": "as it was"}
    store.file = None
    with pytest.raises(FileMissing):
        take_file(store.uow, store.materials, **who)

    def broken() -> Catalogue:
        return Catalogue.from_json("{}")

    store.materials.read_file = broken
    with pytest.raises(CatalogueInvalid):
        take_file(store.uow, store.materials, **who)
    source = catalogue_source(store.uow, store.materials)
    assert "'materials' must be a list" in source.file_problem
    assert store.now().by_code("RM-021") is not None


def test_without_a_file_the_first_material_begins_the_catalogue(
    store: CatalogueStore,
) -> None:
    store.file = None
    store.materials = store.another_process()
    store.save("RM-001")
    assert [m.code for m in store.now().materials] == ["RM-001"]
    assert len(store.rows(DIDS)) == 1


def test_versions_are_listed_with_what_each_changed(store: CatalogueStore) -> None:
    store.save("RM-021")
    store.save("RM-021", name="Zinc phosphate")
    shown = list_versions(store.uow, store.materials, limit=10)
    assert [each.version.did for each in shown] == [
        "material changed",
        "material added",
        "catalogue file taken",
    ]
    ((changed,), (added,), nothing) = (each.changes for each in shown)
    assert [(f.field, f.new) for f in changed.fields] == [("name", "Zinc phosphate")]
    assert (added.key, added.change) == ("RM-021", "added")
    assert list(nothing) == []
    assert [len(each.again) for each in shown] == [0, 1, 1]
    older = list_versions(
        store.uow, store.materials, limit=10, below=shown[1].version.number
    )
    assert [each.version.did for each in older] == ["catalogue file taken"]
