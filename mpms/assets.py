"""Finds the files we ship: inside the wheel, or beside the package in a checkout."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
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


def product_version() -> str:
    """What is installed."""
    try:
        return version("mpms")
    except PackageNotFoundError:
        return "unknown"


def settings_page() -> str:
    """docs/settings.md, which says what every setting means; empty if not shipped."""
    for root in (_PACKAGE / "_assets", _PACKAGE.parent / "docs"):
        if (root / "settings.md").is_file():
            return (root / "settings.md").read_text(encoding="utf-8")
    return ""
