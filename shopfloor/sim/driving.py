"""Goals that a simulated robot drives: what it accepts and how it reports.

Each navigation stack answers a goal in its own words; the driving behind them is
the same vehicle, so a goal from one interface takes it from another.
"""

import math
from dataclasses import dataclass

from shopfloor.sim.actionlib import Goal, Outcome, Status
from shopfloor.sim.clock import Clock
from shopfloor.sim.message_types import Message, TypeRegistry
from shopfloor.sim.vehicle import NoWay, Pose, Vehicle
from shopfloor.sim.world import Map

FRAMES = ("", "map", "/map")
SHORTEST_PLAN_M = 0.2
NO_PLAN = "Failed to find a valid plan"


class GoalUnusable(ValueError):
    """The robot cannot drive there; the text is what it answers."""


def yaw_of(quaternion: Message) -> float:
    x, y, z, w = (float(quaternion[axis]) for axis in "xyzw")
    return math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))


def quaternion(yaw_rad: float) -> Message:
    return {"z": math.sin(yaw_rad / 2.0), "w": math.cos(yaw_rad / 2.0)}


def pose_message(pose: Pose) -> Message:
    return {
        "position": {"x": pose.x_m, "y": pose.y_m},
        "orientation": quaternion(pose.yaw_rad),
    }


def target_of(stamped: Message, plan: Map) -> Pose:
    position, turn = stamped["pose"]["position"], stamped["pose"]["orientation"]
    if not all(map(math.isfinite, position.values())):
        raise GoalUnusable(f"{NO_PLAN}: goal_not_finite")
    length = math.hypot(*(float(turn[axis]) for axis in "xyzw"))
    if not 0.99 <= length <= 1.01:
        raise GoalUnusable(
            "Aborting on goal because it was sent with an invalid quaternion"
        )
    if stamped["header"]["frame_id"] not in FRAMES:
        frame = stamped["header"]["frame_id"]
        raise GoalUnusable(f"The goal is in frame {frame!r}, which is unknown here")
    if not plan.contains(position["x"], position["y"]):
        raise GoalUnusable(f"{NO_PLAN}: goal_outside")
    return Pose(float(position["x"]), float(position["y"]), yaw_of(turn))


@dataclass
class GoalFaults:
    """Faults that concern goals; each counts down."""

    rejections: int = 0
    lost_results: int = 0

    def rejects(self) -> bool:
        if self.rejections <= 0:
            return False
        self.rejections -= 1
        return True

    def loses_result(self) -> bool:
        if self.lost_results <= 0:
            return False
        self.lost_results -= 1
        return True


class Wheel:
    """Who steers: the interface that took the wheel last."""

    def __init__(self, vehicle: Vehicle, plan: Map, faults: GoalFaults) -> None:
        self.vehicle = vehicle
        self.plan = plan
        self.faults = faults
        self.driver: object | None = None

    def take(self, driver: object, target: Pose) -> None:
        try:
            self.vehicle.head_for(target)
        except NoWay as cause:
            raise GoalUnusable(f"{NO_PLAN}: {cause}") from cause
        self.driver = driver

    def release(self, driver: object) -> None:
        if self.driver is driver:
            self.driver = None
            self.vehicle.head_for(None)


class Drive:
    """One goal at a time on the shared wheel; subclasses speak for their stack."""

    pose_field = "target_pose"

    def __init__(self, wheel: Wheel, registry: TypeRegistry, clock: Clock) -> None:
        self.wheel = wheel
        self.registry = registry
        self.clock = clock
        self.problem: str | None = None
        self.began_at = 0.0
        self.length_m = 0.0

    def refuse(self, goal: Goal) -> str | None:
        return "Goal rejected by the robot" if self.wheel.faults.rejects() else None

    def start(self, goal: Goal) -> None:
        self.problem = None
        self.began_at = self.clock.now()
        try:
            target = target_of(goal.body[self.pose_field], self.wheel.plan)
            self.wheel.take(self, target)
        except GoalUnusable as error:
            self.problem = str(error)
            return
        self.length_m = self.wheel.vehicle.remaining_m()

    def stop(self) -> None:
        self.wheel.release(self)

    def outcome(self) -> Outcome | None:
        if self.problem is None and self.wheel.driver is not self:
            self.problem = "Another goal interface took the robot"
        if self.problem is not None:
            return Outcome(Status.ABORTED, self.failed_result(), self.problem)
        if self.wheel.vehicle.arrived:
            return Outcome(Status.SUCCEEDED, self.done_result(), "Goal reached.")
        return None

    def feedback(self) -> Message:
        return {"base_position": self.stamped_pose()}

    def stamped_pose(self) -> Message:
        header = self.registry.header("map", self.clock.now())
        return {"header": header, "pose": pose_message(self.wheel.vehicle.pose)}

    def empty_result(self) -> Message:
        return {}

    def failed_result(self) -> Message:
        return self.empty_result()

    def done_result(self) -> Message:
        return self.empty_result()


class MoveBase(Drive):
    """The move_base navigation stack."""


class MakePlan(Drive):
    """ARCO's planner: progress in strings, and a lie about very short ways."""

    pose_field = "global_goal"

    def outcome(self) -> Outcome | None:
        if self.problem is None and self.length_m < SHORTEST_PLAN_M:
            return Outcome(Status.SUCCEEDED, self.empty_result())
        return super().outcome()

    def feedback(self) -> Message:
        vehicle = self.wheel.vehicle
        left_m, left_s = vehicle.remaining_m(), vehicle.remaining_s()
        done = 1.0 - left_m / self.length_m if self.length_m else 1.0
        minutes, seconds = divmod(int(left_s), 60)
        elapsed = self.clock.now() - self.began_at
        return {
            "distance_to_goal": {"data": left_m},
            "global_waypoint": {"data": min(255, max(0, round(done * 10)))},
            "travel_time": {"data": self.registry.time(elapsed)},
            "percent_achieved": {"data": f"{100.0 * max(0.0, done):f}%"},
            "ETA": {"data": f"Estimated Time of Arrival {minutes}:{seconds}"},
        }

    def failed_result(self) -> Message:
        return {"not_possible": True}

    def done_result(self) -> Message:
        spent = self.registry.time(self.clock.now() - self.began_at)
        return {"finished": True, "time_spent": {"data": spent}}
