"""What the commands at the database share: the database, services, name, typed text."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mpms import bootstrap
from mpms.settings import Settings


@contextmanager
def database(settings: Settings) -> Iterator[str]:
    """The configured database, or an embedded one for as long as it is needed."""
    if settings.database_url:
        yield settings.database_url
        return
    from mpms.embedded import postgres  # a plant with a database never needs it

    with postgres.start(
        settings.state_dir / "postgres", bindir=settings.pg_bindir
    ) as server:
        server.supervise()
        yield server.dsn


def with_services(settings: Settings, use: Callable[[bootstrap.Services], None]) -> int:
    """Use a migrated database for one command."""
    with database(settings) as url:
        services = bootstrap.connect(
            url, limits=settings.limits, execution=settings.execution
        )
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
