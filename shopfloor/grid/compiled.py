"""How kernels of grids and planners are compiled: as all of ours."""

from kernel_store.compiled import kernel

__all__ = ["kernel"]
