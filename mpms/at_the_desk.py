"""What the commands for a person at the database share: services, name, typed text."""

from __future__ import annotations

import os
from collections.abc import Callable

from mpms import bootstrap
from mpms.commands import database
from mpms.settings import Settings


def with_services(settings: Settings, use: Callable[[bootstrap.Services], None]) -> int:
    """Use a migrated database for one command."""
    with database(settings) as url:
        services = bootstrap.connect(url, limits=settings.limits)
        try:
            bootstrap.require_migrated(services)
            use(services)
        finally:
            services.close()
    return 0


def who() -> str:
    """Whoever types, for the history."""
    return plain(os.environ.get("USER") or "cli")


def plain(text: str) -> str:
    """What was typed in another encoding cannot be stored as it is."""
    return text.encode("utf-8", "replace").decode()
