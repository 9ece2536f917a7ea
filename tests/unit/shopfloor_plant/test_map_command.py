"""Commands that build a map, and that choose how a mission plans and tracks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from shopfloor import cli
from shopfloor.grid import read_map
from shopfloor.pilot import Pilot, PilotSettings
from shopfloor.plant import grid_of
from shopfloor.sim.world import World, WorldRefused
from shopfloor.sim.world_file import load_world

ROOT = Path(__file__).resolve().parents[3]
LAB = ROOT / "worlds" / "arco_lab"


@pytest.mark.covers("A20")
@pytest.mark.long
def test_a_round_through_the_places_builds_the_map_of_the_world(
    tmp_path: Path, arco_lab: World, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["map", str(LAB), "--out", str(tmp_path / "lab.yaml")]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["not_reached"] == []
    assert facts["seen_share"] > 0.95
    assert facts["right_share"] > 0.95
    built, drawn = read_map(tmp_path / "lab.yaml"), grid_of(arco_lab.map)
    assert built.cells.shape == drawn.cells.shape
    assert np.mean(built.cells[drawn.cells == 0] == 0) > 0.95


def test_a_map_is_asked_for_by_its_yaml_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["map", str(LAB), "--out", str(tmp_path / "lab.png")]) == 2
    assert "YAML" in capsys.readouterr().err


def test_a_robot_plans_with_lazy_theta_where_its_world_says_so(
    arco_lab: World,
) -> None:
    grid = grid_of(arco_lab.map)
    places = arco_lab.places
    used = []
    for planner in ("auto", "lazy_theta"):
        pilot = Pilot(grid, settings=PilotSettings(planner=planner))
        home, goal = (places[name] for name in ("home", "C"))
        found = pilot.routes.find(home, goal, 0.0)  # type: ignore[arg-type]
        assert hasattr(found, "xy")
        used.append(pilot.routes.used)
    assert used == [{"corner_graph"}, {"lazy_theta"}]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("planner: dijkstra", "planner is 'dijkstra', none of auto, lazy_theta"),
        ("tracking: sideways", "tracking is 'sideways', none of straight, holonomic"),
    ],
)
def test_a_planner_or_tracking_that_is_unknown_is_refused_with_those_that_exist(
    tmp_path: Path, line: str, words: str
) -> None:
    (tmp_path / "world.yaml").write_text(
        "name: w\nmap: {width_m: 4, height_m: 4}\n"
        "places: {home: {x_m: 1, y_m: 1, yaw_deg: 0}}\n"
        f"robots: [{{id: r1, home: home, {line}}}]\n"
    )
    with pytest.raises(WorldRefused, match=words):
        load_world(tmp_path)
