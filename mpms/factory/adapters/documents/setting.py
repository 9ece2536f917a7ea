"""PDFs by Typst: a template of ours, data as JSON, pictures as SVG.

Typst is 77 MB and only a plant that prints needs it, so it is an extra of its own.
"""

from __future__ import annotations

import io
import json
import tempfile
from collections.abc import Mapping, Set
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import segno

from mpms.factory.adapters.documents.model_picture import model_svg
from mpms.factory.ports.documents import DocumentFailed, DocumentsMissing

TEMPLATES = Path(__file__).resolve().parent / "templates"


class TypstDocuments:
    """Sets what the templates beside this file say."""

    @property
    def can_set(self) -> bool:
        return find_spec("typst") is not None

    def pdf(
        self, template: str, data: Mapping[str, Any], files: Mapping[str, str]
    ) -> bytes:
        if not self.can_set:
            raise DocumentsMissing
        typst = import_module("typst")
        with tempfile.TemporaryDirectory(prefix="mpms-pdf-") as directory:
            root = Path(directory)
            for name, picture in files.items():
                (root / name).write_text(picture, encoding="utf-8")
            text = json.dumps(data, default=str, ensure_ascii=False)
            (root / "data.json").write_text(text, encoding="utf-8")
            main = root / "main.typ"
            main.write_bytes((TEMPLATES / f"{template}.typ").read_bytes())
            try:
                return bytes(typst.compile(str(main), root=str(root)))
            except typst.TypstError as failure:
                raise DocumentFailed(f"{template}: {failure}") from failure

    def model(self, xml: bytes, visited: Set[str]) -> str:
        return model_svg(xml, visited)

    def code(self, text: str) -> str:
        out = io.BytesIO()
        segno.make(text, error="m", micro=False).save(
            out, kind="svg", border=2, xmldecl=False, scale=4
        )
        return out.getvalue().decode()
