"""New passwords: long, not what is guessed first, and in no list of leaked ones."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from mpms.adapters.leaked_passwords import is_leaked
from mpms.domain.people.secret_rules import PasswordTooWeak, check_password


@pytest.mark.parametrize(
    "password",
    [
        "elevenchars",
        "Password1234",
        "p4ssw0rd!!!!2026",
        "PasswortPasswort",
        "Contraseña2026!",
        "123456789012",
        "abcdefghijklm",
        "qwertyuiop12",
        "administrator1",
        "Sommer2026!!",
        "aaaaaaaaabbb",
        "ada-ada-1234",
    ],
)
def test_what_is_guessed_first_is_refused(password: str) -> None:
    with pytest.raises(PasswordTooWeak):
        check_password(password, "ada")


@pytest.mark.parametrize(
    "password",
    [
        "correct horse battery",
        "quiet river under stones",
        "x7!kQ2pLw9#z",
        "Lagerhaus am Kanal",
        "пароль-из-слов",
    ],
)
def test_a_few_words_or_many_signs_are_good(password: str) -> None:
    check_password(password, "ada")


LEAKED = [f"leaked password {number}" for number in range(200)]


def hashes() -> list[str]:
    made = (hashlib.sha1(one.encode(), usedforsecurity=False) for one in LEAKED)
    return sorted(one.hexdigest().upper() for one in made)


def test_a_leaked_password_is_found_in_a_sorted_file(tmp_path: Path) -> None:
    file = tmp_path / "pwned.txt"
    file.write_text("".join(f"{one}:{n}\n" for n, one in enumerate(hashes())))
    assert all(is_leaked(file, one) for one in LEAKED)
    assert not any(is_leaked(file, f"{one}!") for one in LEAKED)


def test_a_leaked_password_is_found_in_files_by_five_digits(tmp_path: Path) -> None:
    for one in hashes():
        with (tmp_path / f"{one[:5]}.txt").open("a") as file:
            file.write(f"{one[5:]}:3\n")
    assert all(is_leaked(tmp_path, one) for one in LEAKED)
    assert not any(is_leaked(tmp_path, f"{one}!") for one in LEAKED)


def test_a_list_that_is_not_there_keeps_nobody_out(tmp_path: Path) -> None:
    assert not is_leaked(tmp_path / "missing.txt", LEAKED[0])
