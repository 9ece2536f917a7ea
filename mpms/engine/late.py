"""Names of a package that are loaded with their first use (PEP 562).

A worker whose models decide nothing needs no FEEL, and one that deploys nothing needs
no lint: together they take as long to load as all the rest of the engine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """What a package calls ``__getattr__``; ``homes``: the module of each name."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(f"{package}.{homes[name]}"), name)

    return load
