"""Storage: what lies where, what is reserved, and what the detectors say."""

from fleet.storage.storage import (
    Demand,
    Notice,
    Storage,
    StorageInformation,
)

__all__ = ["Demand", "Notice", "Storage", "StorageInformation"]
