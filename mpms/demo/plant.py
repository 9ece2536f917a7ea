"""A running factory: simulated robots, mail servers, a worker, somebody at work."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from rich.console import Console
from rich.live import Live

from mpms import assets, bootstrap
from mpms.bootstrap.mail import embedded_desk
from mpms.cli.work import running_worker
from mpms.demo.buyer import BUYER, Buyer
from mpms.demo.hands import LoadingHands, asked_by
from mpms.demo.person import TirelessPerson
from mpms.demo.robots import Simulator
from mpms.demo.view import OrderView
from mpms.demo.visitor import VISITOR, own_orders
from mpms.domain.errors import MpmsError
from mpms.domain.history.events import Cursor
from mpms.embedded import mail
from mpms.embedded.mail import MailServers
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.settings import FactorySettings, with_factory
from mpms.services.instances.start import start_instance
from mpms.services.models.deploy import deploy_models
from mpms.settings import Settings

GIVE_UP_S = 600.0
FLEET_TOPIC = re.compile(rb'camunda:topic="(?:fleet|storage|shelf)\.')


class DemoStalled(MpmsError):
    """The order did not get through the process."""


class Plant:
    """A running factory that orders can be sent to."""

    def __init__(
        self,
        services: bootstrap.Services,
        mail_servers: MailServers,
        models: list[str],
        simulator: Simulator,
        told: deque[str],
    ) -> None:
        self.services = services
        self.mail_servers = mail_servers
        self.home = mail_servers.home
        self.models = models
        self.simulator = simulator
        self.told = told
        self.buyer = Buyer(self.home, services.uow)

    def show(self, console: Console, number: str) -> None:
        """Follow an order's process live until it has ended."""
        view = OrderView(number, self.told)
        give_up_at = time.monotonic() + GIVE_UP_S
        cursor = Cursor()
        with Live(view.render(), console=console, refresh_per_second=8) as live:
            while not view.ended:
                if time.monotonic() > give_up_at:
                    raise DemoStalled(f"{number} is stuck: {view.last}")
                with self.services.uow() as tx:
                    instances = tx.instances.by_business_key(number)
                    if instances and not view.steps:
                        definition = tx.definitions.by_id(instances[0].definition_id)
                        view.steps = {
                            s.id: s for s in self.services.engine.steps(definition)
                        }
                    lines = (
                        tx.events.after(cursor, instance_id=instances[0].id)
                        if instances
                        else []
                    )
                    for line in lines:
                        view.take(line)
                        cursor = line.cursor
                live.update(view.render())
                if not lines:
                    time.sleep(0.05)

    def orders_open(self) -> int:
        """Without those of visitors, which may wait for them for hours."""
        visitors = set(own_orders(self.services.uow))
        with self.services.uow() as tx:
            everybody = sum(count for count, _ in tx.orders.counts().values())
            theirs = [tx.orders.get(number) for number in visitors]
        return everybody - sum(o is not None and not o.status.ended for o in theirs)


def _models(world: str) -> dict[str, bytes]:
    """What this world can do: without a fleet nobody stores or fetches anything."""
    shipped = assets.shipped_models()
    if factory_bootstrap.fleet_of(world) is not None:
        return shipped
    models = {
        name: raw
        for name, raw in shipped.items()
        if not name.endswith(".form") and not FLEET_TOPIC.search(raw)
    }
    drawn = b"".join(models.values())
    forms = {
        name: raw
        for name, raw in shipped.items()
        if name.endswith(".form") and f'"{name[:-5]}"'.encode() in drawn
    }
    return forms | models


@contextmanager
def factory(
    url: str, settings: Settings, *, speed: float, patience_s: float, pause_s: float
) -> Iterator[Plant]:
    """Everything but the pages, as long as the block runs."""
    told: deque[str] = deque(maxlen=3)
    with ExitStack() as parts:
        services = bootstrap.connect(
            url, limits=settings.limits, execution=settings.execution
        )
        parts.callback(services.close)
        world = factory_bootstrap.world_in_use(
            services.uow, FactorySettings.of(settings).world, settings.state_dir
        )
        simulator = Simulator(world, speed=speed, on_told=told.append)
        parts.callback(simulator.close)
        servers = mail.start(settings.state_dir / "mail", others=[BUYER, VISITOR])
        parts.callback(servers.stop)
        models = _models(world)
        done = deploy_models(services.uow, services.engine, models, by="demo")
        _start_orders_handling(services)
        parts.enter_context(
            running_worker(
                with_factory(settings, robots_url=simulator.url),
                services,
                embedded_desk(settings, servers.home),
                scale=LoadingHands(
                    factory_bootstrap.connect_scale(
                        factory_bootstrap.world_named(world), simulator.url
                    ),
                    simulator.url,
                    asked_by(services.uow),
                ),
                on_told=lambda robot, text: told.append(f"{robot}: {text}"),
            )
        )
        person = TirelessPerson(services, patience_s=patience_s, pause_s=pause_s)
        person.start()
        parts.callback(person.stop)
        keys = [d.key for d in done.definitions]
        yield Plant(services, servers, keys, simulator, told)


def _start_orders_handling(services: bootstrap.Services) -> None:
    with services.uow() as tx:
        if not tx.instances.counts().get(("orders_handling", "active")):
            start_instance(tx, services.advance, "orders_handling", actor="demo")
