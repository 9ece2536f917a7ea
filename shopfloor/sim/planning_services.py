"""What a navigation stack answers beside goals: ways that nobody drives yet, and
costmaps that are to be filled anew."""

from typing import Protocol

from shopfloor.sim.driving import GoalUnusable, pose_message, target_of
from shopfloor.sim.graph import Graph, Respond
from shopfloor.sim.message_types import Message
from shopfloor.sim.vehicle import FindBends, NoWay, Pose, Vehicle
from shopfloor.sim.world import Map

ACTIVE = "move_base must be in an inactive state to make a plan for an external user"


class Planned(Protocol):
    """The robot, as far as the services need it."""

    vehicle: Vehicle

    def clear_costmaps(self) -> None: ...


class PlanningServices:
    def __init__(
        self,
        robot: Planned,
        graph: Graph,
        prefix: str,
        node: str,
        plan: Map,
        find_bends: FindBends | None,
    ) -> None:
        self._robot = robot
        self._graph = graph
        self._node = node
        self._plan = plan
        self._find_bends = find_bends
        self._ros1 = graph.registry.dialect == "ros1"
        base = f"{prefix}/move_base" if self._ros1 else prefix
        self._make_plan_name = f"{base}/make_plan"
        graph.serve(self._make_plan_name, "nav_msgs/GetPlan", node, self._make_plan)
        for name, kind in self._clearing(base):
            graph.serve(name, kind, node, self._clear)

    def _clearing(self, base: str) -> list[tuple[str, str]]:
        if self._ros1:
            return [(f"{base}/clear_costmaps", "std_srvs/Empty")]
        kind = "nav2_msgs/ClearEntireCostmap"
        return [
            (f"{base}/{which}_costmap/clear_entirely_{which}_costmap", kind)
            for which in ("global", "local")
        ]

    def _clear(self, _: Message, respond: Respond) -> None:
        self._robot.clear_costmaps()
        respond(True, {} if self._ros1 else {"response": {}})

    def _make_plan(self, request: Message, respond: Respond) -> None:
        if self._ros1 and self._robot.vehicle.target is not None:
            self._graph.log(self._node, "error", ACTIVE)
            text = f"service [{self._make_plan_name}] responded with an error: b''"
            respond(False, text)
            return
        header = self._graph.registry.header("map", self._graph.time())
        try:
            way = self._way(request)
        except (GoalUnusable, NoWay) as cause:
            self._graph.log(self._node, "warning", f"Failed to find a plan: {cause}")
            way = []
        poses = [{"header": header, "pose": pose_message(stop)} for stop in way]
        respond(True, {"plan": {"header": header, "poses": poses}})

    def _way(self, request: Message) -> list[Pose]:
        """From where it is, unless the request names a start."""
        goal = target_of(request["goal"], self._plan)
        start = self._robot.vehicle.pose
        if request["start"]["header"]["frame_id"]:
            start = target_of(request["start"], self._plan)
        bends = () if self._find_bends is None else self._find_bends(start, goal)
        return [start, *bends, goal]
