"""The table of ASVS names tests that exist, or a reason, for every section."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SECTIONS = {1: 14, 2: 10, 3: 7, 4: 3, 5: 5, 6: 4, 7: 4, 8: 3, 9: 2, 10: 3, 11: 1}
SECTIONS |= {12: 6, 13: 4, 14: 5}
# V1.3 and V1.13 are empty in the standard; V3.6 begins at level 3.
LEFT_OUT = {"V1.3", "V1.13", "V3.6"}


def _rows() -> list[list[str]]:
    lines = (ROOT / "docs" / "asvs.md").read_text().splitlines()
    cells = [line.strip("|").split("|") for line in lines if line.startswith("| V")]
    return [[cell.strip() for cell in row] for row in cells]


def test_every_section_stands_in_the_table_once() -> None:
    wanted = [
        f"V{chapter}.{section}"
        for chapter, last in SECTIONS.items()
        for section in range(1, last + 1)
    ]
    told = [row[0].split()[0] for row in _rows()]
    assert told == [one for one in wanted if one not in LEFT_OUT]


def test_every_row_has_a_test_that_exists_or_a_reason() -> None:
    for section, named, reason in _rows():
        if not named:
            assert reason, section
            continue
        file, _, test = named.strip("`").partition("::")
        assert f"def {test}(" in (ROOT / file).read_text(), named
