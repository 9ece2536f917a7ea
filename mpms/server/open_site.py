"""What the serving process is given to make the pages with.

The process that starts it needs none of the pages, so they are loaded when they are
opened: half of the time until a server answers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mpms.settings import Settings

if TYPE_CHECKING:
    from mpms.server.site import WebSite


@dataclass(frozen=True)
class OpenSite:
    """Opens the pages in the process that calls it."""

    settings: Settings
    database_url: str
    demo: bool = False
    secure: bool = False
    ca_certificate: bytes | None = None

    def __call__(self) -> WebSite:
        from mpms.server.site import WebSite

        return WebSite(self)
