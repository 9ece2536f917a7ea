"""A model driven before it goes live: by the history, beside the present version."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from mpms import assets
from mpms.bootstrap.testdrive import drive_model
from mpms.cli import main
from mpms.domain.errors import ProcessUnknown
from mpms.domain.testdrive.as_json import report_json
from mpms.domain.testdrive.report import Report
from mpms.services.models.deploy import Refused
from mpms.services.testdrive.ask import Asked, NotDrivable
from mpms.settings import Settings
from tests.support.drawings import draw, in_a_row, job
from tests.support.paint_factory import ANSWERS, PaintFactory

MADE = 6
SHIPPED = assets.shipped_models()["warehouse.bpmn"]


@pytest.fixture
def plant(database_url: str) -> Iterator[PaintFactory]:
    with PaintFactory(database_url) as plant:
        plant.deploy_files(assets.shipped_models())
        # Instances begin by the time of the database.
        plant.clock.move((datetime.now(UTC) - plant.clock.now()).total_seconds() + 60)
        yield plant


def make_some(plant: PaintFactory) -> None:
    for number in range(MADE):
        instance_id = plant.make(f"O-{number}")
        while forms := plant.forms(instance_id):
            plant.submit(forms[0].task_id, ANSWERS[forms[0].element])


def driven(plant: PaintFactory, **asked: Any) -> Report:
    return drive_model(plant.services, Settings.read({}), Asked(**asked))


def with_a_pause() -> dict[str, bytes]:
    """The warehouse process, waiting two minutes before the connection is closed."""
    pause = (
        b'<bpmn:intermediateCatchEvent id="cool"><bpmn:incoming>to_cool</bpmn:incoming>'
        b"<bpmn:outgoing>cooled</bpmn:outgoing><bpmn:timerEventDefinition>"
        b"<bpmn:timeDuration>PT2M</bpmn:timeDuration></bpmn:timerEventDefinition>"
        b"</bpmn:intermediateCatchEvent>"
        b'<bpmn:sequenceFlow id="cooled" sourceRef="cool" targetRef="disconnect"/>'
    )
    flow = (
        b'<bpmn:sequenceFlow id="order_done_to_disconnect"'
        b' sourceRef="order_done" targetRef="disconnect"/>'
    )
    to_pause = (
        b'<bpmn:sequenceFlow id="to_cool" sourceRef="order_done" targetRef="cool" />'
    )
    assert flow in SHIPPED
    changed = SHIPPED.replace(flow, to_pause + pause)
    for side, name in ((b"outgoing", b"to_cool"), (b"incoming", b"cooled")):
        old = b"<bpmn:%s>order_done_to_disconnect<" % side
        changed = changed.replace(old, b"<bpmn:%s>%s<" % (side, name))
    return {"warehouse.bpmn": changed}


def test_recorded_orders_and_learnt_times_are_driven(plant: PaintFactory) -> None:
    make_some(plant)
    report = driven(plant, process="warehouse", seeds=1, people=2)
    assert (report.source, report.arrivals) == ("recorded", MADE)
    (run,) = report.new.runs
    assert (len(run.lead_times_s), run.failed, run.stuck) == (MADE, 0, {})
    learnt = {one.element: one for one in report.times if one.learnt}
    assert learnt["load_material"].samples == 3 * MADE
    assert learnt["move_to_material"].samples == 3 * MADE
    visits = {step.element: step.visits for step in run.steps}
    assert (visits["load_material"], visits["order_finished"]) == (3 * MADE, MADE)
    assert max(run.machines.values()) > 0
    told = report_json(report)
    floor, squares = told["floor"], told["new"]["floor_s"]
    side = floor["square_m"]
    for place in ("A", "tank"):
        square = [math.floor(part / side) for part in floor["places"][place]]
        assert square in [each[:2] for each in squares], "robots stood there"
    out_s = sum(seconds for _, _, seconds in squares)
    busy_s = sum(run.machines.values()) * run.lasted_s
    assert 0.3 * busy_s < out_s < 1.7 * busy_s


def test_a_draft_is_driven_beside_the_present_version(plant: PaintFactory) -> None:
    report = driven(plant, files=with_a_pause(), orders="20", seeds=3, people=3)
    assert report.present is not None
    assert report.present.title == "warehouse, version 1"
    lead = next(d for d in report.differences if d.figure == "lead_time_mean_s")
    assert lead.by.mean == pytest.approx(120.0, abs=1.0)
    assert lead.clear
    ended = next(d for d in report.differences if d.figure == "ended_share")
    assert (ended.by.mean, ended.clear) == (0.0, False)
    told = report_json(report)
    assert json.loads(json.dumps(told)) == told
    assert told["orders"] == {"count": 20, "source": "generated"}
    with plant.uow() as tx:
        assert tx.definitions.latest("warehouse").version == 1, "nothing was deployed"
        assert tx.instances.find() == [], "and nothing was started"


def test_a_model_of_somebody_else_says_what_was_assumed(plant: PaintFactory) -> None:
    drawn = (
        f'<startEvent id="begin"/>{job("cut", "laser.cut", name="Cut")}'
        '<userTask id="look" name="Look" camunda:candidateGroups="judge"/>'
        '<endEvent id="end"/>'
    )
    files = draw("cutting", drawn, "begin cut", "cut look", "look end")
    report = driven(plant, files=files, seeds=1, orders="month")
    assert report.present is None
    assert len(report.new.runs[0].lead_times_s) == report.arrivals
    assumed = " ".join(map(str, report.assumed))
    assert "No worker of ours serves “laser.cut”: Cut takes about 10 s." in assumed
    assert "Nobody is in the group judge" in assumed
    assert "No orders of this process are recorded" in assumed
    assert report.not_simulated


def test_fewer_robots_make_orders_wait(plant: PaintFactory) -> None:
    asked = {"process": "warehouse", "orders": "40", "days": 0.1, "seeds": 1}
    usual = driven(plant, **asked, people=9)
    one = driven(plant, **asked, people=9, robots=1)
    waits = [r.new.runs[0].figures()["waiting_mean_s"] or 0.0 for r in (usual, one)]
    assert waits[1] > waits[0]
    assert len(one.new.machines) == 1


def test_all_that_is_wrong_is_said_at_once(plant: PaintFactory) -> None:
    with pytest.raises(NotDrivable) as refused:
        driven(plant, process="warehouse", orders="fortnight", seeds=0, people=-1)
    for what in ("fortnight", "seeds", "people"):
        assert what in str(refused.value)
    with pytest.raises(ProcessUnknown):
        driven(plant, process="nothing")
    with pytest.raises(Refused, match="bad"):
        driven(plant, files={"bad.bpmn": b"<definitions/>"})
    two = {**in_a_row("one", "begin look end"), **in_a_row("two", "begin look end")}
    with pytest.raises(NotDrivable, match="one, two"):
        driven(plant, files=two)


def test_the_command_prints_a_table_or_json(
    plant: PaintFactory,
    tmp_path: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MPMS_DATABASE_URL", plant.url)
    file = tmp_path / "draft.bpmn"
    file.write_bytes(with_a_pause()["warehouse.bpmn"])
    asked = ["models", "testdrive", str(file), "--orders", "10", "--seeds", "2"]
    assert main([*asked, "--people", "2", "--json"]) == 0
    said = capsys.readouterr()
    told = json.loads(said.out)
    assert told["differences"][0]["figure"] == "lead_time_mean_s"
    assert "100 % of 40 orders" in said.err
    assert main([*asked, "--people", "2"]) == 0
    table = capsys.readouterr().out
    assert "warehouse, version 1" in table
    assert "difference (95 %)" in table
    assert "Not simulated:" in table
    assert main(["models", "testdrive", "nothing"]) != 0
    assert "nothing" in capsys.readouterr().err
