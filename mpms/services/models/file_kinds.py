"""What kind of file a name says it is: the same for the lint and for a deployment."""

from __future__ import annotations

from typing import Literal

FileKind = Literal["bpmn", "dmn", "form"]

ENDINGS: dict[str, FileKind] = {
    ".bpmn": "bpmn",
    ".bpmn20.xml": "bpmn",
    ".dmn": "dmn",
    ".dmn11.xml": "dmn",
    ".dmn10.xml": "dmn",
    ".form": "form",
}
ONLY = "only .bpmn (or .bpmn20.xml), .dmn (or .dmn11.xml) and .form can be deployed"


def file_kind(name: str) -> FileKind | None:
    """None: nothing that is deployed. Windows and old tools write endings large."""
    folded = name.casefold()
    return next((k for end, k in ENDINGS.items() if folded.endswith(end)), None)
