"""A process is started from the browser, with the form at its start event."""

from __future__ import annotations

import json

from tests.support.web_models import Studio

FORM = {
    "id": "begin_mixing",
    "components": [
        {
            "key": "kg",
            "type": "number",
            "label": "Amount in kg",
            "validate": {"required": True, "min": 1},
        }
    ],
}


def test_a_start_form_is_filled_in_checked_and_becomes_variables(
    studio: Studio,
) -> None:
    asks = b'<startEvent id="begin" camunda:formKey="begin_mixing"/>'
    model = studio.model().replace(b'<startEvent id="begin"/>', asks)
    assert asks in model
    studio.deploy(mixing__bpmn=model, begin__form=json.dumps(FORM).encode())
    leader = studio.browser("supervisor")
    page = leader.get("/cockpit/mixing/start")
    assert "Amount in kg" in page.text
    wrong = leader.post("/cockpit/mixing/start", data={"kg": "0"})
    assert wrong.status_code == 422
    assert studio.rows("SELECT 1 FROM instances") == []
    answer = leader.post(
        "/cockpit/mixing/start", data={"kg": "20", "business_key": "B-7"}
    )
    assert answer.status_code == 303
    ((instance, key),) = studio.rows(
        "SELECT id::text, business_key FROM instances WHERE key = 'mixing'"
    )
    assert (answer.location, key) == (f"/cockpit/i/{instance}", "B-7")
    assert studio.rows(
        "SELECT data->>'new' FROM events"
        " WHERE kind = 'variable' AND data->>'name' = 'kg'"
    ) == [("20",)]


def test_without_a_form_variables_are_typed_and_bad_ones_named(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    leader = studio.browser("supervisor")
    assert "Start one" in leader.get("/cockpit/mixing").text
    assert "Variables" in leader.get("/cockpit/mixing/start").text
    bad = leader.post("/cockpit/mixing/start", data={"values": "[1]"})
    assert bad.status_code == 422
    assert "Write the variables as JSON" in bad.text
    assert leader.post("/cockpit/mixing/start", data={}).status_code == 303
    assert studio.browser("viewer").get("/cockpit/mixing/start").status_code == 403


def test_a_form_that_is_missing_and_a_start_by_message_are_said(
    studio: Studio,
) -> None:
    asks = b'<startEvent id="begin" camunda:formKey="nowhere"/>'
    studio.deploy(
        mixing__bpmn=studio.model().replace(b'<startEvent id="begin"/>', asks)
    )
    page = studio.page("/cockpit/mixing/start")
    assert "names the form nowhere, which is not deployed" in page
    hears = (
        b'<startEvent id="begin"><messageEventDefinition messageRef="come"/>'
        b"</startEvent>"
    )
    by_message = studio.model().replace(b'<startEvent id="begin"/>', hears)
    by_message = by_message.replace(
        b"<process ", b'<message id="come" name="come"/><process ', 1
    )
    studio.deploy(mixing__bpmn=by_message)
    page = studio.page("/cockpit/mixing/start")
    assert "Only a message, a signal or a timer starts this process." in page
