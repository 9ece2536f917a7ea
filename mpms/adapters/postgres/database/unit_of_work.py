"""One transaction with all repositories.

Workers are woken after the commit, on the same connection: inside the transaction
the notification would make all committing workers queue up behind each other. It
is only a hint; when it is lost the transaction stands all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mpms.adapters.postgres.admin.vitals import Vitals
from mpms.adapters.postgres.alerts import Alerts
from mpms.adapters.postgres.bulk import Batches
from mpms.adapters.postgres.database.connections import Connections
from mpms.adapters.postgres.database.queries import Queries
from mpms.adapters.postgres.database.statements import (
    NO_ADDITIONS,
    Additions,
    Statements,
    our_errors,
)
from mpms.adapters.postgres.history.events import Events
from mpms.adapters.postgres.history.old_history import OldHistory
from mpms.adapters.postgres.history.retention import Retention
from mpms.adapters.postgres.history.tallies import Tallies
from mpms.adapters.postgres.incidents.incidents import Incidents
from mpms.adapters.postgres.instances.deliveries import Deliveries
from mpms.adapters.postgres.instances.instances import Instances
from mpms.adapters.postgres.instances.suspensions import Suspensions
from mpms.adapters.postgres.instances.timers import Timers
from mpms.adapters.postgres.instances.waits import Waits
from mpms.adapters.postgres.jobs import Jobs
from mpms.adapters.postgres.models.definitions import Definitions, Versions
from mpms.adapters.postgres.processes.starts import Starts
from mpms.adapters.postgres.tasks.tasks import Tasks
from mpms.adapters.postgres.webhooks import Webhooks
from mpms.adapters.postgres.workers import Workers
from mpms.domain.history.kinds import Kinds

if TYPE_CHECKING:
    from mpms.adapters.postgres.admin.metrics import Metrics
    from mpms.adapters.postgres.api import ApiAnswers, ApiTokens
    from mpms.adapters.postgres.camunda7 import Listings
    from mpms.adapters.postgres.camunda8 import Numbered
    from mpms.adapters.postgres.external_tasks import ExternalTasks
    from mpms.adapters.postgres.history.audit import AuditLog
    from mpms.adapters.postgres.history.audit_chain import AuditChain
    from mpms.adapters.postgres.history.cases import Cases
    from mpms.adapters.postgres.incidents.inbox import Inbox
    from mpms.adapters.postgres.instances.cockpit import CockpitInstance
    from mpms.adapters.postgres.models.models import Models
    from mpms.adapters.postgres.people.attempts import Attempts
    from mpms.adapters.postgres.people.notices import Notices
    from mpms.adapters.postgres.people.people import People
    from mpms.adapters.postgres.people.second_factors import SecondFactors
    from mpms.adapters.postgres.people.sessions import Sessions
    from mpms.adapters.postgres.processes.cockpit import Cockpit
    from mpms.adapters.postgres.tasks.attachments import Attachments
    from mpms.adapters.postgres.tasks.claims import Claims
    from mpms.adapters.postgres.tasks.drafts import Drafts
    from mpms.adapters.postgres.tasks.late_answers import LateAnswers

StoreMaker = Callable[[Statements], object]
BeforeCommit = Callable[[Any, Sequence[object]], None]


class _Late:
    """A repository that is loaded and made when a transaction first asks for it."""

    def __init__(self, home: str, *, with_kinds: bool) -> None:
        self._with_kinds = with_kinds
        self._module, _, self._kind = home.rpartition(".")

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, transaction: PostgresTransaction, owner: type) -> Any:
        home = import_module(f"mpms.adapters.postgres.{self._module}")
        kinds = (transaction.kinds,) if self._with_kinds else ()
        repository = getattr(home, self._kind)(transaction.statements, *kinds)
        setattr(transaction, self._name, repository)
        return repository


def _late(home: str, *, with_kinds: bool = False) -> Any:
    return _Late(home, with_kinds=with_kinds)


class PostgresTransaction:
    """All repositories over one connection; those of plug-ins by the same names."""

    # For pages: a worker without any never loads them.
    api_answers: ApiAnswers = _late("api.ApiAnswers")
    api_tokens: ApiTokens = _late("api.ApiTokens")
    attachments: Attachments = _late("tasks.attachments.Attachments")
    attempts: Attempts = _late("people.attempts.Attempts")
    audit: AuditLog = _late("history.audit.AuditLog", with_kinds=True)
    audit_chain: AuditChain = _late("history.audit_chain.AuditChain", with_kinds=True)
    cases: Cases = _late("history.cases.Cases")
    claims: Claims = _late("tasks.claims.Claims")
    cockpit: Cockpit = _late("processes.cockpit.Cockpit")
    cockpit_instance: CockpitInstance = _late("instances.cockpit.CockpitInstance")
    drafts: Drafts = _late("tasks.drafts.Drafts")
    external_tasks: ExternalTasks = _late("external_tasks.ExternalTasks")
    inbox: Inbox = _late("incidents.inbox.Inbox", with_kinds=True)
    late_answers: LateAnswers = _late("tasks.late_answers.LateAnswers")
    listings: Listings = _late("camunda7.Listings")
    metrics: Metrics = _late("admin.metrics.Metrics")
    models: Models = _late("models.models.Models")
    numbered: Numbered = _late("camunda8.Numbered")
    people: People = _late("people.people.People")
    sessions: Sessions = _late("people.sessions.Sessions")
    second_factors: SecondFactors = _late("people.second_factors.SecondFactors")
    notices: Notices = _late("people.notices.Notices")

    def __init__(
        self,
        statements: Statements,
        versions: Versions,
        stores: Mapping[str, StoreMaker],
        kinds: Kinds,
    ) -> None:
        self.statements = statements
        self._stores = stores
        self.kinds = kinds
        self.definitions = Definitions(statements, versions)
        self.instances = Instances(statements)
        self.waits = Waits(statements)
        self.tasks = Tasks(statements)
        self.jobs = Jobs(statements)
        self.deliveries = Deliveries(statements)
        self.timers = Timers(statements)
        self.starts = Starts(statements)
        self.incidents = Incidents(statements, kinds)
        self.alerts = Alerts(statements)
        self.events = Events(statements, kinds)
        self.tallies = Tallies(statements)
        self.suspensions = Suspensions(statements)
        self.old_history = OldHistory(statements, kinds)
        self.batches = Batches(statements)
        self.webhooks = Webhooks(statements)
        self.workers = Workers(statements)
        self.retention = Retention(statements)
        self.vitals = Vitals(statements)
        self.wakes = False

    def __getattr__(self, name: str) -> Any:
        try:
            make = self._stores[name]
        except KeyError:
            raise AttributeError(f"no plug-in brings the store {name!r}") from None
        repository = make(self.statements)
        setattr(self, name, repository)
        return repository

    def wake(self) -> None:
        """After the commit, tell the workers that there is something to do."""
        self.wakes = True

    def undoable(self, *, at_once: bool = True) -> AbstractContextManager[None]:
        """What fails in this block is undone; what was done before it stands."""
        return self.statements.undoable(at_once=at_once)


class PostgresUnitOfWork:
    """Opens transactions; safe to share between threads."""

    def __init__(
        self,
        pool: Connections,
        queries: Queries,
        channel: str = "mpms",
        stores: Mapping[str, StoreMaker] | None = None,
        kinds: Kinds | None = None,
        additions: Additions = NO_ADDITIONS,
        before_commit: BeforeCommit | None = None,
    ) -> None:
        """``before_commit`` is given the transaction and what was noted in it, once."""
        self._pool = pool
        self._before_commit = before_commit
        self._additions = additions
        self._stores = stores or {}
        self._kinds = kinds or Kinds()
        self._queries = queries
        self._prepared = queries.prepared
        self._channel = channel
        self._versions = Versions()

    @contextmanager
    def __call__(self) -> Iterator[PostgresTransaction]:
        """Commit at the end of the block; an exception rolls back."""
        with our_errors(), self._pool.bare() as link:
            statements = Statements(
                link, self._queries, self._prepared, self._additions
            )
            transaction = PostgresTransaction(
                statements, self._versions, self._stores, self._kinds
            )
            yield transaction
            noted = statements.take_noted()
            if noted and self._before_commit is not None:
                self._before_commit(transaction, noted)
            statements.commit(notify=self._channel if transaction.wakes else None)
