"""Test-drives in every state that a page may show, without driving anything."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from mpms.services.testdrive.ask import Asked
from mpms.services.testdrive.drives import Drive, DriveUnknown

BEGUN, RUNS, REFUSED, BESIDE, ALONE, UNKNOWN = (
    str(UUID(int=number, version=4)) for number in range(6)
)
XML = b'<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"/>'
FLOOR = {
    **{"square_m": 0.5, "left_m": 0.0, "bottom_m": 0.0, "width_m": 4.0},
    **{"height_m": 3.0, "walls": [[0.0, 0.0, 4.0, 0.0]], "places": {"scale": [1, 1]}},
}
LEAD = {"mean": 90.0, "low": None, "high": None}


def _version(title: str, **more: Any) -> dict[str, Any]:
    return {
        "title": title,
        "figures": {"lead_time_mean_s": LEAD, "robot_use": None, "people_use": LEAD},
        "robots": {},
        "people": {"ana": 0.5},
        "failed": 0,
        "stuck": {},
        "steps": [
            {
                "element": "look",
                "name": "Look",
                "kind": "userTask",
                "visits": visits,
                "duration_s": seconds,
                "waiting_s": seconds / 2,
            }
            for visits, seconds in ((3, 7200.0), (1, 0.0))
        ],
        "floor_s": [],
        **more,
    }


def _report(**more: Any) -> dict[str, Any]:
    note = "Nobody is in the group {group}: one person was assumed."
    return {
        "process": "look",
        "orders": {"count": 3, "source": "recorded"},
        "seeds": [1, 2],
        "new": _version("look, not deployed", robots={"robot1": 0.25}),
        "present": _version("look, version 1", stuck={"waits at Look": 2}),
        "differences": [
            {
                "figure": "lead_time_mean_s",
                **{"present": 100.0, "new": 90.0, "difference": -10.0},
                **{"low": -12.0, "high": -8.0, "clear": True},
            },
            _unsure("people_use", 0.0),
        ],
        "times": [
            {"element": "look", "name": "Look", "samples": n, "median_s": 9.0}
            | {"source": source}
            for n, source in ((7, "history"), (0, "default"))
        ],
        "assumed": [{"sentence": "", "text": note, "holes": {"group": "mixers"}}],
        "not_simulated": [
            {
                "sentence": "",
                "text": "Batteries: every robot is always charged.",
                "holes": {},
            }
        ],
        "took_s": 1.5,
        "floor": None,
        **more,
    }


def _unsure(figure: str, by: float) -> dict[str, Any]:
    told = {"figure": figure, "present": 90.0, "new": 90.0}
    return {**told, "difference": by, "low": None, "high": None, "clear": False}


class ShownDrives:
    """Begins none."""

    def __init__(self) -> None:
        alone = _report(
            present=None,
            orders={"count": 200, "source": "generated"},
            assumed=[],
            times=[],
            differences=[],
            floor={**FLOOR, "places": {}},
        )
        alone["new"]["floor_s"] = [[1, 1, 60.0]]
        asked, models = Asked(), {"new": XML, "present": XML}
        beside = _report(differences=[_unsure("lead_time_mean_s", -3.0)])
        beside["present"]["figures"]["robot_use"] = LEAD
        beside["floor"] = FLOOR
        beside["new"]["floor_s"] = [[1, 1, 3600.0], [2, 1, 12.0]]
        beside["present"]["floor_s"] = [[1, 1, 1800.0], [3, 2, 1.0]]
        self._drives = {
            BEGUN: Drive(BEGUN, "eva", asked, report=beside, models=models),
            RUNS: Drive(RUNS, "eva", asked, done=10, of=600),
            REFUSED: Drive(REFUSED, "eva", asked, refused="No."),
            BESIDE: Drive(BESIDE, "eva", asked, report=_report(), models=models),
            ALONE: Drive(ALONE, "eva", asked, report=alone, models={"new": XML}),
        }
        just = str(UUID(int=9, version=4))
        self._drives[just] = Drive(just, "eva", asked)

    def begin(self, asked: Asked, *, by: str) -> str:
        return RUNS

    def look(self, drive_id: str) -> Drive:
        if drive_id not in self._drives:
            raise DriveUnknown
        return self._drives[drive_id]


IDS = (BEGUN, RUNS, REFUSED, BESIDE, ALONE, UNKNOWN, str(UUID(int=9, version=4)))
