"""One place that says how kernels are compiled.

Kernels are plain functions on arrays: no classes, no input or output, released from
the interpreter lock so that robots plan in parallel, and kept on disk so that only
the first start pays for the compiler.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit  # type: ignore[import-untyped, unused-ignore]

from kernel_store.cache import keep

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile on first use, keep the result, run without the interpreter lock."""
    return cast(F, keep(njit(nogil=True, error_model="numpy")(function)))
