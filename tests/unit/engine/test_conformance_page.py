"""docs/conformance.md says what is so: it is written from the data of the tests."""

from tests.support.conformance import COMMAND, DECISIONS, PAGE, without_kit


def test_the_page_in_docs_is_the_one_that_is_written_from_the_data() -> None:
    written = PAGE.read_text(encoding="utf-8").partition(DECISIONS)[0]
    assert written == without_kit(), f"run: {COMMAND}"
