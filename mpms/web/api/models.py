"""Models by the API: every version, what is noticed, what differs between two."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from mpms.domain.models.difference import FactChange, PartChange
from mpms.ports.models.models import DeployedRow
from mpms.services.models.compare import compare_models
from mpms.services.models.listing import ModelLine, list_models
from mpms.services.models.show import show_model
from mpms.web.api.files import FindingShape
from mpms.web.api.operation import Call, Given, Section, Shape
from mpms.web.api.shapes import like
from mpms.web.api.values import ProcessKey, Version, shaped
from mpms.web.rights import READERS

section = Section("Models", "Versions of processes, decisions and forms, compared.")


@like(DeployedRow, without="key")
class DeployedVersion(Shape): ...


class ModelShape(Shape):
    key: str
    versions: list[DeployedVersion]


class ModelsShape(Shape):
    processes: list[ModelShape]
    decisions: list[ModelShape]
    forms: list[ModelShape]


class CheckedModel(Shape):
    key: str
    version: int
    findings: list[FindingShape]


@like(FactChange)
class FactShape(Shape): ...


@like(PartChange)
class ChangeInModel(Shape):
    facts: list[FactShape]


class Difference(Shape):
    old: int
    new: int
    changes: list[ChangeInModel]


class VersionQuery(Given):
    version: Version | None = Field(default=None, description="The newest without it.")


class CompareQuery(Given):
    old: Version | None = Field(default=None, description="The one before `new`.")
    new: Version | None = Field(default=None, description="The newest without it.")


@section.get("/models", READERS)
def list_all(call: Call) -> ModelsShape:
    """Everything that was ever deployed, by whom and when."""
    found = list_models(call.desk.uow, call.person.id)
    return ModelsShape(
        processes=_models(found.processes),
        decisions=_models(found.decisions),
        forms=_models(found.forms),
    )


@section.get("/models/{key}/findings", READERS)
def findings(call: Call, key: ProcessKey, query: VersionQuery) -> CheckedModel:
    """What is noticed about a deployed model."""
    found = show_model(call.desk.uow, call.desk.engine, key, query.version)
    return CheckedModel(
        key=key,
        version=found.shown.version,
        findings=shaped(FindingShape, found.findings),
    )


@section.get("/models/{key}/difference", READERS)
def compare(call: Call, key: ProcessKey, query: CompareQuery) -> Difference:
    """What differs between two versions, element by element."""
    found = compare_models(
        call.desk.uow, call.desk.engine, key, old=query.old, new=query.new
    )
    return Difference(
        old=found.old.version,
        new=found.new.version,
        changes=shaped(ChangeInModel, found.changes),
    )


def _models(lines: Sequence[ModelLine]) -> list[ModelShape]:
    return [
        ModelShape(key=line.key, versions=_versions(line.versions)) for line in lines
    ]


def _versions(rows: Sequence[DeployedRow]) -> list[DeployedVersion]:
    return shaped(DeployedVersion, rows)
