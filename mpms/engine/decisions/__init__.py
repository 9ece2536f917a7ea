"""Decisions of DMN files: tables, expressions and what they require of each other.

The engine knows these names and nothing of how a file is read.
"""

from .decision import Decision
from .reading import check_decisions, read_decisions
from .running import DecisionResult

__all__ = ["Decision", "DecisionResult", "check_decisions", "read_decisions"]
