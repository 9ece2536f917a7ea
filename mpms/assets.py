"""Finds the files we ship: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from pathlib import Path

from mpms.domain.errors import NotFound

_PACKAGE = Path(__file__).resolve().parent


def directory(name: str) -> Path:
    """The directory of db, forms, processes or worlds."""
    for root in (_PACKAGE / "_assets", _PACKAGE.parent):
        if (root / name).is_dir():
            return root / name
    raise NotFound(f"The installation lacks its {name} files; install it again.")


def shipped_models() -> dict[str, bytes]:
    """All models, decision tables and forms, by file name."""
    files = [
        *sorted(directory("forms").glob("*.form")),
        *sorted(directory("processes").glob("*.dmn")),
        *sorted(directory("processes").glob("*.bpmn")),
    ]
    return {path.name: path.read_bytes() for path in files}
