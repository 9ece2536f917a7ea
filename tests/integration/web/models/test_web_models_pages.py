"""What is deployed, by whom and why, and what differs between two versions."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.web_models import Studio

ROOT = Path(__file__).resolve().parents[4]
FORM = (ROOT / "forms" / "load_material.form").read_bytes()


@pytest.fixture
def two_versions(studio: Studio) -> Studio:
    studio.deploy(mixing__bpmn=studio.model(), load__form=FORM)
    studio.start_only("mixing", business_key="MO-1")
    studio.deploy("ask for the lot", mixing__bpmn=studio.model(name="Load and scan"))
    return studio


def test_versions_are_listed_with_who_and_why_and_what_runs(
    two_versions: Studio,
) -> None:
    page = two_versions.page("/models", role="viewer")
    assert "engineer" in page
    assert "ask for the lot" in page
    assert re.search(r'/cockpit/mixing\?version=1" class="chip chip-warn">1<', page)
    assert "/models/mixing/2/mixing.bpmn" in page
    assert "/models/mixing/compare?from=1&amp;to=2" in page
    assert "/models/forms/load_material/1" in page
    assert "Deploy files" not in page


def test_each_file_is_downloaded_as_it_was_deployed(two_versions: Studio) -> None:
    browser = two_versions.browser("supervisor")
    first = browser.get("/models/mixing/1/mixing.bpmn")
    assert first.data == two_versions.model()
    assert first.headers["Content-Disposition"] == "attachment"
    form = browser.get("/models/forms/load_material/1/load_material.form")
    assert json.loads(form.data) == json.loads(FORM)
    assert browser.get("/models/mixing/9/mixing.bpmn").status_code == 404
    assert browser.get("/models/forms/load_material/9/x.form").status_code == 404


def test_element_templates_are_listed_and_downloaded(studio: Studio) -> None:
    assert "Element templates" not in studio.page("/models")
    label = ROOT / "tests" / "data" / "element-templates" / "barcode_label.json"
    studio.deploy(label__json=label.read_bytes())
    page = studio.page("/models", role="viewer")
    assert "Element templates" in page
    assert "Prints a barcode on the printer of a place." in page
    address, older = re.findall(r'download="plant.label.json" href="([^"]+)"', page)
    assert (address[-1], older[-1]) == ("2", "1")
    browser = studio.browser("viewer")
    found = json.loads(browser.get(address.replace("&amp;", "&")).data)
    assert found in json.loads(label.read_bytes())
    other = "/models/element-template/template.json?id=plant.label&version=9"
    assert browser.get(other).status_code == 404


def test_the_lint_is_told_on_the_page_of_a_version(two_versions: Studio) -> None:
    page = two_versions.page("/models/mixing/1", role="viewer")
    assert "there is no form &#39;load&#39;" in page
    assert 'data-element="load" data-mark="finding-warn"' in page
    assert 'data-look="load"' in page
    two_versions.deploy(mixing__bpmn=two_versions.model(form="load_material"))
    assert "executed exactly as drawn" in two_versions.page("/models/mixing")


def test_two_versions_are_compared_by_list_and_marks(two_versions: Studio) -> None:
    page = two_versions.page("/models/mixing/compare?from=1&to=2", role="viewer")
    assert 'data-element="load" data-mark="part-changed" data-badge="≠"' in page
    assert "<del>Load</del>" in page
    assert "<ins>Load and scan</ins>" in page
    back = two_versions.page("/models/mixing/compare?from=2&to=1")
    assert "<ins>Load</ins>" in back
    same = two_versions.page("/models/mixing/compare?from=2&to=2")
    assert "Both versions do the same and look the same." in same


@pytest.mark.parametrize(
    "path",
    [
        "/models/nothing",
        "/models/nothing/1",
        "/models/mixing/7",
        "/models/mixing/compare?from=1&to=77",
        "/models/mixing/compare?from=x",
        "/models/mixing/compare?from=99999999999999999999",
        "/models/nothing/compare",
        "/models/forms/nothing",
        "/models/forms/nothing/1",
        "/models/decisions/nothing",
        "/models/decisions/nothing/1",
        "/models/decisions/nothing/edit",
    ],
)
def test_what_is_not_there_is_said_so(two_versions: Studio, path: str) -> None:
    assert two_versions.browser().get(path).status_code == 404


@pytest.mark.parametrize("language", ["de", "es"])
def test_pages_speak_the_readers_language(two_versions: Studio, language: str) -> None:
    word = {"de": "Vergleichen", "es": "Comparar"}[language]
    assert word in two_versions.page("/models", language=language)


def test_workers_see_no_models_and_leaders_deploy_none(two_versions: Studio) -> None:
    worker = two_versions.browser("worker")
    assert worker.get("/models").status_code == 403
    assert worker.get("/models/mixing/1/mixing.bpmn").status_code == 403
    leader = two_versions.browser("supervisor")
    assert leader.get("/models").status_code == 200
    for path in ("/models/deploy", "/models/mixing/2/migrate"):
        assert leader.get(path).status_code == 403
        assert leader.post(path).status_code == 403
    assert leader.post("/models/decisions/x/edit").status_code == 403


def test_a_form_is_shown_as_on_a_tablet_with_the_values_given(studio: Studio) -> None:
    studio.deploy(load__form=FORM)
    page = studio.page("/models/forms/load_material", role="viewer")
    assert "tablet-frame worker" in page
    assert "data-form" in page
    values = '{"material": {"name": "Zinc white"}}'
    shown = studio.browser().get(
        "/models/forms/load_material/1", query_string={"values": values}
    )
    assert shown.status_code == 200
    assert "Zinc white" in shown.text
    wrong = studio.browser().get("/models/forms/load_material/1?values=[1")
    assert wrong.status_code == 200
    assert "Write the values as JSON" in wrong.text
