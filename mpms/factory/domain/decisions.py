"""The forms that ask what becomes of an order that has stopped."""

from __future__ import annotations

from mpms.domain.tasks import Decision

DECISION_FORM = "order_failed"
"""How their keys begin."""

DECISIONS = (
    Decision(
        DECISION_FORM,
        "Order {key} has stopped",
        address="/orders/{key}",
        link="Show the order",
        message="error_message",  # in which the shipped models keep the cause
    ),
)


def asks_for_decision(form: str | None) -> bool:
    return form is not None and form.startswith(DECISION_FORM)
