"""Print the test files that mention what was changed, for ``make test-changed``.

A change of ``mpms/services/tasks/submit.py`` means every test file that imports it;
a change of a test file means that file, of a conftest.py its folder.
A guess by names, for the minutes between two edits: ``make test`` is what counts.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
EVERYWHERE = {"__init__", "__main__"}


def changed_files(since: str) -> list[str]:
    """Files that differ from a commit, and new ones."""
    listed: list[str] = []
    for command in (
        ("git", "diff", "--name-only", since),
        ("git", "ls-files", "--others", "--exclude-standard"),
    ):
        listed += subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    return listed


def chosen_for(changed: Iterable[str], tests: dict[str, str]) -> list[str]:
    """Choose among test files, given by path with their text."""
    chosen: set[str] = set()
    for name in map(Path, changed):
        if str(name) in tests:
            chosen.add(str(name))
        elif name.name == "conftest.py":
            chosen |= {test for test in tests if name.parent in Path(test).parents}
        else:
            word = _mention_of(name)
            chosen |= {test for test, text in tests.items() if word.search(text)}
    return sorted(chosen)


def _mention_of(name: Path) -> re.Pattern[str]:
    """A module by its import, since many have the same short name; others by name."""
    if name.suffix != ".py":
        return re.compile(rf"\b{re.escape(name.stem)}\b")
    path = name.parent if name.stem in EVERYWHERE else name.with_suffix("")
    package, module = ".".join(path.parent.parts), path.name
    whole = re.escape(".".join(path.parts))
    beside = rf"from {re.escape(package)} import (?:\(\s*)?(?:[\w ]+,\s*)*{module}\b"
    return re.compile(rf"\b{whole}\b(?!\.)|{beside}")


def main(since: str) -> int:
    tests = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
        for path in (ROOT / "tests").rglob("test_*.py")
    }
    chosen = chosen_for(changed_files(since), tests)
    print("\n".join(chosen))
    if not chosen:
        print(f"No test speaks of what differs from {since}.", file=sys.stderr)
    return 0 if chosen else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "HEAD"))
