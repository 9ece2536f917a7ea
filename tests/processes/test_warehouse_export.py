"""The history of the paint factory in files for process mining, read by PM4Py too."""

from __future__ import annotations

import json
import subprocess
import venv
from argparse import Namespace
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mpms.cli.instances import NotWritten, export
from mpms.domain.history.cases import Case
from mpms.services.history import export as exporting
from mpms.services.history.export import (
    FORMATS,
    MOST_CASES,
    export_history,
    read_cases,
)
from mpms.services.history.window import TooManyCases, Window, WindowTurned
from tests.support.paint_factory import PaintFactory

SINCE, UNTIL = datetime(2020, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
PM4PY = "pm4py==2.7.23.11"  # half a gigabyte with what it needs, under the AGPL
READ = """
import json, sys, pm4py
log = pm4py.read_xes(sys.argv[1])
ocel = pm4py.read_ocel2_json(sys.argv[2])
of = ocel.objects[ocel.objects["ocel:type"] == "instance"]
print(json.dumps({
    "cases": sorted(log["case:concept:name"].unique()),
    "activities": log["concept:name"].value_counts().to_dict(),
    "phases": log["lifecycle:transition"].value_counts().to_dict(),
    "zoned": str(log["time:timestamp"].dtype),
    "objects": sorted(of["ocel:oid"]),
    "types": sorted(ocel.objects["ocel:type"].unique()),
    "events": ocel.events["ocel:activity"].value_counts().to_dict(),
}))
"""


def made_orders(plant: PaintFactory) -> list[str]:
    """One that is done and one that has just begun."""
    done = plant.make("MO-1")
    plant.confirm_everything()
    return [done, plant.make("MO-2")]


def cases_of(plant: PaintFactory, *, most_cases: int = MOST_CASES) -> list[Case]:
    window = Window("warehouse", SINCE, UNTIL)
    return list(read_cases(plant.uow, plant.engine, window, most_cases=most_cases))


def written(plant: PaintFactory, directory: Path, form: str) -> Path:
    out = directory / f"history.{form}"
    window = {"since": SINCE, "until": UNTIL}
    asked = Namespace(process="warehouse", out=str(out), format=form, **window)
    told, well = export(plant.services, asked)
    assert well
    assert isinstance(told, dict)
    assert told["bytes"] == out.stat().st_size
    assert [path.name for path in directory.glob("*.part")] == []
    return out


def test_orders_lots_and_robots_are_objects(
    plant: PaintFactory, tmp_path: Path
) -> None:
    done, begun = made_orders(plant)
    made = json.loads(written(plant, tmp_path, "ocel").read_text())
    kinds = Counter(thing["type"] for thing in made["objects"])
    assert kinds["instance"] == kinds["order"] == 2
    assert kinds["lot"] == 1  # every form was answered with L-7
    assert kinds["robot"] >= 1
    assert any(
        {"objectId": "lot:L-7", "qualifier": "uses"} in e["relationships"]
        for e in made["events"]
        if e["type"] == "Load material"
    )
    known = {thing["id"] for thing in made["objects"]}
    related = [r for e in made["events"] for r in e["relationships"]]
    assert {r["objectId"] for r in related} <= known
    drives = [e for e in made["events"] if e["type"] == "Move to material"]
    assert drives
    for drive in drives:
        parts = {r["qualifier"]: r["objectId"] for r in drive["relationships"]}
        assert parts["of"] in (f"instance:{done}", f"instance:{begun}")
        assert parts["performs"].startswith("robot:")
        assert parts["concerns"] in ("order:MO-1", "order:MO-2")
    told = [{a["name"]: a["value"] for a in e["attributes"]} for e in made["events"]]
    loading = [one for one in told if one["element"] == "load_material"]
    assert {one.get("resource") for one in loading} == {"ada", None}  # MO-2 waits
    assert {one["lifecycle"] for one in loading} == {"start", "complete"}


def test_a_window_with_too_many_instances_is_refused(plant: PaintFactory) -> None:
    made_orders(plant)
    with pytest.raises(TooManyCases, match="More than 1 instances of warehouse"):
        cases_of(plant, most_cases=1)
    turned = Window("warehouse", UNTIL, SINCE)
    with pytest.raises(WindowTurned):
        export_history(plant.uow, plant.engine, turned, form="xes")


def test_a_case_with_too_many_lines_is_cut_and_says_so(
    plant: PaintFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_orders(plant)
    monkeypatch.setattr(exporting, "MOST_LINES", 40)
    assert [case.cut for case in cases_of(plant)] == [True, False]


def test_a_file_that_cannot_be_written_is_named(
    plant: PaintFactory, tmp_path: Path
) -> None:
    made_orders(plant)
    with pytest.raises(NotWritten, match="No such file or directory"):
        written(plant, tmp_path / "not there", "xes")


@pytest.mark.soak
def test_pm4py_finds_the_same_cases_and_activities(
    plant: PaintFactory, tmp_path: Path
) -> None:
    python = with_pm4py(tmp_path / "pm4py")
    ids = made_orders(plant)
    files = [written(plant, tmp_path, form) for form in FORMATS]
    ran = subprocess.run(
        [python, "-c", READ, *files], check=True, capture_output=True, text=True
    )
    found = json.loads(ran.stdout.strip().splitlines()[-1])
    cases = cases_of(plant)
    steps = [step for case in cases for step in case.steps]
    names = dict(Counter(step.name for step in steps))
    assert found["cases"] == sorted(ids) == sorted(case.head.id for case in cases)
    assert found["objects"] == sorted(f"instance:{one}" for one in ids)
    assert found["activities"] == found["events"] == names
    assert found["phases"] == dict(Counter(str(step.phase) for step in steps))
    assert "UTC" in found["zoned"]
    assert found["types"] == ["instance", "lot", "order", "robot"]


def with_pm4py(directory: Path) -> str:
    """A Python of its own that has the library; skips where it cannot be fetched."""
    venv.create(directory, with_pip=True)
    python = str(directory / "bin" / "python")
    install = [python, "-m", "pip", "install", "--quiet", PM4PY]
    ran = subprocess.run(install, check=False, capture_output=True, text=True)
    if ran.returncode:
        pytest.skip(f"PM4Py cannot be installed: {ran.stderr.strip()[-300:]}")
    return python
