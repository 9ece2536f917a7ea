"""Master data as tables: what exports write, and what imports would change."""

from mpms.factory.domain.tables.kinds import KINDS, Kind, kind_named, read_kind
from mpms.factory.domain.tables.rows import csv_of, rows_of, xlsx_of

__all__ = [
    "KINDS",
    "Kind",
    "csv_of",
    "kind_named",
    "read_kind",
    "rows_of",
    "xlsx_of",
]
