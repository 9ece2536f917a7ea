"""Puts the parts together: adapters and plug-ins into services."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

from mpms import assets
from mpms.adapters.postgres.database.connections import MAXIMUM, Connections
from mpms.adapters.postgres.database.listening import Listener
from mpms.adapters.postgres.database.migrate import OURS, migrate, pending
from mpms.adapters.postgres.database.queries import Queries
from mpms.adapters.postgres.database.unit_of_work import PostgresUnitOfWork
from mpms.adapters.postgres.history.restored import renumber_restored
from mpms.domain.errors import MpmsError
from mpms.domain.execution import Execution
from mpms.domain.instances.limits import Limits
from mpms.engine.runner import SpiffEngine
from mpms.factory.ports.store import UnitOfWork
from mpms.plugins import PluginRefused, loading
from mpms.ports.clock import Clock
from mpms.ports.engine import Engine
from mpms.services.instances.advance import Advance
from mpms.services.instances.hooks import InstanceHooks
from mpms.services.tasks.tell_listeners import tell_listeners

CHANNEL = "mpms"


class DatabaseNotMigrated(MpmsError):
    """The database lacks migrations; run: mpms migrate"""


@dataclass
class Services:
    """Everything a worker, a command or a page needs."""

    connections: Connections
    uow: UnitOfWork
    engine: Engine
    clock: Clock
    advance: Advance

    def listen(self) -> Listener:
        """Wake up when another process has committed something."""
        return self.connections.listen(CHANNEL)

    def close(self) -> None:
        self.connections.close()


def connect(
    database_url: str,
    *,
    clock: Clock | None = None,
    application: str = "mpms",
    limits: Limits | None = None,
    execution: Execution | None = None,
    most_connections: int = MAXIMUM,
    statement_s: float | None = None,
) -> Services:
    """Connect to a migrated database, with what plug-ins bring. PluginRefused."""
    engine = SpiffEngine(
        loading.handlers().pure,
        limits,
        promised_topics=loading.known_topics(),
        execution=execution,
    )
    connections = Connections(
        database_url,
        application_name=application,
        maximum=most_connections,
        statement_s=statement_s,
    )
    wall = clock or connections  # timers and leases go by the database's clock
    hooks = loading.hooks()
    uow = PostgresUnitOfWork(
        connections,
        _queries(),
        channel=CHANNEL,
        stores=loading.stores(),
        kinds=loading.kinds(),
        additions=_additions(),
        before_commit=partial(_before_commit, engine, hooks),
    )
    advance = Advance(engine, wall, hooks)
    return Services(connections, cast(UnitOfWork, uow), engine, wall, advance)


def _before_commit(
    engine: SpiffEngine, hooks: InstanceHooks, tx: Any, noted: Sequence[object]
) -> None:
    tell_listeners(tx, engine, noted)
    hooks.noted(tx, noted)


def _queries() -> Queries:
    """The statements of this release and of plug-ins."""
    more = [plugin.queries for plugin in loading.loaded() if plugin.queries is not None]
    return _read_once(assets.directory("db") / "queries", *more)


@cache
def _read_once(*directories: Path) -> Queries:
    """Files cannot change while a process runs."""
    return Queries(*directories)


def _additions() -> dict[str, list[str]]:
    """PluginRefused where a plug-in answers with a statement that nobody has."""
    found = loading.additions()
    for question, names in found.items():
        for name in names:
            if name not in _queries():
                raise PluginRefused(
                    f"A plug-in answers {question!r} with the statement {name}, which"
                    " is in none of its queries."
                )
    return found


def migrate_database(database_url: str) -> list[str]:
    """Bring a database up to date; return the names of what was applied."""
    with Connections(database_url) as pool:
        with pool.connection() as connection:
            applied = [
                name
                for directory, ledger in _migrations()
                for name in migrate(connection, directory, ledger)
            ]
        renumber_restored(pool, _queries())
    return applied


def require_migrated(services: Services) -> None:
    """Raise DatabaseNotMigrated with the names of what is missing.

    A history that was restored from another server is put in order here, because every
    worker and server begins with this.
    """
    with services.connections.connection() as connection:
        missing = [
            name
            for directory, ledger in _migrations()
            for name in pending(connection, directory, ledger)
        ]
    if missing:
        raise DatabaseNotMigrated(
            f"The database lacks {', '.join(missing)}; run: mpms migrate"
        )
    renumber_restored(services.connections, _queries())


def _migrations() -> Iterator[tuple[Path, str]]:
    """Each directory of migrations with the table that remembers them."""
    yield assets.directory("db") / "migrations", OURS
    for plugin in loading.loaded():
        if plugin.migrations is not None:
            yield plugin.migrations, f"{OURS}_{plugin.name}"
