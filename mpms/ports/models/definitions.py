"""Deployed models, decision tables and forms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from mpms.domain.models.definitions import LATEST, Definition


class Definitions(Protocol):
    """Deployed models, decision tables and forms; versions are never changed."""

    def deploy(
        self, key: str, name: str, xml: bytes, *, by: str, note: str = ""
    ) -> Definition: ...
    def latest(self, key: str) -> Definition: ...  # ProcessUnknown
    def bound(self, key: str, binding: str, *, caller: int) -> Definition:
        """The version that a call means: the latest, a number, or with ``deployment``
        the newest that was there when the caller was deployed. ProcessUnknown."""
        ...

    def of_version(self, key: str, version: int) -> Definition: ...  # ProcessUnknown
    def by_id(self, definition_id: int) -> Definition: ...
    def id_of(self, definition: Definition) -> int: ...
    def listing(self) -> Sequence[Definition]: ...  # latest versions, by key
    def deploy_decision(
        self, key: str, name: str, xml: bytes, *, by: str, note: str = ""
    ) -> int: ...
    def decision(
        self, key: str, binding: str = LATEST, *, caller: int | None = None
    ) -> bytes | None:
        """``binding``: latest, a version, or deployment: what was there when the model
        ``caller`` was deployed."""
        ...

    def deploy_form(
        self, form: str, schema: dict[str, Any], *, by: str, note: str = ""
    ) -> int: ...
    def form(self, form: str) -> dict[str, Any] | None: ...
