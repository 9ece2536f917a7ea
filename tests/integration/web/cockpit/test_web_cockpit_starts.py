"""New starts of a process are stopped and allowed on its page, with a reason."""

from __future__ import annotations

import pytest

from mpms.domain.errors import ProcessSuspended
from tests.support.web_cockpit import Panel


def test_without_a_reason_nothing_is_stopped_and_nothing_typed_is_lost(
    panel: Panel,
) -> None:
    client = panel.browser()
    asked = {"reason": "  ", "instances": "1"}
    answer = client.post("/cockpit/mixing/suspend", data=asked)
    assert answer.status_code == 422
    assert "Enter a reason" in answer.text
    assert 'name="instances" value="1" checked' in answer.text
    panel.mix("MO-1")


def test_stopped_once_is_stopped_and_said_again_it_is_refused(panel: Panel) -> None:
    client = panel.browser()
    asked = {"reason": "the scale is off"}
    assert client.post("/cockpit/mixing/suspend", data=asked).status_code == 303
    with pytest.raises(ProcessSuspended):
        panel.mix("MO-1")
    assert "the scale is off" in panel.page("/cockpit/mixing", role="viewer")
    assert client.post("/cockpit/mixing/suspend", data=asked).status_code == 422
    assert client.post("/cockpit/mixing/resume", data=asked).status_code == 303
    assert client.post("/cockpit/mixing/resume", data=asked).status_code == 422
    panel.mix("MO-1")


def test_a_viewer_sees_no_button_and_may_not_stop_anything(panel: Panel) -> None:
    assert "Stop new starts" in panel.page("/cockpit/mixing")
    assert "Stop new starts" not in panel.page("/cockpit/mixing", role="viewer")
    refused = panel.browser("viewer").post(
        "/cockpit/mixing/suspend", data={"reason": "no"}
    )
    assert refused.status_code == 403


def test_a_process_that_nobody_knows_cannot_be_stopped(panel: Panel) -> None:
    answer = panel.browser().post("/cockpit/moon/suspend", data={"reason": "no"})
    assert answer.status_code == 404
