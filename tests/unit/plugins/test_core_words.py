"""The core names nothing of the factory: no order, robot or mailbox.

What a plug-in could declare would otherwise creep back, word by word. The words are
looked for in code, templates, SQL and scripts of pages; ``core_words.txt`` names the
lines that keep one, each group with its reason.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.unit.test_habits import our_files

ROOT = Path(__file__).resolve().parents[3]
HERE = Path(__file__).resolve().parent
CORE = (
    *("mpms/domain", "mpms/ports", "mpms/services", "mpms/engine", "mpms/adapters"),
    *("mpms/web", "mpms/plugins", "mpms/settings", "db/queries"),
    *("mpms/worker.py", "mpms/log_lines.py", "mpms/assets.py"),
)
SCRIPTS = "frontend/src/"
THEIRS = ("db/queries/factory/", "frontend/src/factory/")
KINDS = {".py", ".html", ".sql", ".ts"}
WORDS = re.compile(
    r"(?<![a-z])(?:robots?|mailbox(?:es)?|imap|tanks?|warehouses?|forklifts?|agvs?"
    r"|order_(?:number|failed|mail|status)|(?:stopped|late)_?orders?"
    r"|orders(?! (?:of|are|were|it)\b)|an order(?! of\b)|order's"
    r"|(?<=[\"'.])order(?=[\"']))(?![a-z])",
    re.IGNORECASE,
)


def lines_with_words() -> list[tuple[str, str]]:
    found = []
    for path in our_files():
        name = path.relative_to(ROOT).as_posix()
        ours = name.startswith((*CORE, SCRIPTS)) and not name.startswith(THEIRS)
        if not ours or path.suffix not in KINDS:
            continue
        for line in path.read_text("utf-8").splitlines():
            if WORDS.search(line):
                found.append((name, line.strip()))
    return found


def kept() -> set[tuple[str, str]]:
    """File and part of a line."""
    lines = (HERE / "core_words.txt").read_text("utf-8").splitlines()
    parts = (line.partition(": ") for line in lines if line and line[0] != "#")
    return {(name, text) for name, _, text in parts}


def test_the_core_names_no_order_robot_or_mailbox() -> None:
    allowed, used, guilty = kept(), set[tuple[str, str]](), []
    for name, line in lines_with_words():
        fits = {each for each in allowed if each[0] == name and each[1] in line}
        used |= fits
        if not fits:
            guilty.append(f"{name}: {line[:120]}")
    assert guilty == [], "let the plug-in declare it (mpms/plugins/plugin.py)"
    assert sorted(allowed - used) == [], "no line of the core has them any more"


@pytest.mark.parametrize(
    ("line", "names_it"),
    [
        ('KIND = "robot"', True),
        ("robot_of_task: Mapping[str, str]", True),
        ("class StoppedOrder:", True),
        ('"orders": order,', True),
        ("the mailbox answers", True),
        ("if page.order_number:", True),
        ("ORDER BY id", False),
        ("in the order of time", False),
        ("from mpms.services.bulk.order import order_batch", False),
        ("SMTP takes our mail", False),
    ],
)
def test_a_word_of_the_factory_is_told_from_others(line: str, names_it: bool) -> None:
    assert bool(WORDS.search(line)) is names_it
