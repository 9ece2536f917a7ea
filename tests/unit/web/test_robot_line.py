"""What the card of a task says of its robot."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from jinja2 import Environment, FileSystemLoader

from mpms.factory.services.tasks.listing import RobotNear

ROOT = Path(__file__).resolve().parents[3]
TEMPLATES = [ROOT / each / "web" / "templates" for each in ("mpms/factory", "mpms")]


@pytest.mark.parametrize(
    ("near", "said", "unsaid"),
    [
        (RobotNear("r1", here=True, distance_m=0.2), "r1 is here", "moved away"),
        (
            RobotNear("r1", here=False, distance_m=5.2, moved_away=True),
            "r1 was here and has been moved away: 5 m",
            "is here",
        ),
        (
            RobotNear(
                "r1", here=False, distance_m=5.2, eta_s=7, why_not="does not answer"
            ),
            "r1: does not answer",
            "arrives in",
        ),
    ],
)
def test_the_card_says_where_the_robot_is_and_why_it_does_not_drive(
    near: RobotNear, said: str, unsaid: str
) -> None:
    pages = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=True)
    pages.filters |= dict.fromkeys(("kg", "ago", "date", "day", "number", "time"), str)
    pages.globals |= {
        "t": lambda text, **values: text.format(**values),
        "icon": lambda name: "",
    }
    macros = pages.get_template("_task_bits.html").make_module(pages.globals)
    told = str(macros.robot_line(SimpleNamespace(robot=near)))  # type: ignore[attr-defined]
    assert said in told
    assert unsaid not in told
