"""Which tests ``make test-changed`` runs."""

from __future__ import annotations

import pytest

from tests.changed_tests import chosen_for

TESTS = {
    "tests/unit/test_orders.py": "from mpms.factory.domain.orders import Order",
    "tests/unit/web/test_pages.py": "from mpms.web import create_app",
    "tests/integration/web/test_forms.py": "from mpms.services.tasks import submit",
    "tests/integration/test_bench.py": "from tests.support.factory import Factory",
}


@pytest.mark.parametrize(
    ("changed", "chosen"),
    [
        ("mpms/services/tasks/submit.py", ["tests/integration/web/test_forms.py"]),
        ("mpms/factory/domain/orders.py", ["tests/unit/test_orders.py"]),
        ("mpms/web/__init__.py", ["tests/unit/web/test_pages.py"]),
        ("tests/support/factory.py", ["tests/integration/test_bench.py"]),
        ("tests/unit/test_orders.py", ["tests/unit/test_orders.py"]),
        ("tests/integration/web/conftest.py", ["tests/integration/web/test_forms.py"]),
        ("mpms/factory/services/orders/take.py", []),
        ("docs/unheard_of.md", []),
    ],
)
def test_a_change_means_the_tests_that_speak_of_it(
    changed: str, chosen: list[str]
) -> None:
    assert chosen_for([changed], TESTS) == chosen
