"""Decision tables of DMN files.

The engine knows these names and nothing of how cells are read, so that a fuller FEEL
can take the place of ``unary_tests`` and of the expressions without touching it.
"""

from .reading import check_decisions, read_decisions
from .tables import Decision, DecisionResult

__all__ = ["Decision", "DecisionResult", "check_decisions", "read_decisions"]
