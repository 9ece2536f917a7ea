"""Files are looked at first, deployed all or none, and running instances may follow."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from tests.support.web_models import Studio

ROOT = Path(__file__).resolve().parents[4]
FORM = (ROOT / "forms" / "load_material.form").read_bytes()
TABLE = (ROOT / "processes" / "weight_tolerance.dmn").read_bytes()


def deployed(studio: Studio) -> list[tuple[Any, ...]]:
    return list(
        studio.rows(
            "SELECT key, version, deployed_by, note FROM definitions"
            " UNION ALL SELECT key, version, deployed_by, note FROM decisions"
            " UNION ALL SELECT form, version, deployed_by, note FROM forms"
            " ORDER BY 1, 2"
        )
    )


def test_files_that_belong_together_are_deployed_together(studio: Studio) -> None:
    answer = studio.upload(
        ("models/mixing.bpmn", studio.model(form="load_material")),
        ("load_material.form", FORM),
        ("weight_tolerance.dmn", TABLE),
        note="first models",
    )
    assert answer.status_code == 303, answer.text
    assert deployed(studio) == [
        ("load_material", 1, "admin-en", "first models"),
        ("mixing", 1, "admin-en", "first models"),
        ("weight_tolerance", 1, "admin-en", "first models"),
    ]
    ((actor, data),) = studio.rows(
        "SELECT actor, data FROM events WHERE kind = 'deployed'"
    )
    assert actor == "admin-en"
    assert data["note"] == "first models"
    assert data["files"] == [
        *("load_material.form", "mixing.bpmn", "weight_tolerance.dmn")
    ]


def test_one_refused_file_keeps_all_from_being_deployed(studio: Studio) -> None:
    bad = studio.model().replace(b"userTask", b"adHocThing")
    answer = studio.upload(("mixing.bpmn", bad), ("load_material.form", FORM))
    assert answer.status_code == 422
    assert "Nothing was deployed" in answer.text
    assert deployed(studio) == []
    assert studio.rows("SELECT 1 FROM events WHERE kind = 'deployed'") == []


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.bpmn", b"", "the file is empty"),
        ("a.bpmn", b"<!DOCTYPE a><a/>", "DOCTYPE"),
        ("a.bpmn", b"no xml", "not readable XML"),
        ("a.dmn", b"<a/>", "no DMN file"),
        ("a.form", b"{", "not JSON"),
        ("a.exe", b"MZ", "only .bpmn (or .bpmn20.xml), .dmn"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(
    studio: Studio, name: str, content: bytes, reason: str
) -> None:
    answer = studio.upload((name, content))
    assert answer.status_code == 422
    assert reason in answer.text
    assert deployed(studio) == []


def test_no_file_is_said_so(studio: Studio) -> None:
    answer = studio.upload()
    assert answer.status_code == 422
    assert "Choose at least one file" in answer.text


def test_checking_only_deploys_nothing(studio: Studio) -> None:
    answer = studio.upload(("mixing.bpmn", studio.model()), do="check")
    assert answer.status_code == 200
    assert "These files can be deployed" in answer.text
    assert "there is no form" in answer.text
    assert deployed(studio) == []


@pytest.mark.parametrize("do", ["check", "deploy"])
def test_a_topic_that_nobody_serves_is_told_and_not_refused(
    studio: Studio, do: str
) -> None:
    work = b'serviceTask camunda:type="external" camunda:topic="robot.mvoe"'
    model = studio.model().replace(b"userTask", work)
    client = studio.browser()
    answer = client.post(
        "/models/deploy",
        data={"do": do, "files": [(BytesIO(model), "mixing.bpmn")]},
        follow_redirects=True,
    )
    assert answer.status_code == 200
    assert "the topic &#39;robot.mvoe&#39;; did you mean &#39;robot.move&#39;?" in (
        answer.text
    )
    assert len(deployed(studio)) == (1 if do == "deploy" else 0)


def test_the_same_file_again_makes_no_version(studio: Studio) -> None:
    studio.upload(("mixing.bpmn", studio.model()))
    answer = studio.upload(("mixing.bpmn", studio.model()), note="again")
    assert [row[1] for row in deployed(studio)] == [1]
    page = studio.browser().get(answer.location)
    assert page.status_code == 200


def test_a_message_that_another_process_waits_for_is_refused(studio: Studio) -> None:
    started = studio.model().replace(
        b'<startEvent id="begin"/>',
        b'<startEvent id="begin"><messageEventDefinition id="m"'
        b' messageRef="go"/></startEvent>',
    )
    started = started.replace(b"<process ", b'<message id="go" name="go"/><process ')
    studio.upload(("mixing.bpmn", started))
    other = started.replace(b'process id="mixing"', b'process id="other"')
    answer = studio.upload(("other.bpmn", other))
    assert answer.status_code == 422
    assert "starts the process" in answer.text
    assert [row[0] for row in deployed(studio)] == ["mixing"]


def test_running_instances_are_offered_to_follow(studio: Studio) -> None:
    studio.upload(("mixing.bpmn", studio.model()))
    instance = studio.start_only("mixing", business_key="MO-1")
    answer = studio.upload(("mixing.bpmn", studio.model(name="Load and scan")))
    assert answer.location == "/models/mixing/2/migrate"
    page = studio.page(answer.location)
    assert re.search(r'big-number">1</span> <span>can be migrated', page)
    assert "MO-1" in page
    silent = studio.browser().post("/models/mixing/2/migrate", data={"from": "1"})
    assert silent.status_code == 422
    assert "Enter a reason for the migration" in silent.text
    studio.browser().post(
        "/models/mixing/2/migrate", data={"from": "1", "reason": "scan from now on"}
    )
    studio.work()
    ((version,),) = studio.rows(
        "SELECT d.version FROM instances AS i JOIN definitions AS d"
        f" ON d.id = i.definition_id WHERE i.id = '{instance}'"
    )
    assert version == 2
    ((actor, data),) = studio.rows(
        "SELECT actor, data FROM events WHERE kind = 'migrated'"
    )
    assert (actor, data["reason"]) == ("admin-en", "scan from now on")


def test_a_renamed_step_is_named_before_anybody_goes(studio: Studio) -> None:
    studio.upload(("mixing.bpmn", studio.model()))
    studio.start_only("mixing", business_key="MO-1")
    studio.upload(("mixing.bpmn", studio.model(step="load_it")))
    page = studio.page("/models/mixing/2/migrate")
    assert re.search(r'big-number">1</span> <span>cannot be migrated', page)
    assert "is not in the new version" in page
    assert 'name="become:load"' in page
    named = studio.page("/models/mixing/2/migrate?from=1&become:load=load_it")
    assert re.search(r'big-number">1</span> <span>can be migrated', named)
    answer = studio.browser().post(
        "/models/mixing/2/migrate",
        data={"from": "1", "become:load": "load_it", "reason": "renamed"},
    )
    assert answer.status_code == 303
    studio.work()
    assert studio.rows("SELECT element FROM tasks") == [("load_it",)]


def test_nothing_to_follow_is_said_so(studio: Studio) -> None:
    studio.upload(("mixing.bpmn", studio.model()))
    page = studio.page("/models/mixing/1/migrate")
    assert "No instances run in another version." in page


def test_a_refused_drawing_is_kept_to_be_mended_in_the_editor(studio: Studio) -> None:
    bad = studio.model().replace(b'targetRef="end"', b'targetRef="nowhere"')
    answer = studio.upload(("mixing.bpmn", bad))
    assert answer.status_code == 422
    assert "/models/mixing/edit" in answer.text
    opened = studio.browser().get("/models/mixing/edit/mixing.bpmn")
    assert opened.data == bad
    studio.upload(("mixing.bpmn", bad.replace(b"Mix paint", b"Other")))
    assert studio.browser().get("/models/mixing/edit/mixing.bpmn").data == bad


def test_checked_files_stay_chosen_and_the_change_is_shown_first(
    studio: Studio,
) -> None:
    studio.upload(("mixing.bpmn", studio.model()))
    form = b'{"id": "load", "components": []}'
    changed = studio.model(name="Load and scan")
    answer = studio.upload(
        ("mixing.bpmn", changed), ("load.form", form), do="check", note="scan"
    )
    assert "version 1 becomes 2" in answer.text
    assert "<del>Load</del>" in answer.text
    assert "<ins>Load and scan</ins>" in answer.text
    assert "there is no form" not in answer.text  # it comes with the same upload
    kept = re.findall(
        r'name="kept-name" value="(.*?)">.*?name="kept-content" value="(.*?)"',
        answer.text,
    )
    assert [name for name, _ in kept] == ["mixing.bpmn", "load.form"]
    again = studio.browser().post(
        "/models/deploy",
        data={
            "do": "deploy",
            "kept-name": [name for name, _ in kept],
            "kept-content": [content for _, content in kept],
            "drop:load.form": "1",
        },
    )
    assert again.status_code == 303
    assert [row[1] for row in deployed(studio)] == [1, 2]
    assert studio.rows("SELECT form FROM forms") == []


def test_what_runs_is_planned_before_anything_is_deployed(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    studio.start("mixing")
    moved = studio.model(step="load_again")
    answer = studio.upload(("mixing.bpmn", moved), do="check")
    assert "1 instance runs; it stays in its version" in answer.text
    assert "0 can be migrated, 1 cannot." in answer.text
    renamed = studio.upload(("mixing.bpmn", studio.model(name="Scan")), do="check")
    assert "1 can be migrated, 0 cannot." in renamed.text
    assert [row[1] for row in deployed(studio)] == [1]


def test_the_last_deployment_is_taken_back_in_one_step(studio: Studio) -> None:
    studio.deploy(mixing__bpmn=studio.model())
    studio.deploy(mixing__bpmn=studio.model(name="Scan"))
    studio.start("mixing")
    assert "Take back version 2" in studio.page("/models/mixing/2")
    assert "Take back" not in studio.page("/models/mixing/1")
    answer = studio.browser().post("/models/mixing/2/take-back")
    assert answer.location == "/models/mixing/3/migrate"  # the one that runs in 2
    assert studio.rows(
        "SELECT a.xml = b.xml, b.note FROM definitions a, definitions b"
        " WHERE a.version = 1 AND b.version = 3"
    ) == [(True, "takes back version 2, as version 1")]
    late = studio.browser().post("/models/mixing/2/take-back", follow_redirects=True)
    assert "Somebody deployed meanwhile" in late.text
    assert [row[1] for row in deployed(studio)] == [1, 2, 3]
