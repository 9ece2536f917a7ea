"""The batch record of an order: what happened, by whom, in lines that stay."""

from mpms.factory.domain.records.chain import (
    FIRST,
    PLANT,
    Entry,
    Head,
    Line,
    chained,
    hash_of,
)

__all__ = ["FIRST", "PLANT", "Entry", "Head", "Line", "chained", "hash_of"]
