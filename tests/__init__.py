"""The tests: a package, so that they can import ``tests.support``."""

import pytest

# What a helper there asserts is told with its values, as in a test.
pytest.register_assert_rewrite("tests.support")
