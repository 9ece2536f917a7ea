"""Decision tables by the API: read, changed rule by rule, tried."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from werkzeug.exceptions import Forbidden

from mpms.domain.models.decision_sheets import (
    AGGREGATIONS,
    HIT_POLICIES,
    SheetColumn,
    SheetRule,
)
from mpms.services.models.edit_decision import (
    DecisionPage,
    Tried,
    show_decision,
    try_decision,
    write_rules,
)
from mpms.web.api.files import ModelText
from mpms.web.api.models import VersionQuery, section
from mpms.web.api.operation import Call, Given, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import Variables, Version, shaped
from mpms.web.rights import LEADERS, READERS

__all__ = ["section"]

DecisionKey = Annotated[
    str, Field(min_length=1, max_length=200, description="The id of the decision.")
]
Cell = Annotated[str, Field(max_length=4000)]
Cells = Annotated[list[Cell], Field(max_length=200)]
HitPolicy = Literal[
    "UNIQUE",
    "FIRST",
    "ANY",
    "PRIORITY",
    "COLLECT",
    "RULE ORDER",
    "OUTPUT ORDER",
]
Aggregation = Literal["", "SUM", "MIN", "MAX", "COUNT"]
assert HitPolicy.__args__ == HIT_POLICIES  # type: ignore[attr-defined]  # noqa: S101
assert Aggregation.__args__ == ("", *AGGREGATIONS)  # type: ignore[attr-defined]  # noqa: S101


@like(SheetColumn)
class ColumnShape(Shape): ...


@like(SheetRule)
class RuleShape(Shape): ...


class DecisionShape(Shape):
    key: str
    name: str
    version: int
    is_table: bool
    expression: str
    hit_policy: str
    aggregation: str
    inputs: list[ColumnShape]
    outputs: list[ColumnShape]
    rules: list[RuleShape]
    needs: list[str]


class OfFile(Given):
    version: Version | None = Field(default=None, description="The newest without it.")
    content: ModelText | None = Field(
        default=None, description="A file that is not deployed, such as a draft."
    )


class Try(OfFile):
    variables: Variables = Field(default={})


class TriedShape(Shape):
    outputs: Any
    fired: dict[str, list[str]] = Field(description="Rules that held, by decision.")
    error: str


class NewRule(Given):
    id: Annotated[str, Field(max_length=200)] = Field(
        default="", description="Of a rule that is there; a new one has none."
    )
    inputs: Cells
    outputs: Cells
    note: Cell = ""


class NewRules(OfFile):
    rules: Annotated[list[NewRule], Field(max_length=1000)] = Field(
        description="All of them, in their order."
    )
    hit_policy: HitPolicy | None = Field(default=None, description="Else as it was.")
    aggregation: Aggregation | None = Field(default=None, description="Of COLLECT.")


class DecisionFile(Shape):
    content: str = Field(description="To be kept as a draft, or deployed.")


@section.get("/decisions/{key}", READERS)
def decision(call: Call, key: DecisionKey, query: VersionQuery) -> DecisionShape:
    """A decision table with its columns and rules."""
    found = show_decision(call.desk.uow, call.desk.tries, key, query.version)
    sheet = found.sheet
    return DecisionShape(
        key=sheet.key,
        name=sheet.name,
        version=found.shown.version,
        is_table=sheet.is_table,
        expression=sheet.expression,
        hit_policy=sheet.hit_policy,
        aggregation=sheet.aggregation,
        inputs=shaped(ColumnShape, sheet.inputs),
        outputs=shaped(ColumnShape, sheet.outputs),
        rules=shaped(RuleShape, sheet.rules),
        needs=list(sheet.needs),
    )


@section.post("/decisions/{key}/try", READERS, tries=True)
def decide(call: Call, key: DecisionKey, body: Try) -> TriedShape:
    """What a decision gives for these variables; nothing is changed.

    Who may only read tries what is deployed; a file of one's own is for leaders.
    """
    if body.content is not None and call.person.role not in LEADERS:
        raise Forbidden("Trying a file that is not deployed is open to leaders.")
    desk, page = call.desk, _page(call, key, body)
    tried = try_decision(
        desk.uow, desk.tries, page.xml, key, body.variables, now=desk.clock.now()
    )
    return _tried(tried)


@section.post("/decisions/{key}/rules", LEADERS, tries=True)
def rules(call: Call, key: DecisionKey, body: NewRules) -> DecisionFile:
    """The file of a decision with other rules; nothing is changed."""
    made = write_rules(
        call.desk.tries,
        _page(call, key, body),
        [
            SheetRule(rule.id, tuple(rule.inputs), tuple(rule.outputs), rule.note)
            for rule in body.rules
        ],
        hit_policy=body.hit_policy,
        aggregation=body.aggregation,
    )
    return DecisionFile(content=made.decode())


def _page(call: Call, key: str, body: OfFile) -> DecisionPage:
    xml = None if body.content is None else body.content.encode()
    return show_decision(call.desk.uow, call.desk.tries, key, body.version, xml=xml)


def _tried(tried: Tried) -> TriedShape:
    decided = tried.decided
    if decided is None:
        return TriedShape(outputs=None, fired={}, error=tried.error)
    fired = {name: list(rules) for name, rules in decided.fired.items()}
    return TriedShape(outputs=decided.outputs, fired=fired, error="")
