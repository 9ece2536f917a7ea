"""What a compiled kernel was made from, as a short key.

Numba compiles the kernels and constants of other modules into the one that uses them,
but looks at one file only to tell whether its result is still good. The key here is
over the content of a module and of every module of ours that it imports, directly or
not, and over the versions of what compiles. Paths and times of files are no part of
it: two checkouts of the same sources have the same keys.
"""

import hashlib
import re
import sys
from functools import cache
from pathlib import Path

import llvmlite  # type: ignore[import-untyped, unused-ignore]
import numba
import numpy as np

ROOT = Path(__file__).resolve().parents[1]
"""What our packages lie in; a kernel's module is named from here."""
PACKAGES = ("fleet", "kernel_store", "shopfloor")
IMPORTED = re.compile(
    rb"^[ \t]*(?:from|import)[ \t]+((?:%s)\b[\w.]*)" % "|".join(PACKAGES).encode(),
    re.MULTILINE,
)
KEY_LENGTH = 20


@cache
def key_of(source: Path) -> str:
    """The key of what this module of ours compiles to."""
    digest = hashlib.sha256()
    tools = (sys.version, numba.__version__, llvmlite.__version__, np.__version__)
    digest.update(repr(tools).encode())
    for file in sorted(sources_of(source)):
        content = _content(file)
        name = file.relative_to(ROOT).as_posix()
        digest.update(f"\n{name} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()[:KEY_LENGTH]


def sources_of(source: Path) -> set[Path]:
    """This module and all of ours that it imports, directly or not."""
    found, waiting = {source}, [source]
    while waiting:
        new = _imports(waiting.pop()) - found
        found |= new
        waiting += new
    return found


@cache
def _content(file: Path) -> bytes:
    return file.read_bytes()


@cache
def _imports(source: Path) -> frozenset[Path]:
    found: set[Path] = set()
    for name in IMPORTED.findall(_content(source)):
        module = ROOT.joinpath(*name.decode().split("."))
        # From a package anything may be taken: all its modules count.
        file = module.with_suffix(".py")
        found.update([file] if file.is_file() else module.glob("*.py"))
    return frozenset(found)
