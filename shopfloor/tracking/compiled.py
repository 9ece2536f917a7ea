"""One way to compile a kernel, so that all of them are cached and leave the GIL.

numba has no types; the cast keeps the signature that was written.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

from kernel_store.cache import keep

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    return cast(Kernel, keep(njit(nogil=True)(function)))
