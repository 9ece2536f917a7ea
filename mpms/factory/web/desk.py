"""What the pages of the factory are given beyond those of the core."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import time
from decimal import Decimal
from pathlib import Path
from typing import Protocol, cast

from fleet.model import World as FleetWorld
from mpms.domain.people.people import Person
from mpms.domain.tasks import FormTask
from mpms.factory.domain.order_mail import Catalogue
from mpms.factory.domain.order_mail.showing import MailText
from mpms.factory.domain.records.seals import Verify
from mpms.factory.domain.shifts import USUAL
from mpms.factory.domain.worlds import World
from mpms.factory.ports.checks import MailCheck, RobotCheck
from mpms.factory.ports.documents import Documents
from mpms.factory.ports.experiments import Simulator
from mpms.factory.ports.floor import Floor
from mpms.factory.ports.mail.mailbox import ReadText
from mpms.factory.ports.store import UnitOfWork
from mpms.factory.ports.trial_warehouse import TrialWarehouse
from mpms.factory.ports.vehicles import VehicleFiles
from mpms.factory.ports.worlds import WorldDrafts
from mpms.factory.services.catalogue.current import CurrentCatalogue, InForce
from mpms.factory.services.tasks.live_weight import LiveWeights
from mpms.ports.api import ApiToken
from mpms.web.desk import DemoDoors, Desk
from mpms.web.site import signed_in


def no_text(raw: bytes, /) -> MailText:
    """Without a sandbox no message is opened."""
    return MailText()


@dataclass(frozen=True)
class DemoFactory(DemoDoors):
    """And what they may do to the factory."""

    send_order: Callable[[], str] = str  # the number of the order that was mailed
    break_something: Mapping[str, Callable[[], str]] = field(default_factory=dict)
    """By name; they give what happened."""
    own_orders: Callable[[], Sequence[str]] = tuple
    """Numbers of the orders that visitors have sent, the newest first."""
    waiting: Callable[[], Sequence[FormTask]] = tuple
    """Open forms of these orders: the simulated worker leaves them to the visitor."""


ReadWorkbook = Callable[[bytes], Sequence[Sequence[str]]]
"""The rows of the first sheet of an XLSX file; ValueError says what is wrong."""


def no_workbook(data: bytes, /) -> Sequence[Sequence[str]]:
    raise ValueError("no workbook can be read here; send it as CSV")


@dataclass(frozen=True, kw_only=True)
class FactoryDesk(Desk):
    """One a process; safe to share between threads."""

    uow: UnitOfWork
    world: World
    world_dir: Path
    floor: Floor
    read_mail: ReadText = no_text  # in words, in the sandbox
    materials: CurrentCatalogue = field(default_factory=CurrentCatalogue)
    hand_to_mail_server: Callable[[bytes], None] | None = None
    orders_address: str | None = None
    order_sender: str | None = None  # who writes the mails of the order form
    hold_above_kg: Decimal | None = None  # larger orders wait for a supervisor
    simulator: Simulator | None = None  # of experiments; None: there are none here
    vehicles: VehicleFiles
    documents: Documents
    verify_seal: Verify
    fleet: FleetWorld | None = None  # None: robots are driven one by one
    drafts: WorldDrafts | None = None  # None: nobody draws the floor here
    read_workbook: ReadWorkbook = no_workbook
    trial: TrialWarehouse | None = None  # None: none can be launched here
    demo: DemoFactory | None = None
    mail_check: MailCheck | None = None  # of the two mail servers of the settings
    robot_check: RobotCheck | None = None
    shifts: tuple[time, ...] = USUAL
    cost_per_hour: Decimal | None = None  # of an order that waits
    currency: str = "EUR"
    weights: LiveWeights | None = None  # None: no tablet sees a scale

    @property
    def in_force(self) -> InForce:
        """The catalogue of this moment; each call asks the database."""
        with self.uow() as tx:
            return self.materials(tx)

    @property
    def catalogue(self) -> Catalogue | None:
        """What may be ordered at this moment."""
        return self.in_force.catalogue

    @property
    def placed_world(self) -> World:
        """The floor with every material where it stands at this moment."""
        return self.in_force.placed(self.world)


class Call(Protocol):
    """A call of the API, as operations of the factory see it."""

    @property
    def desk(self) -> FactoryDesk: ...
    @property
    def person(self) -> Person: ...
    @property
    def token(self) -> ApiToken | None: ...
    @property
    def by(self) -> str: ...


def current_desk() -> FactoryDesk:
    return cast(FactoryDesk, signed_in.current_desk())
