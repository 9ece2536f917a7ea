"""What the history of an instance tells about its decisions."""

from typing import Protocol

from tests.support.bpmn_drawing import Drawing
from tests.support.bpmn_play import Player


class TableText(Protocol):
    def table(self, rows: object, **options: object) -> str: ...
    def file(self, *decisions: str, namespace: str = ...) -> bytes: ...


NEEDS = (
    '<informationRequirement><requiredDecision href="{}#size"/>'
    "</informationRequirement>"
)


def tables(dmn: TableText, document: str) -> tuple[str, str]:
    size = dmn.table([(["> 1"], ['"large"'])], key="size", outputs=("s",))
    robot = dmn.table(
        [(['"small"'], ["1"]), (['"large"'], ["2"])],
        key="robot",
        inputs=("size",),
        outputs=("r",),
        extra=NEEDS.format(document),
    )
    return size, robot


def test_the_rules_of_every_decision_on_the_way_are_noted(
    draw: Drawing, play: Player, dmn: TableText
) -> None:
    here = dmn.file(*tables(dmn, ""))
    size, robot = tables(dmn, "http://elsewhere")
    apart = {"size": dmn.file(size), "robot": dmn.file(robot)}
    for files in ({"size": here, "robot": here}, apart):
        rule = draw.rule("robot", resultVariable="v", mapDecisionResult="singleEntry")
        model = draw("start -> r -> a", r=rule)
        run = play(model, {"x": 2}, decisions=files.get)
        assert run.variables["v"] == 2
        (noted,) = [line for line in run.trace if line.kind == "decided"]
        assert noted.data["rules"] == ["r2"]
        assert noted.data["tables"] == [
            {"decision": "size", "rules": ["r1"], "inputs": [2]},
            {"decision": "robot", "rules": ["r2"], "inputs": ["large"]},
        ]
