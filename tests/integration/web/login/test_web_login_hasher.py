"""How secrets are kept."""

from __future__ import annotations

import pytest

from mpms.adapters.argon2_hasher import MEMORY_KIB, ROUNDS, Argon2Hasher


@pytest.fixture(scope="module")
def hasher() -> Argon2Hasher:
    return Argon2Hasher(rounds=1, memory_kib=8)


def test_a_secret_is_verified_and_cannot_be_read_back(hasher: Argon2Hasher) -> None:
    kept = hasher.hash("quiet river")
    assert "quiet" not in kept
    assert kept != hasher.hash("quiet river")
    assert hasher.verify(kept, "quiet river")
    assert not hasher.verify(kept, "quiet River")


def test_without_a_hash_nothing_is_right(hasher: Argon2Hasher) -> None:
    assert not hasher.verify(None, "")
    assert not hasher.verify(None, "quiet river")
    assert not hasher.verify("", "")
    assert not hasher.verify("not a hash", "not a hash")


def test_an_accent_may_be_typed_in_two_ways(hasher: Argon2Hasher) -> None:
    assert hasher.verify(hasher.hash("mu\u0308ller b\u00e4r"), "m\u00fcller ba\u0308r")


def test_half_a_surrogate_pair_is_no_fault(hasher: Argon2Hasher) -> None:
    assert not hasher.verify(hasher.hash("quiet river"), "\ud800")


def test_the_cost_in_production_is_not_below_what_is_advised() -> None:
    kept = Argon2Hasher().hash("quiet river")
    assert kept.startswith(f"$argon2id$v=19$m={MEMORY_KIB},t={ROUNDS},p=1$")
    assert MEMORY_KIB >= 19 * 1024
    assert ROUNDS >= 2
