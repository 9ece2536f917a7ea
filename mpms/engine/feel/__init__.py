"""FEEL, the expression language of DMN 1.3 and of Camunda 8, as a language of our own.

Nothing of it reaches Python: a text becomes tokens, a tree and closures, which know the
values of FEEL and a fixed list of functions, and every step is counted.
"""

from .expression import FeelExpression, compile_feel, compile_feel_condition
from .unary import FeelTests, compile_unary_tests

__all__ = [
    "FeelExpression",
    "FeelTests",
    "compile_feel",
    "compile_feel_condition",
    "compile_unary_tests",
]
