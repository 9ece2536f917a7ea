"""Says before deployment whether a model will be executed exactly as drawn.

What the engine does not execute is refused with the element and the reason, never
ignored. The knowledge is in tables (``elements``, ``bpmn_words``,
``camunda_words``): to execute more, change a line there.
"""

from typing import TYPE_CHECKING

from mpms.engine.late import late

if TYPE_CHECKING:
    from mpms.engine.lint.checking import Lint, check, check_names, lint_model
    from mpms.engine.lint.view import Known
else:
    __getattr__ = late(
        __name__,
        {
            "Known": "view",
            "Lint": "checking",
            "check": "checking",
            "check_names": "checking",
            "lint_model": "checking",
        },
    )

__all__ = ["Known", "Lint", "check", "check_names", "lint_model"]
