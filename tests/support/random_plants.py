"""Random plants with storage, and days on which everything goes wrong by chance."""

from __future__ import annotations

import json
import random
from collections.abc import Callable

from fleet import events as ev
from fleet.fleet import Fleet
from fleet.model import Level, World
from fleet.tasks import Kind, Leg, Task
from fleet.virtual import Trial
from fleet.virtual.trial import new_trial
from tests.support.fleet_trials import bring_back, settle
from tests.support.warehouses import read, small_world

TYPES = (
    "robot_types:\n"
    "  cart: {speed_mps: 1.3, acceleration_mps2: 0.9, radius_m: 0.3, payload_kg: 50, "
    "geometries: [box], discharging_percent_per_s: 0.08, load_s: 3}\n"
    "  truck: {speed_mps: 0.8, radius_m: 0.45, payload_kg: 500, "
    "geometries: [box, pallet], discharging_percent_per_s: 0.06, load_s: 6}\n"
    "packages:\n  box: {weight_kg: 9, geometry: box}\n"
    "  pallet: {weight_kg: 300, geometry: pallet}\n"
)
BLOCKS = ("open", "single", "same_direction")


def random_plant(draw: random.Random) -> World:
    """Two or three rows of racks, with aisles of any width above the widest robot."""
    aisle_m = draw.uniform(2.6, 4.0)
    racks, width_m = draw.randint(2, 3), draw.uniform(20.0, 25.0)
    boxes, slots = [], {}
    y = 4.0
    for rack in range(racks):
        boxes.append((6.0, y, width_m - 6.0, y + 1.0))
        for n in range(int((width_m - 13.0) // 2.2)):
            slots[f"s{rack}_{n}"] = (7.0 + 2.2 * n, y - 0.7)
        y += 1.0 + aisle_m
    height_m = y + 3.0
    robots = draw.randint(3, 6)
    ends = {"in_1": (1.5, 5.0), "in_2": (1.5, 8.0)}
    ends |= {"out_1": (width_m - 1.5, 5.0), "out_2": (width_m - 1.5, 8.0)}
    chargers = {"c1": (9.0, 1.0), "c2": (11.0, 1.0)}
    homes = {f"h{n}": (2.0 + 2.0 * n, height_m - 1.0) for n in range(robots)}
    kinds = {f"r{n}": ("truck" if n % 2 else "cart", f"h{n}") for n in range(robots)}
    stock = draw.sample(sorted(slots), 4)
    left_m, top_m = draw.uniform(6.0, width_m - 9.0), 4.0
    more = (
        f"{TYPES}storage: {sorted(slots)}\ninputs: [in_1, in_2]\n"
        "outputs: [out_1, out_2]\ncharging:\n  z: {area: [8, 0, 12, 2], "
        "rate_percent_per_s: 1.0, max_robots: 2, places: [c1, c2]}\nzones:\n"
        f"  aisle: {{corners: [[{left_m}, 0], [{left_m + 3}, 0], "
        f"[{left_m + 3}, {top_m}], [{left_m}, {top_m}]], "
        f"block: {draw.choice(BLOCKS)}, speed_mps: {draw.choice((0.4, 2.0))}}}\n"
        f"doors:\n  - {{id: gate, x1_m: 4.0, y1_m: 0, x2_m: 4.0, y2_m: 9.5}}\nstock:\n"
        + "".join(
            f"  {place}: {{package: P-{n}, type: {('box', 'pallet')[n % 2]}}}\n"
            for n, place in enumerate(stock)
        )
    )
    return read(
        small_world(
            width_m=width_m,
            height_m=height_m,
            boxes=tuple(boxes),
            places=slots | ends | chargers | homes,
            robots=kinds,
            more=more,
        )
    )


class BadDay:
    """One disturbance after the other; each has an end."""

    def __init__(self, trial: Trial, draw: random.Random) -> None:
        self.trial = trial
        self._draw = draw
        self._ends: list[Callable[[], None]] = []
        self.happened: list[str] = []
        self._number = 0

    def run(self, turns: int, turn_s: float) -> None:
        kinds = (
            *(self._dies, self._pauses, self._zone, self._box, self._drops),
            *(self._person, self._door, self._pulls_over, self._respected),
            *(self._restart, self._move, self._slow, self._anew),
        )
        for _ in range(turns):
            self._number += 1
            kind = self._draw.choice(kinds)
            self.happened.append(kind.__name__.strip("_"))
            kind()
            self.trial.run(turn_s)
            if self._draw.random() < 0.6:
                self._end_one()
            bring_back(self.trial)
        while self._ends:
            self._end_one()
        self.trial.plant.drop_next.clear()
        settle(self.trial)

    def _end_one(self) -> None:
        if self._ends:
            self._ends.pop(self._draw.randrange(len(self._ends)))()

    def _robot(self) -> str:
        return self._draw.choice(sorted(self.trial.plant.robots))

    def _tell_later(self, *events: ev.Event) -> None:
        def tell() -> None:
            for event in events:
                self.trial.tell(event)

        self._ends.append(tell)

    def _dies(self) -> None:
        name = self._robot()
        robot = self.trial.plant.robots[name]
        if robot.dead:
            return
        robot.dead = True
        self.trial.tell(ev.Failed(name, "does not answer"))

        def again() -> None:
            robot.dead = False
            self.trial.tell(ev.Recovered(name))

        self._ends.append(again)

    def _pauses(self) -> None:
        name = self._robot()
        self.trial.tell(ev.RobotPaused(name))
        self._tell_later(ev.RobotPaused(name, False))

    def _zone(self) -> None:
        world = self.trial.fleet.world
        x = self._draw.uniform(2.0, world.width_m - 4.0)
        y = self._draw.uniform(0.0, world.height_m - 3.0)
        name = f"spill {self._number}"
        corners = ((x, y), (x + 2.0, y), (x + 2.0, y + 2.0), (x, y + 2.0))
        self.trial.tell(ev.ZoneClosed(name, corners))
        self._tell_later(ev.ZoneOpened(name))

    def _spot(self) -> tuple[float, float]:
        """Where no robot is near."""
        world, robots = self.trial.fleet.world, self.trial.plant.robots.values()
        while True:
            x = self._draw.uniform(1.0, world.width_m - 1.0)
            y = self._draw.uniform(1.0, world.height_m - 1.0)
            if all((r.x_m - x) ** 2 + (r.y_m - y) ** 2 > 4.0 for r in robots):
                return x, y

    def _box(self) -> None:
        name, boxes = f"box {self._number}", self.trial.plant.obstacles
        boxes[name] = (*self._spot(), 0.25)
        self._ends.append(lambda: boxes.__delitem__(name))

    def _drops(self) -> None:
        self.trial.plant.drop_next.add(self._robot())

    def _person(self) -> None:
        name = f"person {self._number}"
        for _ in range(3):
            self.trial.tell(ev.Seen(name, *self._spot()))
            self.trial.run(2.0)
        self._tell_later(ev.Seen(name, radius_m=0.0))

    def _door(self) -> None:
        if not self.trial.tell(ev.DoorShut("gate")):
            return  # a world without doors
        self._tell_later(ev.DoorShut("gate", False))

    def _pulls_over(self) -> None:
        self.trial.tell(ev.PulledOver())
        self._tell_later(ev.PulledOver(False))

    def _respected(self) -> None:
        name = self._robot()
        if self.trial.plant.robots[name].dead:
            return
        self.trial.tell(ev.LevelSet(name, Level.RESPECTED))
        self._tell_later(ev.LevelSet(name, Level.USED))

    def _restart(self) -> None:
        """As after a crash: all that is left is the saved state."""
        old = self.trial.fleet
        new = Fleet(old.world, roadmaps=old.roadmaps)
        new.load(json.loads(json.dumps(old.to_dict())))
        self.trial.fleet = new

    def _move(self) -> None:
        """A drive that a person wants, and changes her mind about."""
        id_, place = f"move/{self._number}", self._draw.choice(("c1", "in_2", "out_1"))
        self.trial.tell(ev.Submitted(Task(id_, Kind.MOVE, [Leg(place)], priority=1)))
        if self._draw.random() < 0.5:
            self.trial.run(self._draw.uniform(1.0, 20.0))
            self.trial.tell(ev.Withdrawn(id_, now=self._draw.random() < 0.5))

    def _anew(self) -> None:
        """Somebody wants a task, or all, to be thought over, or held for a while."""
        for task in list(self.trial.fleet.pool.open()):
            if self._draw.random() < 0.5 and not task.state.ended:
                self.trial.tell(ev.Redispatched(task.id))
            elif self._draw.random() < 0.3 and not task.dispensable:
                self.trial.tell(ev.TaskPaused(task.id))
                self._tell_later(ev.TaskPaused(task.id, paused=False))

    def _slow(self) -> None:
        robot = self.trial.plant.robots[self._robot()]
        robot.slow = 0.4
        self._ends.append(lambda: setattr(robot, "slow", 1.0))


def bad_day(
    seed: int, turns: int, turn_s: float = 30.0, world: World | None = None
) -> BadDay:
    draw = random.Random(seed)
    fleet = Fleet(world or random_plant(draw))
    trial = new_trial(fleet, seed, 0.06, 1.0)
    for robot in trial.plant.robots.values():
        robot.percent = draw.uniform(25.0, 100.0)
    day = BadDay(trial, draw)
    day.run(turns, turn_s)
    return day
