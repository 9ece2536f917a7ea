"""Documents on paper, and pictures of models in them."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import Any, Protocol

from mpms.domain.errors import MpmsError


class DocumentsMissing(MpmsError):
    """PDFs need the package typst: pip install 'mpms[records]'"""


class DocumentFailed(MpmsError):
    """The document could not be set."""


class Documents(Protocol):
    """Sets documents; safe to share between threads."""

    @property
    def can_set(self) -> bool:
        """Whether the package is there."""
        ...

    def pdf(
        self, template: str, data: Mapping[str, Any], files: Mapping[str, str]
    ) -> bytes:
        """DocumentsMissing, DocumentFailed. ``files``: pictures by name, SVG."""
        ...

    def model(self, xml: bytes, visited: Set[str]) -> str:
        """A diagram as SVG with the elements and flows that were visited."""
        ...

    def code(self, text: str) -> str:
        """A QR code as SVG."""
        ...
