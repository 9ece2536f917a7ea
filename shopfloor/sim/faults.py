"""Fault switches: one short command breaks one thing.

The same line works from Python, over rosbridge (service ``/sim/fault``) and on
the standard input of the command: ``freeze robot1 5``.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass

from shopfloor.sim.graph import GOAL_THREADS, Graph
from shopfloor.sim.links import EVERYTHING, Links
from shopfloor.sim.people import Walker
from shopfloor.sim.robot import SimRobot
from shopfloor.sim.vehicle import Pose

Numbers = list[float]
Words = list[str]
SIDES = ("front", "rear", "both")
KINDS = (
    "missing",
    "late",
    "repeated",
    "empty",
    "frozen",
    "dirty",
    "shaded",
    "flickering",
)
"""Of a laser's faults; what each does is the plant's matter."""


class FaultRefused(ValueError):
    """A command that names no fault, no robot or no usable number."""


@dataclass(frozen=True)
class Fault:
    usage: str
    least: int
    most: int
    on_link: Callable[["FaultSwitches", str, Numbers], None] | None = None
    on_robot: Callable[["FaultSwitches", SimRobot, Numbers], None] | None = None
    on_laser: Callable[["FaultSwitches", SimRobot, Words, Numbers], None] | None = None
    choices: tuple[tuple[str, ...], ...] = ()
    """Words before the numbers, one of each."""


class FaultSwitches:
    def __init__(
        self,
        graph: Graph,
        robots: dict[str, SimRobot],
        walkers: dict[str, Walker],
    ) -> None:
        self.graph = graph
        self.links: Links = graph.links
        self.robots = robots
        self.walkers = walkers

    def apply(self, command: str) -> str:
        """Do what the line says; the answer says what was done."""
        words = command.split()
        if not words:
            raise FaultRefused("an empty line names no fault")
        name = words[0].lower().replace("-", "_")
        name = ALIASES.get(name, name)
        fault = FAULTS.get(name)
        if fault is None:
            known = ", ".join(sorted(FAULTS))
            raise FaultRefused(f"{words[0]!r} is no fault; there are {known}")
        if len(words) < 2:
            raise FaultRefused(f"usage: {fault.usage}")
        scope = words[1]
        count = len(fault.choices)
        chosen = words[2 : 2 + count]
        if tuple(chosen) not in itertools.product(*fault.choices):
            raise FaultRefused(f"usage: {fault.usage}")
        numbers = [_number(word) for word in words[2 + count :]]
        if not fault.least <= len(numbers) <= fault.most:
            raise FaultRefused(f"usage: {fault.usage}")
        self._check_scope(name, scope)
        if fault.on_link is not None:
            fault.on_link(self, scope, numbers)
        if fault.on_robot is not None:
            for robot in self._robots(scope):
                fault.on_robot(self, robot, numbers)
        if fault.on_laser is not None:
            for robot in self._robots(scope):
                fault.on_laser(self, robot, chosen, numbers)
        if name in ("tag_loss", "clear"):
            self._people(name, scope, numbers)
        return " ".join([name, scope, *words[2:]])

    def _check_scope(self, name: str, scope: str) -> None:
        if scope == EVERYTHING or scope in self.robots:
            return
        if scope in self.walkers and name in ("tag_loss", "clear"):
            return
        known = ", ".join(sorted(self.robots))
        raise FaultRefused(f"there is no robot {scope!r}; there are {known}")

    def _robots(self, scope: str) -> list[SimRobot]:
        if scope == EVERYTHING:
            return list(self.robots.values())
        return [self.robots[scope]] if scope in self.robots else []

    def _people(self, name: str, scope: str, numbers: Numbers) -> None:
        until = self.until(numbers) if name == "tag_loss" else -math.inf
        for person, walker in self.walkers.items():
            if scope in (EVERYTHING, person):
                walker.tag_lost_until = until

    def until(self, numbers: Numbers, position: int = 0) -> float:
        """The end of a duration; without a number there is none."""
        if len(numbers) <= position:
            return math.inf
        return self.graph.clock.now() + numbers[position]


def _number(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        raise FaultRefused(f"{word!r} is not a number") from None
    if not math.isfinite(value):
        raise FaultRefused(f"{word!r} is not a number one can wait for")
    return value


def _freeze(switches: FaultSwitches, scope: str, numbers: Numbers) -> None:
    switches.links.of(scope).frozen_until = switches.until(numbers)


def _drop(switches: FaultSwitches, scope: str, numbers: Numbers) -> None:
    switches.links.of(scope).dropped_until = switches.until(numbers)


def _cut(switches: FaultSwitches, scope: str, numbers: Numbers) -> None:
    link = switches.links.of(scope)
    link.cut_until = link.dropped_until = switches.until(numbers)


def _delay(switches: FaultSwitches, scope: str, numbers: Numbers) -> None:
    link = switches.links.of(scope)
    link.delay_s = max(0.0, numbers[0])
    link.delayed_until = switches.until(numbers, 1)


def _duplicate(switches: FaultSwitches, scope: str, numbers: Numbers) -> None:
    switches.links.of(scope).duplicated_until = switches.until(numbers)


def _server_skew(switches: FaultSwitches, scope: str, numbers: Numbers) -> None:
    if scope == EVERYTHING:
        switches.graph.skew_s = numbers[0]


def _skew(_: FaultSwitches, robot: SimRobot, numbers: Numbers) -> None:
    robot.clock.skew_s = numbers[0]


def _lose_results(_: FaultSwitches, robot: SimRobot, numbers: Numbers) -> None:
    robot.faults.lost_results = int(numbers[0]) if numbers else 1


def _reject(_: FaultSwitches, robot: SimRobot, numbers: Numbers) -> None:
    robot.faults.rejections = int(numbers[0]) if numbers else 1


def _jump(_: FaultSwitches, robot: SimRobot, numbers: Numbers) -> None:
    pose = robot.vehicle.pose
    turn = math.radians(numbers[2]) if len(numbers) > 2 else 0.0
    robot.vehicle.pose = Pose(
        pose.x_m + numbers[0], pose.y_m + numbers[1], pose.yaw_rad + turn
    )
    robot.replan()


def _stop(switches: FaultSwitches, robot: SimRobot, numbers: Numbers) -> None:
    robot.stopped_until = switches.until(numbers)


def _drain(_: FaultSwitches, robot: SimRobot, numbers: Numbers) -> None:
    percent = numbers[0] if numbers else 5.0
    robot.vehicle.battery = min(1.0, max(0.0, percent / 100.0))


def _restart_navigation(
    switches: FaultSwitches, robot: SimRobot, numbers: Numbers
) -> None:
    robot.restart_navigation(switches.until(numbers or [0.0]))


def _goal_threads(switches: FaultSwitches, _scope: str, numbers: Numbers) -> None:
    switches.graph.params[GOAL_THREADS] = not numbers or bool(numbers[0])


def _answer_refusals(switches: FaultSwitches, _scope: str, numbers: Numbers) -> None:
    switches.graph.answers_refusals = not numbers or bool(numbers[0])


def _lose_tag(switches: FaultSwitches, robot: SimRobot, numbers: Numbers) -> None:
    robot.tag_lost_until = switches.until(numbers)


def _break_laser(
    switches: FaultSwitches, robot: SimRobot, words: Words, numbers: Numbers
) -> None:
    side, kind = words
    for one in ("front", "rear") if side == "both" else (side,):
        if not robot.break_laser(one, kind, switches.until(numbers)):
            raise FaultRefused(
                f"{robot.spec.id} does not drive by lasers; "
                "the full navigation does (--navigation full)"
            )


def _clear_link(switches: FaultSwitches, scope: str, _: Numbers) -> None:
    scopes = [scope] if scope != EVERYTHING else [EVERYTHING, *switches.robots]
    for one in scopes:
        switches.links.clear(one)
    if scope == EVERYTHING:
        switches.graph.skew_s = 0.0


def _clear(_: FaultSwitches, robot: SimRobot, numbers: Numbers) -> None:
    robot.faults.lost_results = robot.faults.rejections = 0
    robot.clock.skew_s = 0.0
    robot.stopped_until = robot.tag_lost_until = -math.inf
    robot.mend_lasers()


ALIASES = {"e_stop": "estop", "dup": "duplicate"}

FAULTS = {
    "freeze": Fault("freeze ROBOT|* [SECONDS]", 0, 1, on_link=_freeze),
    "drop": Fault("drop ROBOT|* [SECONDS]", 0, 1, on_link=_drop),
    "cut": Fault("cut ROBOT|* [SECONDS]", 0, 1, on_link=_cut),
    "delay": Fault("delay ROBOT|* DELAY_S [SECONDS]", 1, 2, on_link=_delay),
    "duplicate": Fault("duplicate ROBOT|* [SECONDS]", 0, 1, on_link=_duplicate),
    "lost_result": Fault("lost_result ROBOT|* [COUNT]", 0, 1, on_robot=_lose_results),
    "reject": Fault("reject ROBOT|* [COUNT]", 0, 1, on_robot=_reject),
    "restart_navigation": Fault(
        "restart_navigation ROBOT|* [SECONDS]", 0, 1, on_robot=_restart_navigation
    ),
    # How a server of ROS 2 is set up: as delivered neither, with 1 (or nothing) both.
    "goal_threads": Fault("goal_threads * [0|1]", 0, 1, on_link=_goal_threads),
    "answer_refusals": Fault("answer_refusals * [0|1]", 0, 1, on_link=_answer_refusals),
    "clock_skew": Fault(
        "clock_skew ROBOT|* SECONDS", 1, 1, on_link=_server_skew, on_robot=_skew
    ),
    "pose_jump": Fault("pose_jump ROBOT|* DX_M DY_M [DYAW_DEG]", 2, 3, on_robot=_jump),
    "estop": Fault("estop ROBOT|* [SECONDS]", 0, 1, on_robot=_stop),
    "laser": Fault(
        f"laser ROBOT|* {'|'.join(SIDES)} {'|'.join(KINDS)} [SECONDS]",
        0,
        1,
        on_laser=_break_laser,
        choices=(SIDES, KINDS),
    ),
    "low_battery": Fault("low_battery ROBOT|* [PERCENT]", 0, 1, on_robot=_drain),
    "tag_loss": Fault("tag_loss ROBOT|PERSON|* [SECONDS]", 0, 1, on_robot=_lose_tag),
    "clear": Fault("clear ROBOT|PERSON|*", 0, 0, on_link=_clear_link, on_robot=_clear),
}
