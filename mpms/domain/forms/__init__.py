"""Forms: Camunda Forms JSON as the rule, plain sentences as errors."""

from __future__ import annotations

from mpms.domain.errors import FormInvalid
from mpms.domain.forms.checking import AnswersInvalid, FieldProblem, check_answers
from mpms.domain.forms.files import check_form
from mpms.domain.forms.reading import INPUT_TYPES, Reading, check_schema, fields

__all__ = [
    "INPUT_TYPES",
    "AnswersInvalid",
    "FieldProblem",
    "FormInvalid",
    "Reading",
    "check_answers",
    "check_form",
    "check_schema",
    "fields",
]
