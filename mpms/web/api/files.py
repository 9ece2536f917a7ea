"""Files of models by the API: fetched in any version, checked, deployed."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from mpms.domain.errors import NotFound
from mpms.services.models.check import Finding, check_model
from mpms.services.models.deploy import Deployment, deploy_models
from mpms.services.models.show import ModelUnknown, model_file
from mpms.web.api.operation import Call, File, Given, Shape
from mpms.web.api.processes import section
from mpms.web.api.shapes import like
from mpms.web.api.values import Listed, ProcessKey, Version, shaped
from mpms.web.rights import ADMINS, EVERYBODY, LEADERS

__all__ = ["section"]

XML = "application/xml"
FileName = Annotated[str, Field(min_length=1, max_length=200)]
ModelText = Annotated[str, Field(max_length=8_000_000)]
Note = Annotated[str, Field(max_length=500)]
FileKey = Annotated[str, Field(min_length=1, max_length=200, description="Its id.")]


class FormFile(Shape):
    form: str
    schema_: dict[str, Any] = Field(serialization_alias="schema")


class TemplateFile(Shape):
    id: str
    template: dict[str, Any]


class WhichTemplate(Given):
    id: FileKey
    version: Annotated[int, Field(ge=0, le=2**31 - 1)]


class Files(Given):
    files: Annotated[
        dict[FileName, ModelText],
        Field(
            min_length=1,
            max_length=100,
            description="Contents by file name; names end in .bpmn, .dmn or .form.",
        ),
    ]

    def contents(self) -> dict[str, bytes]:
        return {name: text.encode() for name, text in self.files.items()}


class NewFiles(Files):
    note: Note = ""


class DeployedShape(Shape):
    key: str
    version: int
    name: str


class WarningShape(Shape):
    file: str
    element: str
    name: str
    reason: str


class Deployed(Shape):
    processes: list[DeployedShape]
    decisions: list[str]
    forms: list[str]
    warnings: list[WarningShape] = Field(
        description="What the models name and nobody has or serves yet."
    )

    @classmethod
    def of(cls, done: Deployment) -> Deployed:
        return cls(
            processes=shaped(DeployedShape, done.definitions),
            decisions=done.decisions,
            forms=done.forms,
            warnings=[
                WarningShape(
                    file=file, element=one.element, name=one.name, reason=one.reason
                )
                for file, found in done.warnings.items()
                for one in found
            ],
        )


@like(Finding)
class FindingShape(Shape):
    refuses: bool = Field(description="It cannot be deployed like this.")


class Linted(Shape):
    file: str
    deployable: bool
    problems: list[FindingShape]


@section.get("/processes/{key}/versions/{version}.bpmn", EVERYBODY, files=(XML,))
def model(call: Call, key: ProcessKey, version: Version) -> File:
    """The model of one version as it was deployed."""
    return File(model_file(call.desk.uow, key, version), XML)


@section.get("/decisions/{key}.dmn", EVERYBODY, files=(XML,))
def decision(call: Call, key: FileKey) -> File:
    """The latest decision table of this id."""
    with call.desk.uow() as tx:
        found = tx.definitions.decision(key)
    if found is None:
        raise NotFound(f"No decision {key} is deployed.")
    return File(found, XML)


@section.get("/decisions/{key}/versions/{version}.dmn", EVERYBODY, files=(XML,))
def decision_version(call: Call, key: FileKey, version: Version) -> File:
    """A decision table of one version as it was deployed."""
    with call.desk.uow() as tx:
        found = tx.models.decision(key, version)
    if found is None:
        raise ModelUnknown(f"No such version of the decision {key} is deployed.")
    return File(found, XML)


@section.get("/forms/{form}", EVERYBODY)
def form(call: Call, form: FileKey) -> FormFile:
    """The latest form of this id, as it was deployed."""
    with call.desk.uow() as tx:
        found = tx.definitions.form(form)
    if found is None:
        raise NotFound(f"No form {form} is deployed.")
    return FormFile(form=form, schema_=found)


@section.get("/forms/{form}/versions/{version}", EVERYBODY)
def form_version(call: Call, form: FileKey, version: Version) -> FormFile:
    """A form of one version as it was deployed."""
    with call.desk.uow() as tx:
        found = tx.models.form(form, version)
    if found is None:
        raise ModelUnknown(f"No such version of the form {form} is deployed.")
    return FormFile(form=form, schema_=found)


@section.get("/element-template", EVERYBODY, fails=(404,))
def element_template(call: Call, query: WhichTemplate) -> TemplateFile:
    """An element template of one version as it was deployed."""
    with call.desk.uow() as tx:
        found = tx.models.template(query.id, query.version)
    if found is None:
        raise ModelUnknown(f"No such version of the template {query.id} is deployed.")
    return TemplateFile(id=query.id, template=found)


@section.post("/models/lint", LEADERS, tries=True)
def lint(call: Call, body: Files) -> Listed[Linted]:
    """Whether files can be executed exactly as drawn; nothing is changed."""
    desk, files = call.desk, body.contents()
    found = {
        name: check_model(desk.uow, desk.tries, name, content, beside=files)
        for name, content in files.items()
    }
    return Listed[Linted](
        items=[
            Linted(
                file=name,
                deployable=not any(one.refuses for one in findings),
                problems=shaped(FindingShape, findings),
            )
            for name, findings in found.items()
        ]
    )


@section.post("/models/deploy", ADMINS, status=201)
def deploy(call: Call, body: NewFiles) -> Deployed:
    """Deploy files, all or none; instances that run are not touched."""
    desk = call.desk
    done = deploy_models(
        desk.uow,
        desk.engine,
        body.contents(),
        by=call.by,
        note=body.note,
        now=desk.clock.now(),
    )
    return Deployed.of(done)
