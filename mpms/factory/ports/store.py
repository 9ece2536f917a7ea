"""The rows of the factory, beside those of the core in one transaction."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from mpms.ports import store

# Each brings the rows it speaks of, and no process uses them all.
if TYPE_CHECKING:
    from mpms.factory.ports.catalogue import CatalogueVersions
    from mpms.factory.ports.dashboard import Dashboard
    from mpms.factory.ports.experiments import Experiments
    from mpms.factory.ports.figures import Figures
    from mpms.factory.ports.fleet import FleetRequests, FleetRows
    from mpms.factory.ports.orders.past import PastOrders
    from mpms.factory.ports.orders.tasks import OrderTasks
    from mpms.factory.ports.orders.views import OrderViews
    from mpms.factory.ports.records.genealogy import Genealogy
    from mpms.factory.ports.records.records import Records
    from mpms.factory.ports.robots.tracks import Tracks
    from mpms.factory.ports.worlds import WorldVersions

from mpms.factory.ports.mail.mails import Mails
from mpms.factory.ports.mail.outbox import Outbox
from mpms.factory.ports.mail.vitals import MailVitals
from mpms.factory.ports.orders.orders import Orders
from mpms.factory.ports.robots.goals import Goals
from mpms.factory.ports.robots.holds import RobotHolds
from mpms.factory.ports.robots.jobs import RobotJobs
from mpms.factory.ports.robots.out import RobotsOut
from mpms.factory.ports.robots.rows import RobotRows
from mpms.factory.ports.stock.stock import Picks, Stock
from mpms.factory.ports.tanks import TankRows


class Transaction(store.Transaction, Protocol):
    """The repositories of the core and of the factory over one connection."""

    @property
    def orders(self) -> Orders: ...
    @property
    def order_views(self) -> OrderViews: ...
    @property
    def order_tasks(self) -> OrderTasks: ...
    @property
    def dashboard(self) -> Dashboard: ...
    @property
    def past_orders(self) -> PastOrders: ...
    @property
    def goals(self) -> Goals: ...
    @property
    def robot_holds(self) -> RobotHolds: ...
    @property
    def robots(self) -> RobotRows: ...
    @property
    def robot_jobs(self) -> RobotJobs: ...
    @property
    def robots_out(self) -> RobotsOut: ...
    @property
    def tracks(self) -> Tracks: ...
    @property
    def stock(self) -> Stock: ...
    @property
    def picks(self) -> Picks: ...
    @property
    def mails(self) -> Mails: ...
    @property
    def mail_vitals(self) -> MailVitals: ...
    @property
    def outbox(self) -> Outbox: ...
    @property
    def catalogue(self) -> CatalogueVersions: ...
    @property
    def experiments(self) -> Experiments: ...
    @property
    def figures(self) -> Figures: ...
    @property
    def genealogy(self) -> Genealogy: ...
    @property
    def records(self) -> Records: ...
    @property
    def tanks(self) -> TankRows: ...
    @property
    def fleet(self) -> FleetRows: ...
    @property
    def fleet_requests(self) -> FleetRequests: ...
    @property
    def world_versions(self) -> WorldVersions: ...


class UnitOfWork(Protocol):
    """Opens transactions."""

    def __call__(self) -> AbstractContextManager[Transaction]: ...
