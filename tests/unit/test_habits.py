"""Habits of this codebase that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
import tokenize
from functools import cache
from pathlib import Path

import pytest

from mpms.factory.settings import SETTINGS
from mpms.settings import own_variables

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("mpms", "robot_bridge", "fleet", "kernel_store", "shopfloor")
BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
# Where somebody works is nobody's business: home directories and checkouts.
MACHINE_PATH = re.compile(
    r"(?<![\w.~/-])/(?:work|home/[a-z_][\w-]*|Users/\w+|root/[\w.]+)(?:/|\b(?!/))"
)

# What each of them contains; to look for plain text takes a hundredth of the time.
TOPS = ("/" + "work", "/" + "home/", "/" + "Users/", "/" + "root/")


@cache
def our_files() -> list[Path]:
    """What is or will be under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        check=False,
    )
    if listed.returncode == 0:
        names = [n for n in listed.stdout.decode().split("\0") if n]
        return [p for n in sorted(set(names)) if (p := ROOT / n).is_file()]
    return [
        p
        for part in (*PACKAGES, "tests", "bench", "docs", "db", "processes", "forms")
        for p in sorted((ROOT / part).rglob("*"))
        if p.is_file() and "__pycache__" not in p.parts
    ]


def python_files(*under: str) -> list[Path]:
    return [
        p
        for p in our_files()
        if p.suffix == ".py" and p.relative_to(ROOT).parts[0] in under
    ]


def first_word(path: Path) -> int | None:
    """The kind of what stands first in a module, comments aside."""
    between = (tokenize.ENCODING, tokenize.COMMENT, tokenize.NL)
    with path.open("rb") as file:
        kinds = (token.type for token in tokenize.tokenize(file.readline))
        return next((kind for kind in kinds if kind not in between), None)


def shown(paths: list[Path]) -> list[str]:
    return [str(p.relative_to(ROOT)) for p in paths]


def test_there_are_files_to_look_at() -> None:
    assert len(python_files(*PACKAGES)) > 50
    assert len(python_files("tests")) > 20


def test_no_file_has_a_name_that_says_nothing() -> None:
    nameless = [
        p
        for p in our_files()
        if BANNED_NAMES & {part.split(".")[0] for part in p.relative_to(ROOT).parts}
    ]
    assert shown(nameless) == []


def test_every_module_says_why_it_exists() -> None:
    silent = [
        p
        for p in python_files(*PACKAGES, "tests", "bench")
        if first_word(p) != tokenize.STRING
    ]
    assert shown(silent) == []


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    first_cells = re.findall(r"^\| (`MPMS_[^|]*) \|", text, re.MULTILINE)
    documented = set(re.findall(r"`(MPMS_\w+)`", " ".join(first_cells)))
    assert documented == own_variables() | {each.variable for each in SETTINGS.values()}


def test_the_page_of_settings_says_of_the_factory_what_the_factory_says() -> None:
    text = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| `(MPMS_\w+)` \|(.*)\|(.*)\|$", text, re.MULTILINE)
    plain = {name: (m.strip(), w.strip()) for name, m, w in said}
    for each in SETTINGS.values():
        told = tuple(part.replace("`", "") for part in plain[each.variable])
        assert told == (each.about, each.without)


def test_no_file_names_a_path_of_somebodys_machine() -> None:
    found = []
    for path in our_files():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        if not any(top in text for top in TOPS):
            continue
        found += [
            f"{path.relative_to(ROOT)}:{number}: {line.strip()[:80]}"
            for number, line in enumerate(text.splitlines(), start=1)
            if path != Path(__file__).resolve() and MACHINE_PATH.search(line)
        ]
    assert found == []


def _is_test(node: ast.AST) -> bool:
    return isinstance(
        node, ast.FunctionDef | ast.AsyncFunctionDef
    ) and node.name.startswith("test_")


def _is_claim(node: ast.AST) -> bool:
    return isinstance(node, ast.Assert) or (
        isinstance(node, ast.Attribute)
        and node.attr == "raises"
        and isinstance(node.value, ast.Name)
        and node.value.id == "pytest"
    )


def test_every_test_file_claims_something() -> None:
    empty = []
    for path in python_files("tests"):
        if not path.name.startswith("test_"):
            continue
        tree = ast.parse(path.read_bytes())
        if not any(map(_is_test, ast.walk(tree))) or not any(
            map(_is_claim, ast.walk(tree))
        ):
            empty.append(path)
    assert shown(empty) == []


def test_the_names_of_test_files_are_unique() -> None:
    names = [p.name for p in python_files("tests") if p.name.startswith("test_")]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize(
    ("text", "guilty"),
    [
        ("see /wo" + "rk/main/x.py", True),
        ("/home/" + "ada/plant", True),
        ("~/.local/state/mpms", False),
        ("/usr/lib/postgresql/15/bin", False),
        ("https://example.org/wo" + "rk/order", False),
        ("the rest/work balance", False),
    ],
)
def test_paths_of_a_machine_are_told_from_others(text: str, guilty: bool) -> None:
    assert bool(MACHINE_PATH.search(text)) is guilty
    assert any(top in text for top in TOPS) or not guilty
