"""One way to compile a kernel, so that all of them are cached and leave the GIL.

numba has no types; the cast keeps the signature that was written.
"""

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    try:
        return cast(Kernel, njit(cache=True, nogil=True)(function))
    except RuntimeError:
        # Installed where nobody may write: compiled anew by every process.
        return cast(Kernel, njit(nogil=True)(function))
