"""The blocks of code on a page of the documentation."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

HOWTO = Path(__file__).resolve().parents[2] / "docs" / "howto"
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, heading: str, language: str) -> list[str]:
    """Those of one language below a heading of a page."""
    text = (HOWTO / page).read_text(encoding="utf-8")
    _, _, after = text.partition(f"\n## {heading}\n")
    assert after, f"{page} has no heading {heading}"
    part = after.partition("\n## ")[0]
    found = BLOCK.findall(part)
    return [textwrap.dedent(code) for _, known, code in found if known == language]


def inline(page: str) -> list[str]:
    """What stands between single backticks, each in one line."""
    text = BLOCK.sub("", (HOWTO / page).read_text(encoding="utf-8"))
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", text)]
