"""What the pages are given: services and ports, nothing that opens a connection."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from mpms.domain.order_mail import Catalogue
from mpms.domain.worlds import World
from mpms.ports.alerts import Pusher
from mpms.ports.engine import Engine
from mpms.ports.floor import Floor
from mpms.ports.hasher import Hasher
from mpms.ports.identity import IdentityProvider
from mpms.ports.plant import Clock
from mpms.ports.plant_desk import PlantDesk
from mpms.ports.store import UnitOfWork
from mpms.services.advance_instance import Advance
from mpms.services.current_catalogue import CurrentCatalogue, InForce
from mpms.web.live import Live


@dataclass(frozen=True)
class DemoDoors:
    """What visitors of the demo may do to the factory."""

    send_order: Callable[[], str]  # the number of the order that was mailed
    break_something: Mapping[str, Callable[[], str]]  # by name; what happened
    worker: tuple[str, str] = ("", "")  # login and password to be the worker with
    leader: tuple[str, str] = ("", "")


@dataclass(frozen=True)
class Desk:
    """One a process; safe to share between threads."""

    uow: UnitOfWork
    engine: Engine
    advance: Advance
    clock: Clock
    world: World
    world_dir: Path
    floor: Floor
    live: Live
    hasher: Hasher
    materials: CurrentCatalogue = field(default_factory=CurrentCatalogue)
    ca_certificate: bytes | None = None
    hand_to_mail_server: Callable[[bytes], None] | None = None
    orders_address: str | None = None
    order_sender: str | None = None  # who writes the mails of the order form
    pusher: Pusher | None = None  # to devices that ask for alerts
    demo: DemoDoors | None = None
    plant: PlantDesk = field(default_factory=PlantDesk)
    metrics_token: str | None = None  # without one only this machine may ask
    secure: bool = False  # served over TLS: cookies say so
    hold_above_kg: Decimal | None = None  # larger orders wait for a supervisor
    webhooks_to_private: bool = False  # also to addresses inside the plant
    public_url: str | None = None  # how browsers reach us, behind a proxy
    sign_in_elsewhere: IdentityProvider | None = None  # at the company's own door

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
