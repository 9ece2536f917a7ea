"""One place that says how kernels are compiled.

Kernels are plain functions on arrays: no classes, no input or output, released from
the interpreter lock so that robots plan in parallel, and kept on disk so that only
the first start pays for the compiler. Numba notices a changed kernel but not a
changed callee in another file, so caches older than any kernel of ours are dropped
on import. A read-only installation needs ``NUMBA_CACHE_DIR``.
"""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

from numba import njit  # type: ignore[import-untyped, unused-ignore]

F = TypeVar("F", bound=Callable[..., object])

HOMES = ("grid", "planning", "lasers", "localisation", "control", "local")
"""Packages of the shop floor whose kernels call each other."""


def kernel(function: F) -> F:
    """Compile on first use, keep the result, run without the interpreter lock."""
    return cast(F, njit(cache=True, nogil=True, error_model="numpy")(function))


def forget_stale_kernels(root: Path) -> int:
    """Remove cached indices older than the newest source; returns how many."""
    homes = [root / name for name in HOMES]
    sources = [file.stat().st_mtime for home in homes for file in home.glob("*.py")]
    newest = max(sources, default=0.0)
    forgotten = 0
    for home in homes:
        for index in (home / "__pycache__").glob("*.nbi"):
            with contextlib.suppress(OSError):
                if index.stat().st_mtime < newest:
                    index.unlink()
                    forgotten += 1
    return forgotten


forget_stale_kernels(Path(__file__).resolve().parents[1])
