"""Decisions of DMN files: tables, expressions and what they require of each other.

The engine knows these names and nothing of how a file is read.
"""

from typing import TYPE_CHECKING

from mpms.engine.late import late

if TYPE_CHECKING:
    from .bundles import with_imports
    from .decision import Decision
    from .reading import check_decisions, read_decisions, refused_decisions
    from .running import DecisionResult
    from .sheets import read_sheets, write_sheet
else:
    __getattr__ = late(
        __name__,
        {
            "Decision": "decision",
            "DecisionResult": "running",
            "check_decisions": "reading",
            "read_decisions": "reading",
            "refused_decisions": "reading",
            "read_sheets": "sheets",
            "with_imports": "bundles",
            "write_sheet": "sheets",
        },
    )

__all__ = [
    "Decision",
    "DecisionResult",
    "check_decisions",
    "read_decisions",
    "read_sheets",
    "refused_decisions",
    "with_imports",
    "write_sheet",
]
