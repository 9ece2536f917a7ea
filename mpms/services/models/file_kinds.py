"""What kind of file a name says it is: the same for the lint and for a deployment."""

from __future__ import annotations

from typing import Literal

FileKind = Literal["bpmn", "dmn", "form", "template"]

ENDINGS: dict[str, FileKind] = {
    ".bpmn": "bpmn",
    ".bpmn20.xml": "bpmn",
    ".dmn": "dmn",
    ".dmn11.xml": "dmn",
    ".dmn10.xml": "dmn",
    ".form": "form",
    ".json": "template",
}
ONLY = (
    "only .bpmn (or .bpmn20.xml), .dmn (or .dmn11.xml), .form and .json (element "
    "templates) can be deployed"
)
TEMPLATES = "element-templates"
"""The folder that Camunda Modeler reads templates from, beside the models."""


def file_kind(name: str) -> FileKind | None:
    """None: nothing that is deployed. Windows and old tools write endings large."""
    folded = name.casefold()
    return next((k for end, k in ENDINGS.items() if folded.endswith(end)), None)
