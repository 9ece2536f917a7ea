"""Test-drives on the pages and by the API: asked for, watched, looked at."""

from __future__ import annotations

import time
from io import BytesIO

import pytest

from mpms.bootstrap.testdrive_child import ChildDrives
from mpms.domain.people.people import Role
from mpms.services.testdrive.ask import Asked
from mpms.services.testdrive.drives import Drive, DriveBusy
from mpms.settings import Settings
from tests.support.drawings import draw, job
from tests.support.site import Browser
from tests.support.web_models import Studio

PATIENCE_S = 120.0


@pytest.fixture
def drives(studio: Studio) -> ChildDrives:
    return ChildDrives(Settings.read({}), studio.url)


@pytest.fixture
def admin(studio: Studio, drives: ChildDrives) -> Browser:
    studio.deploy(mixing__bpmn=studio.model())
    return studio.browser(Role.ADMIN, drives=drives)


def ended(drives: ChildDrives, address: str) -> Drive:
    give_up_at = time.monotonic() + PATIENCE_S
    while (drive := drives.look(address.rpartition("/")[2])).runs:
        assert time.monotonic() < give_up_at
        time.sleep(0.1)
    return drive


def test_an_uploaded_file_is_driven_beside_the_present_version(
    studio: Studio, drives: ChildDrives, admin: Browser
) -> None:
    assert "Test-drive before deploying" in admin.get("/models/deploy").text
    drawn = (
        f'<startEvent id="begin"/>{job("cut", "laser.cut", name="Cut")}'
        '<userTask id="load" name="Load" camunda:candidateGroups="loaders"/>'
        '<endEvent id="end"/>'
    )
    (xml,) = draw("mixing", drawn, "begin cut", "cut load", "load end").values()
    asked = {"orders": "100", "seeds": "3", "people": "2"}
    answer = admin.post(
        "/models/testdrive", data={**asked, "files": [(BytesIO(xml), "mixing.bpmn")]}
    )
    assert answer.status_code == 303
    address = answer.headers["Location"]
    with pytest.raises(DriveBusy):
        drives.begin(Asked(process="mixing"), by="somebody")
    busy = admin.post("/models/testdrive", data={"key": "mixing"})
    assert busy.status_code == 409
    assert "Another test-drive runs" in busy.text
    assert "Running …" in admin.get(address).text
    assert ended(drives, address).refused is None
    page = admin.get(address).text
    for said in (
        *("Beside the present version", "Not deployed yet", "Version 1", "clear"),
        "No worker of ours serves “laser.cut”",
        *("Not simulated", "data-heat-duration", "Times of the steps"),
    ):
        assert said in page
    assert admin.get(f"{address}/now").headers["HX-Refresh"] == "true"
    assert admin.get(f"{address}/new.bpmn").data == xml
    assert admin.get(f"{address}/present.bpmn").data == studio.model()
    assert admin.get(f"{address}/other.bpmn").status_code == 404
    german = studio.browser(Role.SUPERVISOR, "de", drives=drives).get(address).text
    assert "Neben der jetzigen Version" in german
    assert "Kein eigener Worker bedient" in german
    with studio.uow() as tx:
        assert tx.instances.find() == []


def test_a_draft_and_a_version_are_driven_and_errors_are_said(
    studio: Studio, drives: ChildDrives, admin: Browser
) -> None:
    for page in ("/models/mixing/edit", "/models/mixing/1"):
        assert "/models/testdrive" in admin.get(page).text
    drawn = studio.model(name="Load twice").decode()
    admin.post("/models/mixing/draft", json={"xml": drawn, "base": 1})
    data = {"key": "mixing", "draft": "1", "orders": "100"}
    drive = ended(drives, admin.post("/models/testdrive", data=data).location or "")
    assert drive.report is not None
    assert drive.report["present"]["title"] == "mixing, version 1"
    version = {"key": "mixing", "version": "7"}
    address = admin.post("/models/testdrive", data=version).location or ""
    assert "Version 7" in (ended(drives, address).refused or "")
    assert "Version 7" in admin.get(address).text
    viewer = studio.browser(Role.VIEWER, drives=drives)
    assert "/models/testdrive" not in viewer.get("/models/mixing/1").text
    assert viewer.post("/models/testdrive", data=version).status_code == 403


def test_a_site_without_test_drives_says_so(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    answer = studio.browser(Role.ADMIN).post("/models/testdrive", data={"key": "x"})
    assert answer.status_code == 409
    assert "This server runs no test-drives" in answer.text
