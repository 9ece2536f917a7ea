"""Free-space traffic: robots plan ahead in space and time, and keep the order.

Each robot with a goal gets a way that fits between the ways of all others and ends
where it can stay, so head-on meetings are settled before anybody drives. It is sent a
few moves at a time; a move is granted when all who pass before have left its room. When
something gets in the way (a robot that fails, a closed zone, an obstacle), the plans
that it touches are cut after what is granted already, and made anew.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from fleet.model.world import Point, World
from fleet.roads.geometry import to_segment
from fleet.roads.roadmap import Roadmap
from fleet.traffic.bodies import Floor, Piece
from fleet.traffic.closures import Closures
from fleet.traffic.plans import LONG_AGO, Body, PlannedStep, order, retime
from fleet.traffic.port import Arrived, Go, Outcome, Stuck, Waypoint
from fleet.traffic.saving import body_from_dict, body_to_dict
from fleet.traffic.search import Step
from fleet.traffic.tracks import Tracks
from fleet.traffic.ways import Ways

AHEAD = 4
"""Moves that a robot is granted beyond those it has done."""
PLANS_AT_ONCE = 25
"""Ways that are searched before robots get their drives; the others are next."""
REACHED_M = 0.08
RETRY_S = 2.0
LONGEST_RETRY_S = 20.0
RETREAT_S = 3.0
TELL_S = 10.0


class FreeTraffic:
    """Traffic of one plant; ``planned`` False lets everybody drive at once."""

    def __init__(
        self, world: World, roadmaps: Mapping[str, Roadmap], *, planned: bool = True
    ) -> None:
        self._world = world
        self._planned = planned
        self.floor = Floor(world)
        self._tracks = {
            name: Tracks(world, roadmap, self.floor)
            for name, roadmap in roadmaps.items()
        }
        self.closures = Closures(self.floor, self._tracks.values())
        self.bodies: dict[str, Body] = {}
        self._ways = Ways(self.floor, self.closures, self.bodies, planned=planned)
        self._extra: list[tuple[str, float, float]] = []
        self._next_id = 1
        self.deadlocks = 0  # circles found and cut
        self.retreats = 0  # robots sent out of the way of others

    # What the fleet says

    def add_robot(self, robot: str, type_: str, x_m: float, y_m: float) -> None:
        tracks = self._tracks[type_]
        node = self._node_at(type_, x_m, y_m)
        self.bodies[robot] = Body(robot, tracks, x_m, y_m, node)
        self._cut_around([self.bodies[robot].standing(self.floor)], but=robot)

    def remove_robot(self, robot: str) -> None:
        self.bodies.pop(robot, None)
        self._try_all_again()

    def set_goal(self, robot: str, place: str) -> None:
        body = self.bodies[robot]
        if body.goal == place:
            return
        body.goal = place
        body.failed_since, body.retry_at = None, LONG_AGO
        if body.granted < len(body.plan):
            self._cut(body)

    def drop_goal(self, robot: str) -> None:
        body = self.bodies[robot]
        body.goal = ""
        body.failed_since = None
        if body.granted < len(body.plan):
            self._cut(body)

    def freeze(self, robot: str) -> None:
        """It stands and will not move: others plan around it."""
        body = self.bodies[robot]
        body.frozen = True
        body.plan, body.done, body.granted, body.sent = [], 0, 0, 0
        self._cut_around([body.standing(self.floor)], but=robot)

    def thaw(self, robot: str) -> None:
        """It can drive again, from where it stands."""
        body = self.bodies[robot]
        if not body.frozen:
            return
        body.frozen = False
        type_ = body.tracks.robot.id
        body.node, body.came = self._node_at(type_, body.x_m, body.y_m), None
        body.retry_at = LONG_AGO
        self._cut_around([body.standing(self.floor)], but=robot)
        self._try_all_again()

    def close_zone(self, zone: str, corners: Sequence[Point]) -> None:
        self.closures.close_zone(zone, corners)
        self._cut_forbidden()

    def open_zone(self, zone: str) -> None:
        self.closures.open_zone(zone)
        self._try_all_again()

    def lock_lane(self, lane: str) -> None:
        self.closures.lock_lane(lane)
        self._cut_forbidden()

    def unlock_lane(self, lane: str) -> None:
        self.closures.unlock_lane(lane)
        self._try_all_again()

    def close_door(self, door: str) -> None:
        self.closures.close_door(self._world.doors[door])
        self._cut_forbidden()

    def open_door(self, door: str) -> None:
        self.closures.open_door(door)
        self._try_all_again()

    def put_obstacle(self, id_: str, x_m: float, y_m: float, radius_m: float) -> None:
        self.closures.obstacles[id_] = (x_m, y_m, radius_m)
        self._cut_around([self.floor.piece((x_m, y_m, x_m, y_m), radius_m)])

    def take_obstacle(self, id_: str) -> None:
        self.closures.obstacles.pop(id_, None)
        self._try_all_again()

    def report(self, robot: str, x_m: float, y_m: float, yaw: float) -> None:
        """Where a robot is; what it has left behind becomes free for others."""
        body = self.bodies[robot]
        body.x_m, body.y_m, body.yaw = x_m, y_m, yaw
        if body.done >= body.granted:
            return
        best, nearest_m = body.done, math.inf
        for index in range(body.done, body.granted):
            line = body.plan[index].move.piece.line
            off_m = to_segment(x_m, y_m, *line)
            if off_m < nearest_m - 1e-6:
                best, nearest_m = index, off_m
        line = body.plan[best].move.piece.line
        if math.hypot(line[2] - x_m, line[3] - y_m) <= REACHED_M:
            best += 1
        if best > body.done:
            body.done = best
            body.came = body.plan[best - 1].move
            body.node = body.came.end

    # What comes of it

    def advance(self, now: float) -> list[Outcome]:
        outcomes: list[Outcome] = []
        bodies = list(self.bodies.values())
        for body in bodies:
            if body.plan and body.done == len(body.plan):
                body.plan, body.done, body.granted, body.sent = [], 0, 0, 0
            if self._is_there(body):
                outcomes.append(Arrived(body.robot, body.goal))
                body.goal, body.failed_since = "", None
        waiting = [b for b in bodies if self._wants_a_plan(b, now)]
        if waiting:
            self._untangle(now)
            waiting.sort(key=lambda b: (b.failed_since or now, b.robot))
            for body in waiting[:PLANS_AT_ONCE]:
                if not self._plan(body, now):
                    outcomes += self._tell(body, now)
        pending = {s.id for b in bodies for s in b.plan[b.done :]}
        for body in bodies:
            self._grant(body, pending)
            if body.granted > body.sent:
                outcomes.append(self._go(body))
                body.sent = body.granted
        return outcomes

    def _is_there(self, body: Body) -> bool:
        if not body.goal or body.plan or body.frozen:
            return False
        x, y = body.tracks.nodes[body.goal_node]
        near = math.hypot(body.x_m - x, body.y_m - y) <= 2 * REACHED_M
        return near and body.node == body.goal_node

    def _wants_a_plan(self, body: Body, now: float) -> bool:
        if not body.goal or body.frozen or now < body.retry_at:
            return False
        return body.planned_node != body.goal_node

    def _untangle(self, now: float) -> None:
        circle = retime(list(self.bodies.values()), now)
        if circle:
            self.deadlocks += 1
            for body in circle:
                self._cut(body)
            retime(list(self.bodies.values()), now)

    def _plan(self, body: Body, now: float) -> bool:
        """Find a way to the goal; else, after a while, out of the way of others."""
        if body.granted < len(body.plan):
            return True  # on its way out of the way
        tracks = body.tracks
        steps = self._ways.search(body, now, {body.goal_node}, tracks.hints(body.goal))
        if steps is not None:
            body.failed_since = None
            self._take(body, steps)
            return True
        if body.failed_since is None:
            body.failed_since = now
        waited_s = now - body.failed_since
        body.retry_at = now + min(LONGEST_RETRY_S, max(RETRY_S, waited_s))
        at_rest = body.last_node in tracks.roadmap.place_nodes.values()
        if now - body.failed_since < RETREAT_S or at_rest:
            return False
        goals = self._ways.free_places(body)
        steps = self._ways.search(body, now, goals, None)
        if steps:
            self.retreats += 1
            self._take(body, steps)
        return False

    def _take(self, body: Body, steps: list[Step]) -> None:
        new = []
        for step in steps:
            takes_s = step.end_at - step.start_at
            planned = PlannedStep(
                self._next_id, step.move, takes_s, step.start_at, step.end_at
            )
            self._next_id += 1
            new.append(planned)
        if self._planned:
            others = [b for b in self.bodies.values() if b is not body]
            order(self.floor, new, others)
        body.plan += new

    def _grant(self, body: Body, pending: set[int]) -> None:
        while body.granted < min(len(body.plan), body.done + AHEAD):
            step = body.plan[body.granted]
            if step.after & pending:
                step.after &= pending
                return
            body.granted += 1

    def _go(self, body: Body) -> Go:
        steps = body.plan[body.done : body.granted]
        path = tuple(
            Waypoint(*body.tracks.nodes[s.move.end], s.move.speed_mps) for s in steps
        )
        at_goal = body.goal and steps[-1].move.end == body.goal_node
        place = self._place(body.goal) if at_goal else None
        return Go(body.robot, path, None if place is None else place.yaw)

    def _place(self, name: str) -> Any:
        known = self._world.places.get(name)
        if known is not None:
            return known
        return self._world.waiting.get(name.removesuffix(" (waiting)"))

    def _tell(self, body: Body, now: float) -> list[Outcome]:
        since = body.failed_since
        if since is None or now - since < TELL_S or now - body.told_at < TELL_S:
            return []
        body.told_at = now
        zone = self.closures.contains(body.tracks, body.goal_node)
        why = f"it lies in the closed zone {zone}" if zone else "there is no way now"
        return [Stuck(body.robot, body.goal, why)]

    # Cutting plans

    def _cut(self, body: Body) -> None:
        """Drop what is not granted; and so for all who relied on its leaving."""
        del body.plan[body.granted :]
        body.retry_at = LONG_AGO
        self._cut_around([body.standing(self.floor)], but=body.robot)

    def _cut_around(self, pieces: list[Piece], but: str = "") -> None:
        for other in self.bodies.values():
            if other.robot == but or other.granted == len(other.plan):
                continue
            for step in other.plan[other.granted :]:
                if any(self.floor.conflict(step.move.piece, p) for p in pieces):
                    self._cut(other)
                    break

    def _cut_forbidden(self) -> None:
        for body in self.bodies.values():
            for step in body.plan[body.granted :]:
                if not self.closures.allows(body.tracks, step.move):
                    self._cut(body)
                    break

    def _try_all_again(self) -> None:
        for body in self.bodies.values():
            body.retry_at = LONG_AGO

    def _node_at(self, type_: str, x_m: float, y_m: float) -> int:
        tracks = self._tracks[type_]
        before = len(tracks.nodes)
        node = tracks.node_at(x_m, y_m)
        if len(tracks.nodes) > before:
            self._extra.append((type_, x_m, y_m))
        return node

    # Saving

    def to_dict(self) -> dict[str, Any]:
        return {
            "extra": [list(each) for each in self._extra],
            "next_id": self._next_id,
            "counts": [self.deadlocks, self.retreats],
            "closures": self.closures.to_dict(),
            "bodies": [body_to_dict(body) for body in self.bodies.values()],
        }

    def load(self, data: dict[str, Any]) -> None:
        for type_, x_m, y_m in data["extra"]:
            self._node_at(type_, x_m, y_m)
        self._next_id = data["next_id"]
        self.deadlocks, self.retreats = data["counts"]
        self.closures.load(data["closures"], dict(self._world.doors))
        self.bodies.clear()
        for each in data["bodies"]:
            tracks = self._tracks[each["type"]]
            self.bodies[each["robot"]] = body_from_dict(each, tracks)
