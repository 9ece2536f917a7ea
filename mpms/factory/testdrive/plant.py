"""What the factory knows of its plant before a test-drive."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from fleet.model.world import World as FleetWorld
from fleet.roads import Roadmap, make_roadmaps
from mpms.domain.testdrive.floor import Floor
from mpms.domain.testdrive.report import Note
from mpms.factory import bootstrap as factory_bootstrap
from mpms.factory.domain.goals import GoalState
from mpms.factory.domain.orders import Order, OrderLine, OrderStatus
from mpms.factory.domain.worlds import World
from mpms.factory.ports.store import Transaction
from mpms.factory.services.catalogue.current import FILE, CurrentCatalogue, InForce
from mpms.factory.settings import FactorySettings
from mpms.factory.testdrive.hooks import DrivenHooks
from mpms.factory.testdrive.stand import FactoryStand
from mpms.factory.testdrive.ways import Between, Ways, straight
from mpms.services.instances.hooks import InstanceHooks
from mpms.services.testdrive.stand import Stand

MOST_LINES = 4
LEAST_KG, MOST_KG = 5, 40

NOT_SIMULATED = (
    Note("Robots that fail, lose the network or are taken out of service."),
    Note("Wrong weights: the scale shows what is required."),
)
NO_BATTERY = Note("Batteries: every robot is always charged.")
NO_WAYS = Note(
    "Ways: a robot takes the time that the step took in the past, else the straight"
    " line at its own speed; that robots keep each other's places occupied is driven."
)


@dataclass
class FactoryPlant:
    """The world of the settings, with the materials of this moment."""

    world: World
    fleet: FleetWorld | None
    catalogue: CurrentCatalogue
    in_force: InForce
    drawn: FleetWorld | None = None  # whose ways are drawn, where no fleet drives
    _between: Between | None = None
    _roadmaps: dict[str, Roadmap] | None = None

    @property
    def hooks(self) -> InstanceHooks:
        return DrivenHooks()

    @property
    def notes(self) -> Sequence[Note]:
        if self.fleet is not None:
            return NOT_SIMULATED
        return (*NOT_SIMULATED, NO_BATTERY, NO_WAYS)

    @property
    def floor(self) -> Floor | None:
        world = self.world
        if not (world.width_m > 0.0 and world.height_m > 0.0):
            return None
        return Floor(
            *(world.left_m, world.bottom_m, world.width_m, world.height_m),
            world.walls,
            {name: (pose.x_m, pose.y_m) for name, pose in world.places.items()},
        )

    def look(self, tx: Transaction) -> None:
        """What may be ordered now."""
        self.in_force = self.catalogue(tx)

    def with_machines(self, count: int) -> FactoryPlant:
        """The first ones only; the world cannot have more than it has."""
        kept = self.world.robots[:count]
        fleet = self.fleet
        if fleet is not None:
            names = {info.id for info in kept}
            robots = {r: spec for r, spec in fleet.robots.items() if r in names}
            fleet = replace(fleet, robots=robots)
        return replace(self, world=replace(self.world, robots=kept), fleet=fleet)

    def details(self, tx: Transaction, names: Sequence[str]) -> Mapping[str, Any]:
        found = tx.orders.some(names)
        return {
            number: replace(order, status=OrderStatus.NEW, instance_id=None)
            for number, order in found.items()
        }

    def made_up(self, tx: Transaction, count: int, dice: random.Random) -> list[Any]:
        """Of materials that have a place, by recipe where there are recipes."""
        places = self.in_force.placed(self.world).material_places
        catalogue = self.in_force.catalogue
        known = {} if catalogue is None else {m.code: m for m in catalogue.materials}
        codes = sorted(places.keys() & known.keys()) or sorted(places)
        if not codes:
            return []
        recipes = [] if catalogue is None else sorted(r.name for r in catalogue.recipes)
        most_kg = min(
            (info.max_payload_kg for info in self.world.robots), default=MOST_KG
        )
        return [
            Order(
                number=f"T-{number:05}",
                product=dice.choice(recipes) if recipes else "Paint",
                lines=tuple(
                    OrderLine(
                        code,
                        known[code].name if code in known else code,
                        Decimal(dice.randint(LEAST_KG, int(min(MOST_KG, most_kg)))),
                    )
                    for code in dice.sample(
                        codes, dice.randint(1, min(MOST_LINES, len(codes)))
                    )
                ),
            )
            for number in range(1, count + 1)
        ]

    def work_s(
        self, tx: Transaction, instance_ids: Sequence[str]
    ) -> Mapping[str, float]:
        """Drives, from when they were sent: before, the robot waited for its place."""
        return {
            goal.task_id: (goal.ended_at - goal.sent_at).total_seconds()
            for goal in tx.goals.of_instances(instance_ids)
            if goal.task_id is not None
            if goal.state is GoalState.REACHED
            if goal.sent_at is not None and goal.ended_at is not None
        }

    def stand(self) -> Stand:
        roadmaps = None
        if self.fleet is not None:
            if self._roadmaps is None:
                self._roadmaps = make_roadmaps(self.fleet)
            roadmaps = self._roadmaps
        if self._between is None:
            self._between = straight if self.drawn is None else Ways(self.drawn)
        return FactoryStand(
            self.world, self.in_force, self.fleet, roadmaps, self._between
        )


def plant_of(settings: Any) -> FactoryPlant:
    """The plant that the settings name. WorldInvalid."""
    mine = FactorySettings.of(settings)
    files = factory_bootstrap.fleet_of(mine.world)
    drawn = None if files is None else files.world
    if files is not None and not files.world.storage:
        files = (
            None  # drives alone: learnt times are truer than ways, and a month quick
        )
    catalogue = factory_bootstrap.current_catalogue(mine.catalogue, mine.world)
    return FactoryPlant(
        factory_bootstrap.world_named(mine.world),
        None if files is None else files.world,
        catalogue,
        InForce(FILE, catalogue.file.catalogue),
        drawn=drawn,
    )
