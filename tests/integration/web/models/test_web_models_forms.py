"""Forms are drawn on the pages: kept as drafts, checked, shown, deployed."""

from __future__ import annotations

import json
from typing import Any

from tests.support.web_models import Studio

FIELD = {"key": "lot", "type": "scan", "label": "Lot of {{material}}"}
FORM = {"id": "load", "components": [FIELD]}


def keep(studio: Studio, schema: object, **more: Any) -> Any:
    posted = {"schema": schema, **more}
    return studio.browser().post("/models/forms/load/draft", json=posted)


def test_a_new_form_is_drawn_checked_previewed_and_deployed(studio: Studio) -> None:
    browser = studio.browser()
    assert browser.post("/models/forms/new", data={"key": "a b"}).status_code == 422
    begun = browser.post("/models/forms/new", data={"key": "load"})
    assert begun.location == "/models/forms/load/edit"
    page = browser.get(begun.location)
    assert "style-src-attr 'unsafe-inline'" in page.headers["Content-Security-Policy"]
    said = keep(studio, FORM, values='{"material": "Water"}').get_json()
    assert said["findings"] == []
    assert "Lot of Water" in said["preview"]
    wrong = {"id": "load", "components": [FIELD, {"key": "x", "type": "iframe"}]}
    said = keep(studio, wrong).get_json()
    assert "it would load pages from elsewhere" in said["findings"][0]["reason"]
    refused = browser.post("/models/forms/load/deploy")
    assert refused.status_code == 422
    assert "Nothing was deployed" in refused.text
    assert "/models/forms/load/edit" in browser.get("/models").text  # still a draft
    keep(studio, FORM | {"id": "another"})  # the address says which form it is
    deployed = browser.post("/models/forms/load/deploy", data={"note": "lots"})
    assert deployed.status_code == 303
    ((name, schema, note),) = studio.rows("SELECT form, schema, note FROM forms")
    assert (name, schema["components"], note) == ("load", [FIELD], "lots")
    assert browser.post("/models/forms/load/deploy").status_code == 404
    again = browser.post("/models/forms/new", data={"key": "load"})
    assert "is deployed already" in again.text


def test_a_form_is_shown_with_what_a_real_task_knows(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model(), load__form=json.dumps(FORM).encode())
    studio.start("mixing", "B-7", material="Water")
    ((task,),) = studio.rows("SELECT task_id FROM tasks")
    page = studio.browser("viewer").get(f"/models/forms/load/1?task={task}")
    assert "B-7: Load" in page.text
    assert "Lot of Water" in page.text
    editor = studio.browser().get(f"/models/forms/load/edit?task={task}")
    assert "&#34;material&#34;: &#34;Water&#34;" in editor.text


def test_a_draft_is_thrown_away_and_nonsense_is_refused(studio: Studio) -> None:
    studio.deploy(load__form=json.dumps(FORM).encode())
    keep(studio, {"id": "load", "components": []})
    assert studio.rows("SELECT kind, base_version FROM model_drafts") == [("form", 1)]
    assert studio.browser().post("/models/forms/load/discard").status_code == 303
    assert studio.rows("SELECT 1 FROM model_drafts") == []
    assert keep(studio, "no form").status_code == 400
    assert studio.browser().get("/models/forms/nothing/edit").status_code == 404
    assert (
        studio.browser("supervisor").get("/models/forms/load/edit").status_code == 403
    )
