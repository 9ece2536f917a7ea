"""The expression language of models: conditions, mappings, timers and scripts.

Models come from outside, and a language that reaches the interpreter underneath
reaches the whole machine. So this one is its own: a tokenizer, a parser and closures,
which know JSON values, a few operators and a fixed list of functions. A text that
begins with ``=`` is FEEL, the second language, which lives in ``mpms.engine.feel``.

In the first, whole numbers are exact; all others are binary floats, so ``0.1 + 0.2 ==
0.3`` is false as in Python and JUEL: compare ``round(a, 3) == round(b, 3)``.
"""

from .compiled import Expression, expect_bool
from .expression import (
    compile_condition,
    compile_expression,
    compile_input_test,
    compile_value,
    is_expression,
    is_feel,
)
from .parser import ITS_BUSINESS_KEY
from .scripts import Script, compile_script
from .templates import is_template
from .times import (
    Cycle,
    Duration,
    parse_cycle,
    parse_duration,
    parse_instant,
    parse_retry_cycle,
)

__all__ = [
    "ITS_BUSINESS_KEY",
    "Cycle",
    "Duration",
    "Expression",
    "Script",
    "compile_condition",
    "compile_expression",
    "compile_input_test",
    "compile_script",
    "compile_value",
    "expect_bool",
    "is_expression",
    "is_feel",
    "is_template",
    "parse_cycle",
    "parse_duration",
    "parse_instant",
    "parse_retry_cycle",
]
