"""Keeps compiled kernels for this user, so that only the first checkout compiles.

They lie in ``mpms/kernels`` below ``NUMBA_CACHE_DIR``, else below ``XDG_CACHE_HOME``,
else below ``~/.cache``: one directory for each key of ``sources``, so nothing
in it is ever out of date. The format of the files and the check of the processor are
Numba's. Its own cache is not used as it is: it asks for the path of a source, and two
processes that save at once can mix up each other's entries. A cache that cannot be
used costs time, never a kernel.
"""

import fcntl
import logging
import os
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Self

from numba.core.caching import CompileResultCacheImpl, FunctionCache, _CacheLocator
from numba.core.dispatcher import Dispatcher

from kernel_store.sources import ROOT, key_of

KEPT_DAYS = 30
KEPT_KEYS = 10
"""Of one module, the newest; older ones are compiled again where they are needed."""
LOCK = "saving.lock"

log = logging.getLogger(__name__)


def keep(kernel: Any) -> Any:
    """Let a compiled function of ours be kept on disk."""
    if not isinstance(kernel, Dispatcher):  # NUMBA_DISABLE_JIT
        return kernel
    try:
        # As Dispatcher.enable_caching does with Numba's own.
        kernel._cache = KernelCache(  # type: ignore[attr-defined, unused-ignore]
            kernel.py_func
        )
    except RuntimeError as failure:  # an account without a home
        _complain(str(failure))
    return kernel


def cache_directory() -> Path:
    """Where this user's kernels are kept. RuntimeError: nowhere."""
    given = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    return Path(given or Path.home() / ".cache").absolute() / "mpms" / "kernels"


class _Place(_CacheLocator):  # type: ignore[misc, unused-ignore]
    """Tells Numba where the kernels of one module lie."""

    def __init__(self, source: Path, line: int) -> None:
        self._py_file = str(source)  # read by Numba for its warnings
        self._line = line
        self._key = key_of(source)
        module = ".".join(source.relative_to(ROOT).with_suffix("").parts)
        self.path = cache_directory() / f"{module}-{self._key}"
        mark_used(self.path)

    def ensure_cache_path(self) -> None:
        if not self.path.is_dir():
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            forget_unused(self.path.parent)

    def get_cache_path(self) -> str:
        return str(self.path)

    def get_source_stamp(self) -> str:
        return self._key

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> Self:
        return cls(Path(py_file).resolve(), py_func.__code__.co_firstlineno)


class _Kept(CompileResultCacheImpl):  # type: ignore[misc, unused-ignore]
    _locator_classes = [_Place]  # noqa: RUF012 (Numba's own is a list)


class KernelCache(FunctionCache):  # type: ignore[misc, unused-ignore]
    """The kept results of one kernel."""

    _impl_class = _Kept

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError:  # who saves will say why
            return None
        except Exception as failure:  # a power cut leaves files of any content
            log.warning("a kept kernel in %s is unreadable: %r", self.path, failure)
            with suppress(OSError), self._alone():
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            self._impl.locator.ensure_cache_path()
            with self._alone():
                super().save_overload(sig, data)
        except OSError as failure:
            _complain(f"{cache_directory()}: {failure.strerror}")

    @property
    def path(self) -> Path:
        return Path(self.cache_path)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """An index is read, changed and written by one process at a time."""
        with open(self.path / LOCK, "a") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


@cache
def _complain(reason: str) -> None:
    log.warning(
        "Compiled kernels cannot be kept (%s), so every process compiles them again."
        " NUMBA_CACHE_DIR may name another directory.",
        reason,
    )


def mark_used(directory: Path) -> None:
    with suppress(OSError):  # not there yet, or somebody else's
        os.utime(directory)


def forget_unused(directory: Path) -> None:
    """Remove what earlier sources were compiled to."""
    oldest_at = time.time() - KEPT_DAYS * 86_400
    found = sorted(
        ((_used_at(path), path) for path in directory.iterdir()), reverse=True
    )
    newer: Counter[str] = Counter()
    for used_at, path in found:
        module = path.name.rpartition("-")[0]
        newer[module] += 1
        if newer[module] > KEPT_KEYS or used_at < oldest_at:
            shutil.rmtree(path, ignore_errors=True)


def _used_at(path: Path) -> float:
    with suppress(OSError):
        return path.stat().st_mtime
    return 0.0
