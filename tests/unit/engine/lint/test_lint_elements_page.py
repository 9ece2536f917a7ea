"""docs/bpmn.md says what the lint does, because both read the same tables."""

from __future__ import annotations

from pathlib import Path

from mpms.engine.lint.camunda_vocabulary import WORDS as CAMUNDA_7
from mpms.engine.lint.element_notes import GROUPS, KINDS, POSITIONS
from mpms.engine.lint.elements import EVENTS, TAGS
from mpms.engine.lint.markdown import COMMAND, elements_page
from mpms.engine.lint.zeebe_vocabulary import WORDS as CAMUNDA_8
from mpms.engine.reading.tags import EVENT_TAGS

PAGE = Path(__file__).parents[4] / "docs" / "bpmn.md"


def test_the_page_in_docs_is_the_one_that_is_written_from_the_tables() -> None:
    assert PAGE.read_text(encoding="utf-8") == elements_page(), f"run: {COMMAND}"


def test_every_element_and_event_has_its_row() -> None:
    described = {tag for group in GROUPS.values() for tag in group}
    assert described == set(TAGS) - EVENT_TAGS
    assert set(POSITIONS) == set(EVENTS)
    assert all(set(kinds) == set(KINDS) for kinds in EVENTS.values())


def test_every_word_of_camunda_is_on_the_page() -> None:
    page = elements_page()
    for prefix, words in (("camunda", CAMUNDA_7), ("zeebe", CAMUNDA_8)):
        for name in words:
            mark, word = ("@", name[1:]) if name[0] == "@" else ("", name)
            assert f"`{mark}{prefix}:{word}`" in page


def test_every_row_has_as_many_cells_as_its_head() -> None:
    cells = 0
    for line in elements_page().splitlines():
        if not line.startswith("|"):
            cells = 0
            continue
        cells = cells or line.count("|")
        assert line.count("|") == cells, line
