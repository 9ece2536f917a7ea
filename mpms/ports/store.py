"""The database, one transaction at a time.

``UnitOfWork`` is called to open a transaction; leaving the block commits it, an
exception rolls it back. Every repository of one transaction shares its connection.
``wake`` is sent after the commit only: PostgreSQL lets one notifying transaction
commit at a time, so NOTIFY inside would serialise all workers.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

# Each brings the rows it speaks of, and no process uses them all.
if TYPE_CHECKING:
    from mpms.domain.history.kinds import Kinds
    from mpms.ports.admin.metrics import Metrics
    from mpms.ports.admin.vitals import Vitals
    from mpms.ports.alerts import Alerts
    from mpms.ports.api import ApiAnswers, ApiTokens
    from mpms.ports.bulk import Batches
    from mpms.ports.camunda7 import Listings
    from mpms.ports.camunda8 import Numbered
    from mpms.ports.external_tasks import ExternalTasks
    from mpms.ports.history.audit import AuditLog
    from mpms.ports.history.audit_chain import AuditChain
    from mpms.ports.history.cases import Cases
    from mpms.ports.history.events import Events
    from mpms.ports.history.old_history import OldHistory
    from mpms.ports.history.retention import Retention
    from mpms.ports.history.tallies import Tallies
    from mpms.ports.incidents.inbox import Inbox
    from mpms.ports.incidents.incidents import Incidents
    from mpms.ports.instances.cockpit import CockpitInstance
    from mpms.ports.instances.deliveries import Deliveries
    from mpms.ports.instances.instances import Instances
    from mpms.ports.instances.suspensions import Suspensions
    from mpms.ports.instances.timers import Timers
    from mpms.ports.instances.waits import Waits
    from mpms.ports.jobs import Jobs
    from mpms.ports.models.definitions import Definitions
    from mpms.ports.models.models import Models
    from mpms.ports.people.attempts import Attempts
    from mpms.ports.people.notices import Notices
    from mpms.ports.people.people import People
    from mpms.ports.people.second_factors import SecondFactors
    from mpms.ports.people.sessions import Sessions
    from mpms.ports.processes.cockpit import Cockpit
    from mpms.ports.processes.starts import Starts
    from mpms.ports.tasks.attachments import Attachments
    from mpms.ports.tasks.claims import Claims
    from mpms.ports.tasks.drafts import Drafts
    from mpms.ports.tasks.late_answers import LateAnswers
    from mpms.ports.tasks.tasks import Tasks
    from mpms.ports.webhooks import Webhooks
    from mpms.ports.workers import Workers


class Transaction(Protocol):
    """All repositories over one connection; ``kinds`` of what they write."""

    @property
    def kinds(self) -> Kinds: ...
    @property
    def definitions(self) -> Definitions: ...
    @property
    def models(self) -> Models: ...
    @property
    def numbered(self) -> Numbered: ...
    @property
    def instances(self) -> Instances: ...
    @property
    def metrics(self) -> Metrics: ...
    @property
    def waits(self) -> Waits: ...
    @property
    def tasks(self) -> Tasks: ...
    @property
    def jobs(self) -> Jobs: ...
    @property
    def listings(self) -> Listings: ...
    @property
    def external_tasks(self) -> ExternalTasks: ...
    @property
    def deliveries(self) -> Deliveries: ...
    @property
    def timers(self) -> Timers: ...
    @property
    def starts(self) -> Starts: ...
    @property
    def incidents(self) -> Incidents: ...
    @property
    def inbox(self) -> Inbox: ...
    @property
    def alerts(self) -> Alerts: ...
    @property
    def events(self) -> Events: ...
    @property
    def people(self) -> People: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def second_factors(self) -> SecondFactors: ...
    @property
    def notices(self) -> Notices: ...
    @property
    def attempts(self) -> Attempts: ...
    @property
    def claims(self) -> Claims: ...
    @property
    def drafts(self) -> Drafts: ...
    @property
    def late_answers(self) -> LateAnswers: ...
    @property
    def attachments(self) -> Attachments: ...
    @property
    def cockpit(self) -> Cockpit: ...
    @property
    def cockpit_instance(self) -> CockpitInstance: ...
    @property
    def tallies(self) -> Tallies: ...
    @property
    def suspensions(self) -> Suspensions: ...
    @property
    def old_history(self) -> OldHistory: ...
    @property
    def batches(self) -> Batches: ...
    @property
    def api_tokens(self) -> ApiTokens: ...
    @property
    def api_answers(self) -> ApiAnswers: ...
    @property
    def webhooks(self) -> Webhooks: ...
    @property
    def workers(self) -> Workers: ...
    @property
    def retention(self) -> Retention: ...
    @property
    def vitals(self) -> Vitals: ...
    @property
    def audit(self) -> AuditLog: ...
    @property
    def audit_chain(self) -> AuditChain: ...
    @property
    def cases(self) -> Cases: ...

    def wake(self) -> None:
        """After the commit, tell the workers that there is something to do."""
        ...

    def undoable(self, *, at_once: bool = True) -> AbstractContextManager[None]:
        """What fails in this block is undone; what was done before it stands.

        Not ``at_once``: what it writes last may fail after it, with the transaction.
        """
        ...


class UnitOfWork(Protocol):
    """Opens transactions."""

    def __call__(self) -> AbstractContextManager[Transaction]: ...
