"""Says before deployment whether a model will be executed exactly as drawn.

What the engine does not execute is refused with the element and the reason, never
ignored. The knowledge is in tables (``elements``, ``bpmn_words``,
``camunda_words``): to execute more, change a line there.
"""

from mpms.engine.lint.checking import Lint, check, lint_model
from mpms.engine.lint.view import Known

__all__ = ["Known", "Lint", "check", "lint_model"]
