"""One simulated robot: a vehicle behind the topics a real one would have.

Everything it says lives under its own namespace, so any number of robots share
one server. What nobody listens to is not even made.
"""

import math
import random
from collections.abc import Callable, Iterable
from typing import Any

from shopfloor.sim import sensors
from shopfloor.sim.by_hand import ByHand
from shopfloor.sim.clock import Clock, Every
from shopfloor.sim.driving import (
    Drive,
    GoalFaults,
    GoalUnusable,
    MakePlan,
    MoveBase,
    Wheel,
    pose_message,
    quaternion,
)
from shopfloor.sim.encoding import Payload
from shopfloor.sim.graph import Graph, Respond, Topic
from shopfloor.sim.message_types import Message
from shopfloor.sim.planning_services import PlanningServices
from shopfloor.sim.ros1_actions import ActionTopics
from shopfloor.sim.ros2_actions import NavigateToPose, NavigationAction
from shopfloor.sim.scale import Scale
from shopfloor.sim.trace import Trace
from shopfloor.sim.vehicle import FindBends, Pose, Vehicle, first_metres
from shopfloor.sim.world import RobotSpec, World

MAP_FRAME = "map"
LOCAL_PLAN = "local_plan"
LOW_BATTERY = 0.15
FULL_VOLTAGE_V, EMPTY_VOLTAGE_V = 27.0, 22.0
CHARGING, DISCHARGING = 1, 2
OK, WARNING, ERROR = 0, 1, 2
RADIO, TAG_ON_ROBOT, ANCHOR = 1, 0, 1


class SkewedClock:
    """The robot's own clock, which may be wrong."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.skew_s = 0.0

    def now(self) -> float:
        return self._clock.now() + self.skew_s


class SimRobot:
    def __init__(
        self,
        spec: RobotSpec,
        world: World,
        graph: Graph,
        rng: random.Random,
        trace: Trace,
        find_bends: FindBends | None = None,
        map_costs: Callable[[], list[int]] = list,
        cost_at: Callable[[Pose], int] = lambda _pose: 0,
    ) -> None:
        self.spec = spec
        self.world = world
        self.vehicle = Vehicle(
            spec.home,
            spec.limits,
            charger=spec.home,
            battery=spec.battery,
            find_bends=find_bends,
            cost_at=cost_at,
        )
        self.faults = GoalFaults()
        self.clock = SkewedClock(graph.clock)
        self.stopped_until = -math.inf
        self.tag_lost_until = -math.inf
        self._graph = graph
        self._registry = graph.registry
        self._rng = rng
        self._trace = trace
        self._topics: dict[str, Topic] = {}
        self._node = f"{spec.prefix}/robot"
        self._frame = f"{spec.prefix}/".lstrip("/")
        self._pose_told: Pose | None = None
        self._plan_told: tuple[Pose | None] | None = None
        self._stop_told: bool | None = None
        self._stop_asked = False
        self._map_costs = map_costs
        self._costs_told = False
        self._wheel = Wheel(self.vehicle, world.map, self.faults)
        self._actions: list[ActionTopics | NavigationAction] = []
        self._periodic: list[tuple[Every, str, Callable[[], Message | None]]] = []
        self._advertise_topics()
        self._offer_services()
        self._by_hand = ByHand(graph, self._node, spec.prefix, world.map, self)
        PlanningServices(
            self,
            graph,
            spec.prefix,
            self.name("move_base" if self._registry.dialect == "ros1" else "planner"),
            world.map,
            find_bends,
        )
        self.scale = Scale(graph, self._node, spec.prefix, f"scale of {spec.id}")
        if self._registry.dialect == "ros1":
            self._offer_ros1_navigation()
        else:
            self._offer_ros2_navigation()

    def name(self, suffix: str) -> str:
        return f"{self.spec.prefix}/{suffix}"

    def _advertise(self, suffix: str, kind: str, *, latch: bool = False) -> None:
        topic = self._graph.advertise(self._node, self.name(suffix), kind, latch=latch)
        self._topics[suffix] = topic

    def _advertise_topics(self) -> None:
        self._advertise(
            "amcl_pose", "geometry_msgs/PoseWithCovarianceStamped", latch=True
        )
        self._advertise("security_stop", "std_msgs/Bool", latch=True)
        ros1 = self._registry.dialect == "ros1"
        self._plan_topic = "move_base/NavfnROS/plan" if ros1 else "plan"
        self._advertise(self._plan_topic, "nav_msgs/Path", latch=True)
        planner = "move_base/" if ros1 else ""
        costmap = f"{planner}local_costmap/costmap"
        local_plan = f"{planner}TrajectoryPlannerROS/local_plan" if ros1 else LOCAL_PLAN
        self._costs_topic = f"{planner}global_costmap/costmap"
        self._advertise(self._costs_topic, "nav_msgs/OccupancyGrid", latch=True)
        for period_s, suffix, kind, build in (
            (0.1, "odom", "nav_msgs/Odometry", self._odometry),
            (0.1, "tf", "tf2_msgs/TFMessage", self.transforms),
            (0.2, "scan", "sensor_msgs/LaserScan", self._scan),
            (1.0, "battery_state", "sensor_msgs/BatteryState", self._battery),
            (1.0, "diagnostics", "diagnostic_msgs/DiagnosticArray", self._diagnostics),
            (1.0, costmap, "nav_msgs/OccupancyGrid", self._costmap),
            (0.5, local_plan, "nav_msgs/Path", self._local_plan),
        ):
            self._advertise(suffix, kind)
            self._periodic.append((Every(period_s), suffix, build))
        self._advertise("range", "range_msgs/P2PRange")
        self._range_due = Every(0.2)
        self._pose_due = Every(0.2)
        self._plan_due = Every(1.0)
        self._graph.subscribe(
            self,
            self._node,
            self.name("emergency_stop"),
            "std_msgs/Bool",
            self._on_stop,
        )

    def _offer_services(self) -> None:
        for suffix, switch in (
            ("set_emergency_stop", self._switch_stop),
            ("pause", self._switch_pause),
        ):
            self._graph.serve(
                self.name(suffix), "std_srvs/SetBool", self._node, _switching(switch)
            )

    def _offer_ros1_navigation(self) -> None:
        for suffix, kind, drive in (
            ("move_base", "move_base_msgs/MoveBase", MoveBase),
            ("Make_Plan", "upo_actions/MakePlan", MakePlan),
        ):
            executor = drive(self._wheel, self._registry, self.clock)
            self._actions.append(
                ActionTopics(
                    self._graph,
                    self.clock,
                    self.name(suffix),
                    self.name(suffix),
                    kind,
                    executor,
                    self.faults,
                    self._record,
                )
            )
        self._graph.subscribe(
            self,
            self.name("move_base"),
            self.name("move_base_simple/goal"),
            "geometry_msgs/PoseStamped",
            self._on_simple_goal,
        )

    def _offer_ros2_navigation(self) -> None:
        self._actions.append(
            NavigationAction(
                self._graph,
                self.clock,
                self.name("bt_navigator"),
                self.name("navigate_to_pose"),
                NavigateToPose(self._wheel, self._registry, self.clock),
                self.faults,
                self._record,
            )
        )
        self._graph.subscribe(
            self,
            self.name("bt_navigator"),
            self.name("goal_pose"),
            "geometry_msgs/PoseStamped",
            self._on_simple_goal,
        )

    def _on_simple_goal(self, payload: Payload) -> None:
        """A bare pose becomes a goal without an id, as the real stacks do it."""
        first = self._actions[0]
        if isinstance(first, ActionTopics):
            first.server.on_goal("", 0.0, {"target_pose": payload.message})
        else:
            goal = {"pose": payload.message, "behavior_tree": ""}
            first.send("", goal, lambda _values: None, lambda *_outcome: None)

    def _on_stop(self, payload: Payload) -> None:
        self._switch_stop(bool(payload.message["data"]))

    def _switch_stop(self, on: bool) -> str:
        self._stop_asked = on
        if not on:
            self.stopped_until = -math.inf
        return "stopped" if on else "released"

    def _switch_pause(self, on: bool) -> str:
        self.vehicle.paused = on
        return "paused" if on else "resumed"

    def tick(self, dt_s: float) -> None:
        """Let plant time pass for the vehicle."""
        stopped = self._stop_asked or self._graph.clock.now() < self.stopped_until
        self.vehicle.emergency_stop = stopped
        self.vehicle.tick(dt_s, self._rng)

    def take_pose(self, pose: Pose) -> str | None:
        """Somebody says where it is; a cause if it cannot be there."""
        reason = self.vehicle.take_pose(pose)
        if reason is None:
            self.replan()
        return reason

    def clear_costmaps(self) -> None:
        """What it has seen is forgotten; what the map knows is told anew."""
        self._costs_told = False

    def mounts(self) -> list[Message]:
        """Where its lasers sit."""
        return [self._mount("laser", Pose(0.0, 0.0))]

    def _mount(self, frame: str, at: Pose) -> Message:
        base = f"{self._frame}base_link"
        return self._transform(base, f"{self._frame}{frame}", at)

    def break_laser(self, side: str, kind: str, until: float) -> bool:
        """False: what its lasers tell is for people, the robot drives without them."""
        return False

    def mend_lasers(self) -> None:
        pass

    def restart_navigation(self, until: float) -> None:
        """Of ROS 1 it is back at once: a topic that nobody speaks on is no news."""
        for action in self._actions:
            if isinstance(action, ActionTopics):
                action.server.restart()
            else:
                action.restart(until)

    @property
    def stopped(self) -> bool:
        """By a button, or because the robot does not trust its own senses."""
        return self.vehicle.emergency_stop

    def replan(self) -> None:
        """Somebody has put it elsewhere: find the way from there, or give up."""
        driver = self._wheel.driver
        if self.vehicle.target is None or not isinstance(driver, Drive):
            return
        try:
            self._wheel.take(driver, self.vehicle.target)
        except GoalUnusable as error:
            driver.problem = str(error)
            self._wheel.release(driver)

    def step(self) -> None:
        """Say what is due."""
        now = self._graph.clock.now()
        self._by_hand.step(now)
        for action in self._actions:
            if isinstance(action, ActionTopics):
                action.server.step()
            else:
                action.step()
        self._tell_pose(now)
        self._tell_plan(now)
        self._tell_map_costs()
        if self._stop_told != self.stopped:
            self._stop_told = self.stopped
            self._publish("security_stop", {"data": self._stop_told}, latch=True)
        for due, suffix, build in self._periodic:
            if due.due(now) and self._topics[suffix].wanted:
                message = build()
                if message is not None:
                    self._publish(suffix, message)
        self.scale.step(now)
        if self._range_due.due(now) and now >= self.tag_lost_until:
            self._tell_ranges()

    def _publish(self, suffix: str, message: Message, *, latch: bool = False) -> None:
        self._graph.publish(self.name(suffix), message, latch=latch)

    def _tell_pose(self, now: float) -> None:
        """Localisation speaks only while the robot moves, and once when it stops."""
        pose = self.vehicle.pose
        if pose == self._pose_told or not self._pose_due.due(now):
            return
        self._pose_told = pose
        covariance = [0.0] * 36
        covariance[0] = covariance[7] = 0.01
        covariance[35] = 0.005
        body = {"pose": pose_message(pose), "covariance": covariance}
        message = {"header": self._header(MAP_FRAME), "pose": body}
        self._publish("amcl_pose", message, latch=True)

    def _tell_ranges(self) -> None:
        if not self._topics["range"].wanted:
            return
        for message in self._ranges():
            self._publish("range", message)

    def _ranges(self) -> Iterable[Message]:
        """From this robot's tag to the anchors."""
        return range_messages(
            self._header(""), self.spec.tag, self.vehicle.pose, self.world, self._rng
        )

    def _header(self, frame: str) -> Message:
        return self._registry.header(frame, self.clock.now())

    def _odometry(self) -> Message:
        vehicle = self.vehicle
        return {
            "header": self._header(f"{self._frame}odom"),
            "child_frame_id": f"{self._frame}base_link",
            "pose": {"pose": pose_message(vehicle.odometry)},
            "twist": {
                "twist": {
                    "linear": {"x": vehicle.speed_mps},
                    "angular": {"z": vehicle.turn_radps},
                }
            },
        }

    def transforms(self) -> Message:
        """map to odom to base_link, so that the product is the pose."""
        odometry, pose = self.vehicle.odometry, self.vehicle.pose
        turn = pose.yaw_rad - odometry.yaw_rad
        cos, sin = math.cos(turn), math.sin(turn)
        shift = Pose(
            pose.x_m - (cos * odometry.x_m - sin * odometry.y_m),
            pose.y_m - (sin * odometry.x_m + cos * odometry.y_m),
            turn,
        )
        odom = f"{self._frame}odom"
        links = ((MAP_FRAME, odom, shift), (odom, f"{self._frame}base_link", odometry))
        return {"transforms": [self._transform(*link) for link in links]}

    def _transform(self, parent: str, child: str, at: Pose) -> Message:
        return {
            "header": self._header(parent),
            "child_frame_id": child,
            "transform": {
                "translation": {"x": at.x_m, "y": at.y_m},
                "rotation": quaternion(at.yaw_rad),
            },
        }

    def _scan(self) -> Message | None:
        """None while the laser tells nothing."""
        ranges = sensors.scan(self.vehicle.pose, self.world.map.walls)
        return {
            "header": self._header(f"{self._frame}laser"),
            "angle_min": -math.pi / 2,
            "angle_max": math.pi / 2,
            "angle_increment": math.pi / (len(ranges) - 1),
            "scan_time": 0.2,
            "range_min": sensors.SCAN_MIN_M,
            "range_max": sensors.SCAN_MAX_M,
            "ranges": ranges,
        }

    def _battery(self) -> Message:
        vehicle = self.vehicle
        span = FULL_VOLTAGE_V - EMPTY_VOLTAGE_V
        unknown = math.nan
        return {
            "header": self._header(""),
            "voltage": EMPTY_VOLTAGE_V + span * vehicle.battery,
            "temperature": unknown,
            "current": unknown,
            "charge": unknown,
            "capacity": unknown,
            "design_capacity": unknown,
            "percentage": vehicle.battery,
            "power_supply_status": CHARGING if vehicle.charging else DISCHARGING,
            "present": True,
        }

    def _diagnostics(self) -> Message:
        vehicle = self.vehicle
        level, text = OK, "ready"
        if vehicle.emergency_stop:
            level, text = ERROR, "emergency stop"
        elif vehicle.battery <= LOW_BATTERY:
            level, text = WARNING, "battery low"
        values = {"odometer_m": f"{vehicle.odometer_m:.2f}"}
        parts = [self._part("base", level, text, values), *self._senses()]
        return {"header": self._header(""), "status": parts}

    def _senses(self) -> list[Message]:
        """How the sensors fare that the robot drives by."""
        return []

    def _part(
        self, name: str, level: int, text: str, values: dict[str, str] | None = None
    ) -> Message:
        pairs = [{"key": key, "value": each} for key, each in (values or {}).items()]
        return {
            "level": level,
            "name": f"{self.spec.id}: {name}",
            "message": text,
            "hardware_id": self.spec.id,
            "values": pairs,
        }

    def _costmap(self) -> Message:
        pose = self.vehicle.pose
        size, corner, cells = sensors.costmap(
            pose, self.world.map.walls, self.spec.radius_m
        )
        return self._grid(sensors.COSTMAP_CELL_M, size, size, corner, cells)

    def _grid(
        self, cell_m: float, columns: int, rows: int, corner: Pose, cells: list[int]
    ) -> Message:
        return {
            "header": self._header(MAP_FRAME),
            "info": {
                "map_load_time": self._registry.time(self.clock.now()),
                "resolution": cell_m,
                "width": columns,
                "height": rows,
                "origin": {
                    "position": {"x": corner.x_m, "y": corner.y_m},
                    "orientation": {"w": 1.0},
                },
            },
            "data": cells,
        }

    def _tell_plan(self, now: float) -> None:
        """A new way at once, the rest of it once a second, nothing when idle."""
        target = self.vehicle.target
        again = target is not None and self._topics[self._plan_topic].wanted
        if self._plan_told == (target,) and not (again and self._plan_due.due(now)):
            return
        self._plan_told = (target,)
        self._publish(self._plan_topic, self._plan(), latch=True)

    def _plan(self) -> Message:
        return self._path(self.vehicle.way())

    def _local_plan(self) -> Message:
        """The plan as far as the costmap around the robot reaches."""
        return self._path(first_metres(self.vehicle.way(), sensors.COSTMAP_SIDE_M / 2))

    def _path(self, way: Iterable[Pose]) -> Message:
        header = self._header(MAP_FRAME)
        poses = [{"header": header, "pose": pose_message(stop)} for stop in way]
        return {"header": header, "poses": poses}

    def _tell_map_costs(self) -> None:
        """Large and always the same: made for the first who asks, then latched."""
        if self._costs_told or not self._topics[self._costs_topic].wanted:
            return
        self._costs_told = True
        plan = self.world.map
        columns, rows = sensors.size_in_cells(plan)
        corner = Pose(plan.origin.x_m, plan.origin.y_m)
        grid = self._grid(plan.resolution_m, columns, rows, corner, self._map_costs())
        self._publish(self._costs_topic, grid, latch=True)

    def _record(self, event: str, **facts: Any) -> None:
        pose = self.vehicle.pose
        text = " ".join(map(str, (event, facts.get("goal_id"), facts.get("text", ""))))
        self._graph.log(self._node, "info", text.strip())
        self._trace.write(
            self._graph.clock.now(),
            event,
            robot=self.spec.id,
            x_m=round(pose.x_m, 4),
            y_m=round(pose.y_m, 4),
            **facts,
        )

    def state(self) -> dict[str, Any]:
        """The truth, for whoever may know it."""
        vehicle = self.vehicle
        return {
            "id": self.spec.id,
            "kind": self.spec.kind,
            "x_m": vehicle.pose.x_m,
            "y_m": vehicle.pose.y_m,
            "yaw_rad": vehicle.pose.yaw_rad,
            "speed_mps": vehicle.speed_mps,
            "battery": vehicle.battery,
            "charging": vehicle.charging,
            "emergency_stop": vehicle.emergency_stop,
            "paused": vehicle.paused,
            "driving": vehicle.target is not None,
            "odometer_m": vehicle.odometer_m,
        }


def range_messages(
    header: Message, tag: int, pose: Pose, world: World, rng: random.Random
) -> list[Message]:
    walls, variance = world.map.walls, sensors.UWB_NOISE_M**2
    return [
        range_message(
            header,
            tag,
            anchor.number,
            sensors.uwb_range(pose, anchor, walls, rng),
            variance,
        )
        for anchor in world.anchors
    ]


def range_message(
    header: Message, tag: int, anchor: int, range_m: float, variance: float
) -> Message:
    return {
        "header": header,
        "radiation_type": RADIO,
        "source_id": tag,
        "source_type": TAG_ON_ROBOT,
        "destination_id": anchor,
        "destination_type": ANCHOR,
        "range": range_m,
        "variance": variance,
    }


def _switching(switch: Callable[[bool], str]) -> Callable[[Message, Respond], None]:
    def invoke(request: Message, respond: Respond) -> None:
        respond(True, {"success": True, "message": switch(request["data"])})

    return invoke
