"""One table of kinds of history lines, and everybody who looks at lines agrees."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from werkzeug.utils import import_string

from mpms.domain.history.kinds import CORE, LISTS, Audit, Kind, Kinds, KindUnknown
from mpms.plugins import loading

ROOT = Path(__file__).resolve().parents[3]
ALL = loading.kinds()
WRITERS = ("append", "note")  # of the history, and of the engine's trace


def written_kinds() -> dict[str, str]:
    """What stands in the code as the kind of a line, and where."""
    found = {}
    for path in sorted((ROOT / "mpms").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if not isinstance(node, ast.Call) or not node.args:
                continue
            function, first = node.func, node.args[0]
            if (
                isinstance(function, ast.Attribute)
                and function.attr in WRITERS
                and ("events" in ast.unparse(function.value) or function.attr == "note")
                and isinstance(first, ast.Constant)
                and isinstance(first.value, str)
            ):
                found[first.value] = path.name
    return found


def named_in(statement: str, before: str) -> set[str]:
    """The kinds of a list in SQL that follows these words."""
    listed = re.search(re.escape(before) + r"\s*\(([^)]*)\)", statement)
    assert listed is not None, before
    return set(re.findall(r"'([^']+)'", listed[1]))


def test_every_kind_that_the_code_writes_is_in_the_table() -> None:
    written = written_kinds()
    assert len(written) > 60
    assert {kind: file for kind, file in written.items() if kind not in ALL} == {}


def test_the_index_of_the_log_of_actions_leaves_out_what_never_belongs_to_it() -> None:
    statement = (ROOT / "db" / "queries" / "audit.sql").read_text()
    never = {k.name for k in ALL.kinds.values() if k.audit is Audit.NEVER}
    assert named_in(statement, "e.kind NOT IN") <= never


def test_every_kind_in_a_statement_about_events_is_known() -> None:
    for name in ("tallies", "cockpit", "cockpit_instance", "order_page", "events"):
        (file,) = (ROOT / "db" / "queries").rglob(f"{name}.sql")
        text = file.read_text()
        for part in re.findall(r"\bkind (?:=|IN) (?:'[^']+'|\([^)]*\))", text):
            named = set(re.findall(r"'([^']+)'", part))
            assert named <= set(ALL.kinds), (name, part)


def test_a_kind_moves_only_lists_that_pages_have() -> None:
    assert {
        t for kind in ALL.kinds.values() for t in kind.changes
    } <= LISTS | ALL.lists.keys()


def test_every_longer_sentence_is_a_function_that_exists() -> None:
    longer = [k.sentence for k in ALL.kinds.values() if k.sentence.startswith("mpms.")]
    assert len(longer) > 10
    assert all(callable(import_string(where)) for where in longer)


def test_an_unknown_kind_is_refused_by_name() -> None:
    kinds = Kinds.of([Kind("dough kneaded")])
    kinds.require("dough kneaded")
    with pytest.raises(KindUnknown, match="'dough burnt'"):
        kinds.require("dough burnt")


def test_nobody_can_redefine_a_kind_of_the_core() -> None:
    with pytest.raises(ValueError, match="'entered' already"):
        Kinds.of([Kind("entered")])
    assert len({kind.name for kind in CORE}) == len(CORE)
