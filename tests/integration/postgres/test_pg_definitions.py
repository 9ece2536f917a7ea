"""Deployed versions."""

from hashlib import sha256

import pytest

from mpms.adapters.postgres.database.unit_of_work import (
    PostgresTransaction,
    PostgresUnitOfWork,
)
from mpms.domain.errors import ProcessUnknown
from tests.support.waiting_instances import WaitingInstances


def test_the_same_drawing_again_is_the_same_version(uow: PostgresUnitOfWork) -> None:
    with uow() as tx:
        first = tx.definitions.deploy("mix", "Mix", b"<a/>", by="ada")
        again = tx.definitions.deploy("mix", "Mix", b"<a/>", by="bob")
    assert first == again
    assert (first.version, first.digest) == (1, sha256(b"<a/>").hexdigest())


def test_another_drawing_is_the_next_version_also_when_it_was_there_before(
    uow: PostgresUnitOfWork,
) -> None:
    for version, xml in enumerate([b"<a/>", b"<b/>", b"<a/>"], start=1):
        with uow() as tx:
            assert tx.definitions.deploy("mix", "Mix", xml, by="ada").version == version
    with uow() as tx:
        assert tx.definitions.latest("mix").version == 3


def test_a_version_is_found_by_its_number_and_listed_once(
    uow: PostgresUnitOfWork,
) -> None:
    with uow() as tx:
        old = tx.definitions.deploy("mix", "Mix", b"<a/>", by="ada")
        new = tx.definitions.deploy("mix", "Mix", b"<b/>", by="ada")
        other = tx.definitions.deploy("fill", "Fill", b"<c/>", by="ada")
    for _ in range(2):
        with uow() as tx:
            for each in (old, new, other):
                assert tx.definitions.by_id(tx.definitions.id_of(each)) == each
            assert list(tx.definitions.listing()) == [other, new]


def test_an_unknown_process_is_named(uow: PostgresUnitOfWork) -> None:
    with uow() as tx:
        with pytest.raises(ProcessUnknown, match="nothing"):
            tx.definitions.latest("nothing")
        with pytest.raises(ProcessUnknown, match="77"):
            tx.definitions.by_id(77)


def test_a_rolled_back_deployment_is_not_remembered(uow: PostgresUnitOfWork) -> None:
    def fail() -> None:
        with uow() as tx:
            lost = tx.definitions.deploy("mix", "Mix", b"<a/>", by="ada")
            tx.definitions.by_id(tx.definitions.id_of(lost))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    with uow() as tx:
        kept = tx.definitions.deploy("mix", "Mix", b"<b/>", by="ada")
    with uow() as tx:
        assert tx.definitions.by_id(tx.definitions.id_of(kept)).xml == b"<b/>"


def test_two_that_deploy_at_once_count_on(
    uow: PostgresUnitOfWork, plant: WaitingInstances
) -> None:
    def deploy_b(tx: PostgresTransaction) -> None:
        tx.definitions.deploy("mix", "Mix", b"<b/>", by="bob")

    with uow() as tx:
        tx.definitions.deploy("mix", "Mix", b"<a/>", by="ada")
        waiting = plant.meanwhile(deploy_b)
        waiting.__enter__()
        plant.until_somebody_waits()
    waiting.__exit__(None, None, None)
    with uow() as tx:
        assert tx.definitions.latest("mix").version == 2


def test_decisions_and_forms_have_versions_too(uow: PostgresUnitOfWork) -> None:
    schema = {"zebra": 1, "apple": [{"id": "kg"}]}
    with uow() as tx:
        assert tx.definitions.decision("route") is None
        assert tx.definitions.form("load") is None
        assert tx.definitions.deploy_decision("route", "R", b"<1/>", by="ada") == 1
        assert tx.definitions.deploy_decision("route", "R", b"<1/>", by="ada") == 1
        assert tx.definitions.deploy_decision("route", "R", b"<2/>", by="ada") == 2
        assert tx.definitions.decision("route") == b"<2/>"
        assert tx.definitions.deploy_form("load", {}, by="ada") == 1
        assert tx.definitions.deploy_form("load", schema, by="ada") == 2
        assert tx.definitions.deploy_form("load", schema, by="ada") == 2
        found = tx.definitions.form("load")
    assert found == schema
    assert list(found) == ["zebra", "apple"]
