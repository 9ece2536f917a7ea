"""Ad-hoc subprocesses, in BPMN's words and in those of Camunda 8."""

from __future__ import annotations

from lxml import etree

from mpms.engine.model import AdHoc
from mpms.engine.reading.names import attribute, child_expression, is_true, tag_of
from mpms.engine.reading.zeebe import ad_hoc_words


def read_ad_hoc(node: etree._Element) -> AdHoc | None:
    if tag_of(node)[1] != "adHocSubProcess":
        return None
    return AdHoc(
        active=ad_hoc_words(node).get("activeElementsCollection"),
        completion=child_expression(node, "completionCondition") or None,
        cancels_remaining=is_true(node, "cancelRemainingInstances", otherwise=True),
        one_at_a_time=attribute(node, "ordering") == "Sequential",
    )
